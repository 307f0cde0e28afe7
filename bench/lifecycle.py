"""The whole metrics job on a made-up history, JVM start included, compared with the same figures in SQLite."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from measure import Figure

from kipflow.adapters.lake import HISTORY
from kipflow.java import submit_command

START = datetime(2016, 1, 1, tzinfo=UTC)
AS_OF = datetime(2026, 1, 1, tzinfo=UTC)
BUDGET = 25.0  # seconds for a real community's ten years, some 300,000 events

#: The same figures as the job's stage durations and throughput, for a database on the same machine.
SQLITE = """
WITH visit AS (
  SELECT number, target AS stage, at, lead(at) OVER (PARTITION BY number ORDER BY at, position) - at AS lasts
  FROM transition
), ranked AS (
  SELECT stage, lasts, row_number() OVER (PARTITION BY stage ORDER BY lasts) AS place,
         count(*) OVER (PARTITION BY stage) AS stays
  FROM visit WHERE lasts IS NOT NULL
)
SELECT stage, avg(lasts) FROM ranked WHERE place IN ((stays + 1) / 2, (stays + 2) / 2) GROUP BY stage
"""
MONTHS = "SELECT strftime('%Y-%m', at, 'unixepoch'), target, count(*) FROM transition GROUP BY 1, 2"


def compare(folder: Path, events: int) -> list[Figure]:
    rows = make_transitions(events)
    write_history(folder / "history", rows)
    arguments = ["--input", str(folder / "history"), "--as-of", AS_OF.isoformat(), "--out", str(folder / "metrics")]
    command, variables = submit_command(folder, "lifecycle_metrics", arguments, master="local[2]")
    start = time.perf_counter()
    subprocess.run(command, env={**os.environ, **variables}, check=True, capture_output=True, cwd=folder)
    job = time.perf_counter() - start
    peer = time_sqlite(rows)
    return [
        Figure.of("SQLite, two queries, data in memory", peer, events, "events"),
        Figure.of(
            f"metrics job, {events:,} events, with JVM start", job, events, "events",
            peer=f"the budget of {BUDGET:g} s", other=BUDGET, reach=1.0 if events <= 300_000 else None,
        ),
    ]  # fmt: skip


def make_transitions(events: int) -> list[dict[str, object]]:
    """Histories of five moves each, some of them with a retracted one."""
    random_ = random.Random(7)
    path = ["Draft", "Discussion", "Vote", "Accepted", "Dormant"]
    rows: list[dict[str, object]] = []
    for number in range(1, events // len(path) + 1):
        at = START + timedelta(minutes=random_.randrange(5_000_000))
        for position, target in enumerate(path):
            at += timedelta(minutes=random_.randrange(1, 90_000))
            rows.append(
                {
                    "id": f"{number}/{position}",
                    "number": number,
                    "position": position,
                    "source": path[position - 1] if position else None,
                    "target": target,
                    "at": at,
                    "rule": "made-up",
                    "actor": "mail",
                    "repeat": 0,
                    "retracts": [f"{number}/3"] if target == "Dormant" and number % 50 == 0 else [],
                }
            )
    return rows


def write_history(folder: Path, transitions: list[dict[str, object]]) -> None:
    numbers = sorted({int(str(r["number"])) for r in transitions})
    mails = [
        {
            "number": number,
            "message_id": f"<{number}.{index}@x.example>",
            "arrived_at": START + timedelta(days=number % 3000, hours=7 * index),
            "author_address": f"p{(number + index) % 60}@x.example",
            "kind": "discuss",
            "is_reply": index > 0,
        }
        for number in numbers
        for index in range(3)
    ]
    tables = {
        "transitions": transitions,
        "votes": [],
        "messages": mails,
        "proposals": [{"number": n, "title": f"Proposal {n}"} for n in numbers],
    }
    for name, rows in tables.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=HISTORY[name][1]), folder / name / "history.parquet")


def time_sqlite(rows: list[dict[str, object]]) -> float:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE transition (number INT, position INT, target TEXT, at REAL)")
        values = ((r["number"], r["position"], r["target"], r["at"].timestamp()) for r in rows)  # type: ignore[attr-defined]
        database.executemany("INSERT INTO transition VALUES (?, ?, ?, ?)", values)
        start = time.perf_counter()
        database.execute(SQLITE).fetchall()
        database.execute(MONTHS).fetchall()
        return time.perf_counter() - start

"""Killed at any statement that writes, in ingest, decisions or delivery: a rerun comes to the same end.

The process is killed with SIGKILL, by itself, right before the statement: nothing is flushed, no handler runs.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from kipflow.adapters.store import tables
from kipflow.domain.facts import ArchiveMonth
from kipflow.mail import version
from kipflow.services import poll, replay
from kipflow.services.ports import Landed
from kipflow.services.reread import reread
from tests.databases import copy_template, migrate, run_sql
from tests.integration.killing import await_end, fork
from tests.integration.late import DAY, LIST, MONDAY, Mail, Village, found, late_objections, story

EVENING, WEEK = MONDAY + 6 * DAY, MONDAY + 8 * DAY
#: At most so many of the statements that write are died at, evenly chosen: each costs a process.
POINTS = 28
WRITES = ("INSERT", "UPDATE", "DELETE")
_numbers = itertools.count()

NewDatabase = Callable[[Path], str]


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def new_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewDatabase]:
    """Makes migrated, empty databases, each of its own."""
    if request.param == "postgres":
        cluster: sa.URL = request.getfixturevalue("postgres_cluster")
        made: list[str] = []

        def create(_folder: Path) -> str:
            made.append(f"crash_{next(_numbers)}")
            copy_template(cluster, made[-1])
            return cluster.set(database=made[-1]).render_as_string(hide_password=False)

        yield create
        for name in made:
            run_sql(cluster, f"DROP DATABASE {name} WITH (FORCE)")
        return
    template = tmp_path_factory.mktemp("template") / "kipflow.db"
    migrate(f"sqlite:///{template}")
    with sa.create_engine(f"sqlite:///{template}").connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy(folder: Path) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(template, folder / "kipflow.db")
        return f"sqlite:///{folder / 'kipflow.db'}"

    yield copy


class Outside:
    """A chat beyond the process: what was posted is on its disk when the call returns."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def post(self, _channel: str, text: str, _blocks: Any, *, key: str, thread: str | None = None) -> str:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{key}\t{text}\n")
            file.flush()
            os.fsync(file.fileno())
        return key

    def find(self, _channel: str, *, key: str, since: datetime, thread: str | None = None) -> str | None:
        posted = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        return key if any(line.startswith(f"{key}\t") for line in posted) else None


def live(folder: Path, url: str, die_at: int = 0) -> int:
    """Two rounds of mail, decisions and delivery; how many statements wrote.

    A round that was ended is not begun again, as no DAG run is.
    """
    village = found(folder, KIPFLOW_DATABASE_URL=url)
    village.channel = Outside(folder / "posted")  # type: ignore[assignment]
    writes = count_writes(village, die_at)
    for number, work in enumerate((first_round, second_round)):
        if not (folder / f"round{number}").exists():
            work(village)
            (folder / f"round{number}").touch()
    village.parts.store.close()
    return len(writes)


def count_writes(village: Village, die_at: int) -> list[str]:
    """Note every statement that writes, and die before the one asked for."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.lstrip().upper().startswith(WRITES):
            seen.append(statement)
            if len(seen) == die_at:
                os.kill(os.getpid(), signal.SIGKILL)

    event.listen(village.parts.store._engine, "before_cursor_execute", note)
    return seen


def land(village: Village, mails: list[Mail], *, stats: str) -> None:
    path = village.folder / "2026-03.mbox"
    path.write_text("".join(mail.render() for mail in mails), encoding="utf-8")
    month = ArchiveMonth(
        list_id=LIST, month="2026-03", status="complete", fetched_at=WEEK, path=str(path), mails=len(mails)
    )
    poll.read_months(village.parts.store, [Landed(month=month, stats=stats)], prefix="KIP", seen_at=EVENING)


def first_round(village: Village) -> None:
    land(village, list(story().values()), stats="one")
    village.decide(EVENING)


def second_round(village: Village) -> None:
    """Objections come late, and rules that are newer read all of it again."""
    with patch.object(version, "READING_RULES", version.READING_RULES + 1):
        land(village, [*story().values(), *late_objections()], stats="two")
        reread(village.parts.store, prefix="KIP", seen_at=WEEK)
        village.decide(WEEK)


def contents(folder: Path, url: str) -> dict[str, Any]:
    """All that both lives must have in common."""
    village = found(folder, KIPFLOW_DATABASE_URL=url)
    engine = village.parts.store._engine
    queries: dict[str, sa.Select[Any]] = {
        "history": sa.select(tables.decisions.transition.c.id).order_by(tables.decisions.transition.c.position),
        "outbox": sa.select(tables.outbox.outbox.c.key, tables.outbox.outbox.c.status).order_by(
            tables.outbox.outbox.c.key
        ),
        "mails": sa.select(tables.facts.message.c.message_id, tables.facts.message.c.reading_rules).order_by(
            "message_id"
        ),
        "belongs": sa.select(tables.facts.message_proposal.c.message_id).order_by("message_id"),
        "ballots": sa.select(tables.votes.ballot.c.message_id, tables.votes.ballot.c.status).order_by("message_id"),
        "proposals": sa.select(
            tables.decisions.proposal.c.stage, tables.decisions.proposal.c.since, tables.decisions.proposal.c.decided_at
        ),
        "pending": sa.select(tables.decisions.pending.c.number),
        "months": sa.select(
            tables.facts.archive_month.c.month, tables.facts.archive_month.c.mails, tables.facts.archive_month.c.status
        ),
        "marks": sa.select(tables.decisions.mark).order_by(tables.decisions.mark.c.name),
    }
    with engine.connect() as connection:
        found_ = {name: [tuple(row) for row in connection.execute(query)] for name, query in queries.items()}
    report = replay.replay(village.parts.store, policy=village.parts.policy, start=None, end=WEEK)
    village.parts.store.close()
    assert report.differences == ()
    return {**found_, "posted": sorted(set((folder / "posted").read_text().splitlines()))}


def test_a_kill_before_any_statement_that_writes_is_made_good_by_a_rerun(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    url = new_database(tmp_path / "undisturbed")
    writes = live(tmp_path / "undisturbed", url)
    wanted = contents(tmp_path / "undisturbed", url)
    assert len(wanted["history"]) > 5
    assert any("corrected" in line or "Accepted" in line for line in wanted["posted"])

    for point in sorted({1 + round(n * (writes - 1) / (POINTS - 1)) for n in range(POINTS)}):
        folder = tmp_path / f"killed{point}"
        url = new_database(folder)
        assert await_end(fork(partial(live, folder, url, point))) == -9, f"died before write {point} of {writes}"
        live(folder, url)
        assert contents(folder, url) == wanted, f"killed before write {point} of {writes}"
        lines = (folder / "posted").read_text().splitlines()
        assert len(lines) == len(set(lines)), "no message is posted twice"

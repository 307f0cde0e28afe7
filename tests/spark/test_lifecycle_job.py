"""The metrics job from end to end: history out, spark-submit, figures back."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest
from kipflow_spark import schemas
from pyspark.sql.pandas.types import to_arrow_schema

from kipflow import java
from kipflow.adapters import lake
from kipflow.adapters.store import open_store
from kipflow.commands.run import find_reason
from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import Message
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.services.assembly import CommunityRules, load_facts

AS_OF = datetime(2026, 3, 1, tzinfo=UTC)


class FakeRows:
    """Gives rows as the store does: in batches, and only the columns asked for."""

    def __init__(self, **tables: list[dict[str, Any]]) -> None:
        self.tables = tables

    def iter_rows(self, table: str, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
        rows = [{name: row[name] for name in columns} for row in self.tables.get(table, [])]
        for start in range(0, len(rows), 2):
            yield rows[start : start + 2]


def make_history() -> FakeRows:
    moves = [(None, "Draft", 40), ("Draft", "Discussion", 30), ("Discussion", "Vote", 2)]
    transitions: list[dict[str, Any]] = [
        {
            "id": f"7/{position}",
            "number": 7,
            "position": position,
            "source": source,
            "target": target,
            "at": AS_OF - timedelta(days=days),
            "rule": "r",
            "actor": "mail",
            "repeat": 0,
            "retracts": [],
        }
        for position, (source, target, days) in enumerate(moves)
    ]
    vote = {
        "key": "KIP-7",
        "number": 7,
        "round": 1,
        "root_message_id": "<v@x.example>",
        "opened_at": AS_OF - timedelta(days=2),
        "earliest_close": AS_OF + timedelta(days=1),
        "ended_at": None,
        "outcome": "open",
    }
    mail = [
        {"message_id": f"<{i}>", "arrived_at": AS_OF - timedelta(days=30 - i), "author_address": a, "is_reply": i > 0}
        for i, a in enumerate(["kim@x.example", "mara@x.example"])
    ]
    messages = [{**m, "number": 7, "kind": "discuss"} for m in mail]
    return FakeRows(
        transition=transitions, vote=[vote], proposal_message=messages, proposal=[{"number": 7, "title": "Joins"}]
    )


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("transitions", schemas.TRANSITION),
        ("votes", schemas.VOTE),
        ("messages", schemas.PROPOSAL_MESSAGE),
        ("proposals", schemas.PROPOSAL),
    ],
)
def test_the_lake_and_spark_agree_on_the_shape_of_history(name: str, schema: Any) -> None:
    assert to_arrow_schema(schema, timezone="UTC").equals(lake.HISTORY[name][1])


def test_exported_history_keeps_every_row_and_replaces_an_earlier_export(tmp_path: Path) -> None:
    lake.export_history(FakeRows(proposal=[{"number": n, "title": "t"} for n in range(9)]), tmp_path)
    lake.export_history(make_history(), tmp_path)
    table = pq.read_table(tmp_path / "transitions")
    assert table.column("target").to_pylist() == ["Draft", "Discussion", "Vote"]
    assert pq.read_table(tmp_path / "proposals").to_pylist() == [{"number": 7, "title": "Joins"}]
    assert [p.name for p in (tmp_path / "proposals").iterdir()] == ["history.parquet"]


def test_the_history_of_the_real_store_is_exported(odd_mbox: Path, tmp_path: Path) -> None:
    policy, roster = Policy(version="1", binding_roles=frozenset({"pmc"})), Roster(())
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}", CommunityRules(roster=roster, policy=policy, prefix="KIP"))
    store.migrate()
    items = read_mbox(odd_mbox, FileReading(list_id="dev@list.example", month="2026-03", prefix="KIP"))
    with store.begin() as session:
        session.mail.save_messages((item for item in items if isinstance(item, Message)), seen_at=AS_OF)
        for number in session.history.load_numbers():
            facts = load_facts(session, number)
            decision = decide(facts, policy, AS_OF + timedelta(days=30))
            if decision is not None:
                session.history.append(decision.history, recorded_at=AS_OF)
                session.history.save_decision(decision, facts.proposal)
        lake.export_history(session.metrics, tmp_path / "history")
    tables = {name: pq.read_table(tmp_path / "history" / name) for name in lake.HISTORY}
    assert {name: table.schema for name, table in tables.items()} == {n: s for n, (_, s) in lake.HISTORY.items()}
    assert all(table.num_rows for table in tables.values())
    stages = [r["target"] for r in tables["transitions"].to_pylist() if r["number"] == 7]
    assert "Vote" in stages
    assert {r["key"] for r in tables["votes"].to_pylist()} >= {"KIP-7"}


def test_figures_of_a_job_that_did_not_finish_are_refused(tmp_path: Path) -> None:
    (tmp_path / "summary").mkdir()
    with pytest.raises(UnreadableInput, match="no finished Spark job"):
        lake.load_metrics(tmp_path)


_TRACE = """
26/03/02 09:00:00 WARN FileStreamSink: Error while looking for metadata directory in the path: /in/votes.
Caused by: java.lang.RuntimeException: corrupted file: the footer index is not within the file
\tat org.apache.spark.util.SparkErrorUtils.tryWithSafeFinally(SparkErrorUtils.scala:86)
\t... 32 more
26/03/02 09:00:01 ERROR TaskSetManager: Task 0 in stage 31.0 failed 1 times; aborting job
"""


@pytest.mark.parametrize(
    ("stdout", "stderr", "reason"),
    [
        ("lifecycle_metrics: no such path\n\nother words\n", _TRACE, "lifecycle_metrics: no such path"),
        ("", _TRACE, "Caused by: java.lang.RuntimeException: corrupted file: the footer index is not within the file"),
        ("Traceback\n  main()\nValueError: no month\n", "WARN: old\n", "ValueError: no month"),
        ("", "JAVA_HOME is not set\n\n", "JAVA_HOME is not set"),
        (" \n", "", "no output"),
    ],
    ids=["the job's own line", "an error of the JVM", "an error of Python", "neither", "silence"],
)
def test_a_failed_job_is_explained_by_the_line_that_says_most(stdout: str, stderr: str, reason: str) -> None:
    assert find_reason("lifecycle_metrics", stdout, stderr) == reason


def submit_metrics(
    home: Path, source: Path, *, master: str = "local[2]", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the job as Airflow would, from a folder of its own, with its results in `home`/out."""
    env = dict(os.environ if environment is None else environment)
    arguments = ["--input", str(source), "--as-of", AS_OF.isoformat(), "--out", str(home / "out")]
    with patch.dict(os.environ, env, clear=True):
        command, variables = java.submit_command(home, "lifecycle_metrics", arguments, master=master)
    env.update(variables)
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=240, cwd=home)


def hide_java(folder: Path) -> dict[str, str]:
    """This process's variables as a machine without Java would have them: same programs, no `java`."""
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if not program.name.startswith("java"):
                link = folder / program.name
                link.unlink(missing_ok=True)
                link.symlink_to(program)
    return {**{k: v for k, v in os.environ.items() if k != "JAVA_HOME"}, "PATH": str(folder)}


@pytest.mark.spark
def test_the_job_runs_through_spark_submit_on_a_machine_without_java(tmp_path: Path) -> None:
    lake.export_history(make_history(), tmp_path / "in")
    without_java = hide_java(tmp_path / "bin")
    assert shutil.which("java", path=without_java["PATH"]) is None
    run = submit_metrics(tmp_path, tmp_path / "in", environment=without_java)
    assert run.returncode == 0, run.stdout + run.stderr
    figures = {(r.name, r.dimension): (r.value, r.unit) for r in lake.load_metrics(tmp_path / "out")}
    assert figures["stage_days_median", "Discussion"] == (28.0, "days")
    assert figures["open_votes", ""] == (1.0, "count")
    assert figures["first_reply_hours_median", ""] == (24.0, "hours")
    tables = {p.name for p in (tmp_path / "out").iterdir()}
    assert tables == {"stage_visits", "stage_durations", "throughput", "open_votes", "first_reply", "summary"}
    assert (tmp_path / "java" / "bin" / "java").is_file()
    assert not list(tmp_path.glob("spark-warehouse*"))


@pytest.mark.spark
def test_an_absent_table_is_one_clear_line(tmp_path: Path) -> None:
    run = submit_metrics(tmp_path, tmp_path / "nowhere")
    assert run.returncode != 0
    lines = [line for line in run.stdout.splitlines() if line.strip()]
    assert len(lines) == 1
    assert lines[0].startswith("lifecycle_metrics:")
    assert "nowhere/transitions" in lines[0]
    assert "Traceback" not in run.stderr
    assert find_reason("lifecycle_metrics", run.stdout, run.stderr) == lines[0]

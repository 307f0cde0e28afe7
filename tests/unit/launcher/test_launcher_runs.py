"""The first runs after a start: what fails is not called read, and nothing is left paused."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from kipflow.launcher.api import DagRun
from kipflow.launcher.progress import Progress
from kipflow.launcher.runs import ADVANCE, BACKFILL, POLL, SYNC, WaitContext, run_dags
from kipflow.services.conditions import DAGS


class FakeAirflow:
    """Runs end at once; those of `failing` fail."""

    def __init__(self, *failing: str) -> None:
        self.failing = failing
        self.paused = set(DAGS)
        self.runs: list[DagRun] = []

    def fetch_dags(self) -> dict[str, bool]:
        return dict.fromkeys(DAGS, True)

    def ensure_pool(self, name: str, *, slots: int, description: str) -> None: ...

    def unpause(self, dag_id: str) -> None:
        self.paused.discard(dag_id)

    def trigger(self, dag_id: str) -> None:
        state = "failed" if dag_id in self.failing else "success"
        self.runs.insert(0, DagRun(dag_id=dag_id, run_id=f"r{len(self.runs)}", state=state))

    def fetch_runs(self, dag_id: str, limit: int = 50) -> list[DagRun]:
        return [run for run in self.runs if run.dag_id == dag_id][:limit]

    def fetch_active(self) -> list[DagRun]:
        return []

    def is_awaited(self, _dag_id: str) -> bool:
        return False

    def fetch_task_states(self, _run: DagRun) -> list[tuple[str, str | None, int]]:
        return [("land_range", "failed", 1)]


def start(airflow: FakeAirflow, logs: Path) -> tuple[list[str], str]:
    out = io.StringIO()
    waiting = WaitContext(
        api=airflow,  # type: ignore[arg-type]  # as much of it as is used
        progress=Progress(Console(file=out, width=200)),
        seconds=60,
        task_logs=logs,
        check_alive=lambda: None,
    )
    return run_dags(waiting), out.getvalue()


def test_an_archive_that_is_away_is_reported_and_leaves_no_dag_paused(tmp_path: Path) -> None:
    airflow = FakeAirflow(BACKFILL)
    failed, shown = start(airflow, tmp_path)
    [line] = failed
    assert line.startswith("kip_backfill failed at land_range: ")
    assert "✗ Mail archive and wiki are read for the first time: kip_backfill failed" in shown
    assert "✓ Mail" not in shown
    assert "✓ Stages, index, Slack and metrics follow" in shown
    assert airflow.paused == set()
    assert airflow.fetch_runs(POLL) == [], "nobody waits for what will most likely fail again"


def test_where_all_is_read_every_dag_has_run(tmp_path: Path) -> None:
    airflow = FakeAirflow()
    failed, shown = start(airflow, tmp_path)
    assert failed == []
    assert "✓ Mail archive and wiki are read for the first time" in shown
    assert {run.dag_id for run in airflow.runs} == set(DAGS)


def test_what_waited_when_it_was_stopped_is_delivered(tmp_path: Path) -> None:
    airflow = FakeAirflow()
    start(airflow, tmp_path)
    before = len(airflow.runs)
    start(airflow, tmp_path)
    again = {run.dag_id for run in airflow.runs[: len(airflow.runs) - before]}
    assert again >= {POLL, SYNC, ADVANCE, "kip_update_index", "kip_notify_slack"}
    assert BACKFILL not in again


class ReadAgainLate(FakeAirflow):
    """A DAG is not found for a moment, as after a lock on Airflow's database it is once its file is read again."""

    late = 0

    def trigger(self, dag_id: str) -> None:
        assert not (self.late and dag_id == ADVANCE), "404: not found"
        super().trigger(dag_id)
        self.late = 3

    def fetch_dags(self) -> dict[str, bool]:
        self.late = max(0, self.late - 1)
        return {dag_id: True for dag_id in DAGS if not (self.late and dag_id == ADVANCE)}

    def fetch_import_errors(self) -> list[str]:
        return []


def test_a_dag_that_is_not_found_for_a_moment_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kipflow.launcher.runs.POLL_SECONDS", 0.01)
    failed, _ = start(airflow := ReadAgainLate(), tmp_path)
    assert failed == []
    assert {run.dag_id for run in airflow.runs} == set(DAGS)


class AwayForLong(FakeAirflow):
    """The source's run goes on and on: its task failed twice, and waits for its third try."""

    def trigger(self, dag_id: str) -> None:
        super().trigger(dag_id)
        if dag_id in self.failing:
            self.runs[0] = replace(self.runs[0], state="running")

    def fetch_active(self) -> list[DagRun]:
        return [run for run in self.runs if run.state == "running"]

    def fetch_task_states(self, _run: DagRun) -> list[tuple[str, str | None, int]]:
        return [("sync_pages", "up_for_retry", 2), ("sync_tickets", None, 0)]


def write_tries(logs: Path, *lines: str) -> None:
    folder = logs / f"dag_id={SYNC}" / "run_id=r1" / "task_id=sync_pages"
    folder.mkdir(parents=True)
    for number, line in enumerate(lines, 1):
        (folder / f"attempt={number}.log").write_text(line)


RAISED = '{"level":"error","event":"Task failed","error_detail":[{"exc_type":"ServiceUnavailable","exc_value":"away"}]}'
KILLED = '{"level":"info","event":"Pre Execute"}'


def test_nobody_waits_for_what_airflow_tries_again_and_again(tmp_path: Path) -> None:
    airflow = AwayForLong(SYNC)
    write_tries(tmp_path, RAISED, RAISED)
    failed, shown = start(airflow, tmp_path)
    [line] = failed
    assert line.startswith("kip_sync_wiki failed at sync_pages: ServiceUnavailable: away")
    assert "✗ Mail archive and wiki are read for the first time: kip_sync_wiki failed" in shown
    assert "✓ Stages, index, Slack and metrics follow" in shown
    assert airflow.paused == set()


class AwayAndDueAgain(AwayForLong):
    """Meanwhile its timetable comes round too: that run is queued until the one that is stuck has ended."""

    def fetch_active(self) -> list[DagRun]:
        active = super().fetch_active()
        return [*active, *(replace(run, run_id="scheduled", state="queued") for run in active)]


def test_nobody_waits_for_a_run_that_is_queued_behind_one_that_is_stuck(tmp_path: Path) -> None:
    write_tries(tmp_path, RAISED, RAISED)
    [line] = start(AwayAndDueAgain(SYNC), tmp_path)[0]
    assert line.startswith("kip_sync_wiki failed at sync_pages: ")


class KilledTwice(AwayForLong):
    """Two tries hung and were killed while Airflow's database was locked; the third ends well, a while later."""

    asked = 0

    def fetch_task_states(self, run: DagRun) -> list[tuple[str, str | None, int]]:
        self.asked += 1
        if self.asked == 5:
            self.runs = [replace(run, state="success") for run in self.runs]
        return super().fetch_task_states(run)


def test_a_task_that_was_killed_does_not_make_its_service_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kipflow.launcher.runs.POLL_SECONDS", 0.01)
    airflow = KilledTwice(SYNC)
    write_tries(tmp_path, KILLED, RAISED)
    failed, shown = start(airflow, tmp_path)
    assert failed == []
    assert "✓ Mail archive and wiki are read for the first time" in shown

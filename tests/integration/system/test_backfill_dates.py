"""Airflow's own backfill over past dates, under the real scheduler: the same history, and no news."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kipflow.domain.errors import LaunchFailed
from kipflow.launcher.api import CONFLICT, AirflowApi
from tests.integration.system.running import Instance, run_kipflow
from tests.ports import find_free_port

pytestmark = [pytest.mark.system, pytest.mark.airflow, pytest.mark.spark, pytest.mark.timeout(1_500)]

DAG = "kip_advance_stages"
FOLLOWERS = ("kip_update_index", "kip_notify_slack", "kip_lifecycle_metrics")
DAYS = 2
#: So many proposals that had come to rest long before are decided anew too.
AT_REST = 6
UNFINISHED_BACKFILLS = (
    "SELECT b.id, count(r.id) FROM backfill b LEFT JOIN backfill_dag_run r ON r.backfill_id = b.id "
    "WHERE b.dag_id = ? AND b.completed_at IS NULL GROUP BY b.id"
)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """An instance that runs every twelve hours, and next in six, so that only what a test starts is at work."""
    home, ui_port, sandbox_port = tmp_path_factory.mktemp("dates"), find_free_port(), find_free_port()
    hour = (datetime.now(UTC).hour + 6) % 12
    every = {"KIPFLOW_EVERY": f"0 {hour},{hour + 12} * * *"}
    try:
        first = run_kipflow(home, ui_port, sandbox_port, "up", **every)
        assert first.returncode == 0, first.stdout[-3000:] + first.stderr[-3000:]
        yield Instance(home=home, ui_port=ui_port, sandbox_port=sandbox_port, first=first)
    finally:
        run_kipflow(home, ui_port, sandbox_port, "down")


def find_numbers(instance: Instance, since: datetime) -> list[int]:
    """The proposals that moved since then, and some of the others. Each costs a task on every date."""
    moved = "SELECT DISTINCT number FROM standing_transitions WHERE at >= ? ORDER BY number"
    still = "SELECT number FROM standing_transitions GROUP BY number HAVING max(at) < ? ORDER BY number LIMIT ?"
    text = f"{since:%Y-%m-%d %H:%M:%S}"
    return [n for (n,) in instance.ask(moved, text)] + [n for (n,) in instance.ask(still, text, AT_REST)]


def standing(instance: Instance, numbers: list[int]) -> list[tuple[str, str]]:
    """Time and id of the entries of these proposals that stand."""
    sql = "SELECT at, id, number FROM standing_transitions ORDER BY id"
    return [(str(at), str(entry)) for at, entry, number in instance.ask(sql) if number in numbers]


def forget_decisions(instance: Instance, numbers: list[int]) -> None:
    """Leave only the facts of these proposals, all to be decided on: as where kipflow is set up over old archives."""
    chosen = [(number,) for number in numbers]
    with closing(sqlite3.connect(instance.home / "sandbox.db", timeout=60)) as database, database:
        for change in ("update", "delete"):
            database.execute(f"DROP TRIGGER transition_refuses_{change}")
        for table in ("transition", "ballot", "vote", "review_item", "outbox", "pending"):
            database.executemany(f"DELETE FROM {table} WHERE number = ?", chosen)  # noqa: S608 - our names
        database.executemany(
            "UPDATE proposal SET stage = NULL, since = NULL, decided_at = NULL, policy_version = NULL, rules = NULL, "
            "next_deadline = NULL WHERE number = ?",
            chosen,
        )
        database.executemany("INSERT INTO pending (number, token) VALUES (?, 'all')", chosen)


def backfill(instance: Instance, api: AirflowApi, first: datetime, last: datetime, behaviour: str) -> None:
    """Ask Airflow for a backfill, again where its SQLite file was locked.

    Airflow saves a backfill first and its runs after: locked in between, it leaves one without runs, which refuses
    every other until it is cancelled.
    """
    body = {
        "dag_id": DAG,
        "from_date": first.isoformat(),
        "to_date": last.isoformat(),
        "max_active_runs": 1,
        "reprocess_behavior": behaviour,
    }
    for attempt in range(40):
        try:
            api._send("POST", "/api/v2/backfills", json=body)
        except LaunchFailed as error:
            passing = "Database is locked" in str(error) or "already a running backfill" in str(error)
            if not passing or attempt == 39:
                raise
            for backfill_id, runs in instance.ask_airflow(UNFINISHED_BACKFILLS, DAG):
                if runs:
                    return
                api._send("PUT", f"/api/v2/backfills/{backfill_id}/cancel", accept=CONFLICT)
            time.sleep(3)
        else:
            return


def wait_for_backfill(instance: Instance, api: AirflowApi) -> None:
    deadline = time.monotonic() + 900
    while instance.ask_airflow("SELECT count(*) FROM backfill WHERE completed_at IS NULL")[0][0]:
        assert time.monotonic() < deadline, (
            f"the backfill does not end: {api.find_health()}, {find_unfinished(instance)}"
        )
        time.sleep(2)
    wait_idle(api)


def find_unfinished(instance: Instance) -> list[Any]:
    """What a backfill that does not end waits for: its runs, and the tasks of the DAG that have not succeeded."""
    runs = instance.ask_airflow("SELECT run_id, state FROM dag_run WHERE backfill_id IS NOT NULL")
    tasks = instance.ask_airflow(
        "SELECT run_id, task_id, map_index, state, try_number, start_date, last_heartbeat_at, pid FROM task_instance "
        "WHERE dag_id = ? AND (state IS NULL OR state NOT IN ('success', 'skipped'))",
        DAG,
    )
    return [*runs, *tasks]


def pause_followers(api: AirflowApi) -> None:
    """Let nothing run but the decisions: a saved index would start them for now in the midst of past dates."""
    for dag_id in FOLLOWERS:
        api._send("PATCH", f"/api/v2/dags/{dag_id}", json={"is_paused": True})


def wait_idle(api: AirflowApi) -> None:
    """Until no run is active, seen twice in a row. Events may wait for DAGs that are paused."""
    deadline, seen = time.monotonic() + 600, 0
    while seen < 2:
        assert time.monotonic() < deadline, "Airflow does not come to rest"
        seen = 0 if api.fetch_active() else seen + 1
        time.sleep(2)


def ask_backfilled(instance: Instance) -> list[Any]:
    sql = "SELECT logical_date, state FROM dag_run WHERE dag_id = ? AND run_type = 'backfill' ORDER BY logical_date"
    return instance.ask_airflow(sql, DAG)


def test_airflows_backfill_writes_the_history_that_runs_at_the_time_would_have(decided: Instance) -> None:
    assert decided.ask("SELECT key FROM outbox WHERE status = 'sent'")
    now = datetime.now(UTC)
    first = (now - timedelta(days=DAYS)).replace(hour=0, minute=0, second=0, microsecond=0)
    with decided.api() as api:
        decided.wait_quiet(api, 300)
        pause_followers(api)
        numbers = find_numbers(decided, first)
        before = standing(decided, numbers)
        assert len(numbers) > 2 * AT_REST
        forget_decisions(decided, numbers)
        backfill(decided, api, first, now, "none")
        wait_for_backfill(decided, api)

        runs = ask_backfilled(decided)
        assert len(runs) >= 2 * DAYS
        assert {state for _, state in runs} == {"success"}
        last = str(runs[-1][0])[:26]
        assert standing(decided, numbers) == [(at, entry) for at, entry in before if at <= last]
        recorded = decided.ask("SELECT number, recorded_at, run_id FROM transition")
        mine = [(str(at), run) for number, at, run in recorded if number in numbers]
        hour = f"{now - timedelta(hours=1):%Y-%m-%d %H:%M:%S}"
        assert min(at for at, _ in mine) >= hour, "recorded when it was made up for"
        grown = {run for _, run in mine}
        assert len(grown) > 2, "date by date, not all by the last one"

        news = f"{now - timedelta(days=3, hours=1):%Y-%m-%d %H:%M:%S}"
        announced = (
            "SELECT count(*) FROM outbox o JOIN transition t ON o.key LIKE '%/' || t.id || '/slack' WHERE t.at < ?"
        )
        with closing(sqlite3.connect(f"file:{decided.home / 'sandbox.db'}?mode=ro", uri=True)) as database:
            assert database.execute(announced, (news,)).fetchone() == (0,), "what is past is not announced"


def test_a_backfill_that_is_repeated_adds_nothing_and_the_next_run_comes_up_to_now(decided: Instance) -> None:
    numbers = [number for (number,) in decided.ask("SELECT number FROM proposal")]
    before = standing(decided, numbers)
    now = datetime.now(UTC)
    with decided.api() as api:
        backfill(decided, api, now - timedelta(days=1), now, "completed")
        wait_for_backfill(decided, api)
    assert standing(decided, numbers) == before

    with decided.api() as api:
        api.trigger(DAG)
        wait_idle(api)
        assert api.fetch_runs(DAG, limit=1)[0].state == "success"
    assert set(before) <= set(standing(decided, numbers))
    proved = decided.run("replay")
    assert proved.returncode == 0, proved.stdout + proved.stderr

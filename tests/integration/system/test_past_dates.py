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
from tests.integration.system.running import Instance, assert_replay_agrees
from tests.waiting import wait_until

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
        guards = database.execute(
            "SELECT name, sql FROM sqlite_master WHERE name LIKE 'transition_refuses_%'"
        ).fetchall()
        for name, _ in guards:
            database.execute(f"DROP TRIGGER {name}")
        for table in ("transition", "ballot", "vote", "review_item", "outbox", "pending"):
            database.executemany(f"DELETE FROM {table} WHERE number = ?", chosen)  # noqa: S608 - our names
        database.executemany(
            "UPDATE proposal SET stage = NULL, since = NULL, decided_at = NULL, policy_version = NULL, rules = NULL, "
            "next_deadline = NULL WHERE number = ?",
            chosen,
        )
        database.executemany("INSERT INTO pending (number, token) VALUES (?, 'all')", chosen)
        for _, create in guards:
            database.execute(create)


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
    running = "SELECT count(*) FROM backfill WHERE completed_at IS NULL"
    assert wait_until(lambda: not instance.ask_airflow(running)[0][0], 900, every=2), (
        f"the backfill does not end: {api.find_health()}, {find_unfinished(instance)}"
    )
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


@pytest.fixture(scope="module", autouse=True)
def only_decisions(instance: Instance) -> Iterator[None]:
    """Nothing runs but the decisions: a saved index would start them for now in the midst of past dates."""
    with instance.api() as api:
        instance.wait_quiet(api, 300)
        for dag_id in FOLLOWERS:
            api.pause(dag_id)
    yield
    with instance.api() as api:
        for dag_id in FOLLOWERS:
            api.unpause(dag_id)
        instance.wait_quiet(api, 600)


def wait_idle(api: AirflowApi) -> None:
    """Until no run is active, seen twice in a row. Events may wait for DAGs that are paused."""
    deadline, seen = time.monotonic() + 600, 0
    while seen < 2:
        assert time.monotonic() < deadline, "Airflow does not come to rest"
        seen = 0 if api.fetch_active() else seen + 1
        if seen < 2:
            time.sleep(2)


def ask_backfilled(instance: Instance) -> list[Any]:
    sql = "SELECT logical_date, state FROM dag_run WHERE dag_id = ? AND run_type = 'backfill' ORDER BY logical_date"
    return instance.ask_airflow(sql, DAG)


def test_airflows_backfill_writes_the_history_that_runs_at_the_time_would_have(instance: Instance) -> None:
    assert instance.ask("SELECT key FROM outbox WHERE status = 'sent'")
    now = datetime.now(UTC)
    first = (now - timedelta(days=DAYS)).replace(hour=0, minute=0, second=0, microsecond=0)
    with instance.api() as api:
        numbers = find_numbers(instance, first)
        before = standing(instance, numbers)
        assert len(numbers) > 2 * AT_REST
        forget_decisions(instance, numbers)
        backfill(instance, api, first, now, "none")
        wait_for_backfill(instance, api)

        runs = ask_backfilled(instance)
        assert len(runs) >= 2 * DAYS
        assert {state for _, state in runs} == {"success"}
        last = str(runs[-1][0])[:26]
        assert standing(instance, numbers) == [(at, entry) for at, entry in before if at <= last]
        recorded = instance.ask("SELECT number, recorded_at, run_id FROM transition")
        mine = [(str(at), run) for number, at, run in recorded if number in numbers]
        hour = f"{now - timedelta(hours=1):%Y-%m-%d %H:%M:%S}"
        assert min(at for at, _ in mine) >= hour, "recorded when it was made up for"
        grown = {run for _, run in mine}
        assert len(grown) > 2, "date by date, not all by the last one"

        news = f"{now - timedelta(days=3, hours=1):%Y-%m-%d %H:%M:%S}"
        announced = (
            "SELECT count(*) FROM outbox o JOIN transition t ON o.key LIKE '%/' || t.id || '/slack' WHERE t.at < ?"
        )
        with closing(sqlite3.connect(f"file:{instance.home / 'sandbox.db'}?mode=ro", uri=True)) as database:
            assert database.execute(announced, (news,)).fetchone() == (0,), "what is past is not announced"


def test_a_backfill_that_is_repeated_adds_nothing_and_the_next_run_comes_up_to_now(instance: Instance) -> None:
    numbers = [number for (number,) in instance.ask("SELECT number FROM proposal")]
    before = standing(instance, numbers)
    now = datetime.now(UTC)
    with instance.api() as api:
        backfill(instance, api, now - timedelta(days=1), now, "completed")
        wait_for_backfill(instance, api)
    assert standing(instance, numbers) == before

    with instance.api() as api:
        api.trigger(DAG)
        wait_idle(api)
        assert api.fetch_runs(DAG, limit=1)[0].state == "success"
    assert set(before) <= set(standing(instance, numbers))
    assert_replay_agrees(instance)

"""What the DAGs' own steps do around the services: which time, which database, what counts as new or failed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kipflow.domain.facts import ArchiveMonth
from kipflow.services.away import load_outages
from kipflow.services.effectrules import EffectRules
from kipflow.services.landing import WantedMonth
from tests.unit.services.stores import open_memory

pytestmark = pytest.mark.airflow

NOW = datetime(2026, 3, 5, 9, tzinfo=UTC)
CHOSEN = datetime(2026, 1, 1, 13, tzinfo=timezone(timedelta(hours=1)))
SANDBOX = "http://sandbox.example/clock"


def context(run_type: str, logical_date: datetime | None, *, pressed: datetime = NOW) -> Mapping[str, Any]:
    """A run as a task sees it: its type is no plain word there."""
    from airflow.sdk.api.datamodels._generated import DagRunType

    run = SimpleNamespace(run_type=DagRunType(run_type), logical_date=logical_date, run_after=pressed)
    return {"dag_run": run}


def community_at(now: datetime, *, clock: str | None = None) -> Any:
    return SimpleNamespace(clock=lambda: now, community=SimpleNamespace(clock=clock))


@pytest.mark.parametrize(
    ("run_type", "date", "now", "clock", "decided"),
    [
        # repeated, it decides the same
        *((kind, CHOSEN, NOW, None, CHOSEN) for kind in ("manual", "backfill", "scheduled")),
        # without a date it decides as of the community's now
        *((kind, None, NOW, None, NOW) for kind in ("asset_triggered", "manual")),
        # where the community has a clock of its own, only a date that was chosen counts
        ("scheduled", CHOSEN, NOW, SANDBOX, NOW),
        *((kind, CHOSEN, NOW, SANDBOX, CHOSEN) for kind in ("backfill", "manual")),
        # what "Trigger" fills in is none, whether that clock is behind or ahead
        *(
            ("manual", NOW - timedelta(seconds=3), NOW - lag, SANDBOX, NOW - lag)
            for lag in (timedelta(seconds=7), timedelta(hours=20), timedelta(days=-3))
        ),
        # the browser's clock may be ahead; and a scheduled run never decides ahead of the community's
        ("manual", NOW + timedelta(seconds=90), NOW, None, NOW),
        ("scheduled", NOW + timedelta(seconds=5), NOW, None, NOW),
    ],
)
def test_a_run_decides_as_of_the_date_that_was_meant(
    run_type: str, date: datetime | None, now: datetime, clock: str | None, decided: datetime
) -> None:
    from kip_dags.parts import find_as_of

    assert find_as_of(context(run_type, date), community_at(now, clock=clock)) == decided


@pytest.mark.parametrize("run_type", ["manual", "backfill"])
def test_a_date_that_has_not_come_is_refused(run_type: str) -> None:
    from airflow.sdk.exceptions import AirflowFailException
    from kip_dags.parts import find_as_of

    with pytest.raises(AirflowFailException, match="has not come yet"):
        find_as_of(context(run_type, NOW + timedelta(hours=1)), community_at(NOW))


def test_the_database_is_that_of_the_connections_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.sdk import Connection

    from kipflow.wiring.environment import build_database_url

    fields = {"conn_type": "postgres", "host": "db.example", "login": "kip", "password": "p@ss/word", "schema": "facts"}
    monkeypatch.setenv("AIRFLOW_CONN_KIPFLOW_DB", json.dumps(fields))

    url = build_database_url(Connection.get("kipflow_db"))

    assert url.drivername == "postgresql+psycopg"
    assert (url.host, url.username, url.password, url.database) == ("db.example", "kip", "p@ss/word", "facts")
    assert "p@ss" not in str(url)


def test_a_sqlite_file_is_named_by_its_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from airflow.sdk import Connection

    from kipflow.wiring.environment import build_database_url

    fields = {
        "conn_type": "generic",
        "schema": str(tmp_path / "a b.db"),
        "extra": {"drivername": "sqlite", "query": {}},
    }
    monkeypatch.setenv("AIRFLOW_CONN_KIPFLOW_DB", json.dumps(fields))

    assert build_database_url(Connection.get("kipflow_db")).database == str(tmp_path / "a b.db")


def test_a_service_without_a_connection_has_no_token() -> None:
    from kip_dags.parts import _find_token

    assert "AIRFLOW_CONN_KIPFLOW_ABSENT" not in os.environ
    assert _find_token("kipflow_absent") is None


def test_nothing_new_skips_the_announcement() -> None:
    from airflow.sdk.exceptions import AirflowSkipException
    from kip_dags.parts import skip_unless_new

    with pytest.raises(AirflowSkipException):
        skip_unless_new([{"new": 0, "known": 7}, None], "new")
    assert skip_unless_new([None, {"new": 2}, {"new": 3}], "new") == 5


class LazyCounts(list[int]):
    """What mapped tasks returned, as Airflow gives it: asked for one behind the last, it logs an error."""

    def __iter__(self) -> Any:
        raise AssertionError("XCom not found")


def test_the_changes_of_all_parts_are_asked_for_at_once(dags: dict[str, Any]) -> None:
    from airflow.sdk.exceptions import AirflowSkipException

    announce, close = (
        dags["kip_advance_stages"].get_task(name).python_callable for name in ("announce_transitions", "close")
    )
    assert (announce(LazyCounts([2, 1]), [{}, {}]), close(LazyCounts([2, 1]))) == (3, 2)
    assert announce(LazyCounts([0]), [{}, {}]) == 0, "the part that failed may have brought some"
    with pytest.raises(AirflowSkipException):
        announce(LazyCounts([0]), [{}])


def test_of_a_reading_that_was_skipped_nothing_is_asked(monkeypatch: pytest.MonkeyPatch, dags: dict[str, Any]) -> None:
    task = dags["kip_poll_threads"].get_task("announce_messages")
    assert task.op_args == (), "an argument of a task that was skipped is an error in the log"
    returned = {"read_in_process": {"new": 2}}

    def pull(task_ids: list[str]) -> list[dict[str, int] | None]:
        return [returned.get(name) for name in task_ids]

    context = {"task": task, "ti": SimpleNamespace(xcom_pull=pull)}
    monkeypatch.setitem(task.python_callable.__globals__, "get_current_context", lambda: context)
    assert task.python_callable() == 2


def test_a_task_that_is_tried_again_finds_its_batch_and_old_batches_go(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from kip_dags.spark import KEPT, find_batch, prune_batches

    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path))
    batches = [
        find_batch(SimpleNamespace(dag_id="kip_backfill", run_id=f"manual__2026-03-0{day}T09:00:00+00:00"))
        for day in range(1, 8)
    ]
    for age, batch in enumerate(reversed(batches)):
        batch.folder.mkdir(parents=True)
        os.utime(batch.folder, (1_000_000 - age, 1_000_000 - age))

    prune_batches(batches[-1])

    again = find_batch(SimpleNamespace(dag_id="kip_backfill", run_id="manual__2026-03-07T09:00:00+00:00"))
    assert again == batches[-1]
    assert [batch.folder.is_dir() for batch in batches] == [False] * (len(batches) - KEPT - 1) + [True] * (KEPT + 1)


@pytest.mark.parametrize(("there", "fails"), [((), True), (("2026-02",), False)])
def test_only_an_archive_that_gives_nothing_at_all_fails_the_run_and_does_so_before_spark_starts(
    tmp_path: Path, there: tuple[str, ...], fails: bool
) -> None:
    from airflow.sdk.exceptions import AirflowFailException
    from kip_dags.mail import land
    from kip_dags.spark import Batch

    def fetch_month(list_id: str, month: str, target: Path, *, now: datetime) -> ArchiveMonth:
        target.touch()
        status = "complete" if month in there else "missing"
        return ArchiveMonth(list_id=list_id, month=month, status=status, fetched_at=now, path=str(target), why="503")

    parts: Any = SimpleNamespace(
        archive=SimpleNamespace(fetch_month=fetch_month),
        community=SimpleNamespace(name="x", archive=object(), reading={"prefix": "KIP"}),
        settings=SimpleNamespace(raw=tmp_path),
        clock=lambda: NOW,
        store=open_memory(),
    )
    wanted = [WantedMonth(list_id="dev@x.example", month=month, stats="s", mails=1) for month in ("2026-01", "2026-02")]

    if fails:
        with pytest.raises(AirflowFailException, match="none of the 2 months could be read: 503"):
            land(parts, Batch(folder=tmp_path / "lake" / "batch"), wanted)
    else:
        assert len(land(parts, Batch(folder=tmp_path / "lake" / "batch"), wanted)) == 2
    with parts.store.begin() as session:
        assert list(load_outages(session.marks)) == (["archive"] if fails else []), "and the board says so"


@pytest.mark.parametrize(("counts", "fails"), [((0, 3), True), ((2, 1), False), ((0, 0), False)])
def test_a_delivery_that_sends_nothing_of_what_is_due_fails(
    monkeypatch: pytest.MonkeyPatch, counts: tuple[int, int], fails: bool
) -> None:
    from airflow.sdk.exceptions import AirflowFailException
    from kip_dags import outbox

    from kipflow.services.ports import Report

    sent, failed = counts
    report = Report(counts={"sent": sent, "failed": failed, "postponed": 0})
    monkeypatch.setattr(outbox, "open_parts", lambda: SimpleNamespace(sends=True, clock=lambda: NOW, store=None))
    monkeypatch.setattr(outbox, "find_kinds", lambda parts, now: {"slack": object()})
    monkeypatch.setattr(outbox, "deliver", lambda store, handlers, now, by: report)

    if fails:
        with pytest.raises(AirflowFailException, match="none of 3"):
            outbox.deliver_kind("slack")
    else:
        assert outbox.deliver_kind("slack")["sent"] == sent


def test_dry_run_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.sdk.exceptions import AirflowSkipException
    from kip_dags import outbox

    monkeypatch.setattr(outbox, "open_parts", lambda: SimpleNamespace(sends=False))

    with pytest.raises(AirflowSkipException, match="dry-run"):
        outbox.deliver_kind("slack")


FAILED = {
    "task_instance": SimpleNamespace(dag_id="kip_poll_threads", task_id="ask", log_url="https://air.example/log"),
    "exception": ValueError("x"),
}


def test_who_operates_it_hears_of_a_task_that_failed_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kip_dags import alerts

    from tests.web.story import connect_board

    parts = connect_board(tmp_path)
    rules = EffectRules(prefix="KIP", sends=True, slack="send", channel="#kips", operators="#ops")
    monkeypatch.setattr(alerts, "open_parts", lambda: parts)
    monkeypatch.setattr(alerts, "effect_rules", lambda _: rules)
    alerts.report_task_failure(FAILED)
    alerts.report_task_failure(FAILED)
    assert [row.payload["text"] for row in parts.store.effects().rows] == [
        "kip_poll_threads.ask failed (ValueError): x"
    ]


def test_a_failure_that_nobody_can_be_informed_of_stays_a_failure_of_its_own(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from kip_dags import alerts

    monkeypatch.setattr(alerts, "open_parts", lambda: 1 / 0)
    alerts.report_task_failure(FAILED)
    assert "nobody could be notified of the failure of kip_poll_threads.ask" in caplog.text


def test_every_task_reports_its_failure_but_the_one_that_talks_to_slack(dags: dict[str, Any]) -> None:
    silent = {task.task_id for dag in dags.values() for task in dag.tasks if not task.has_on_failure_callback}
    assert silent == {"post_messages"}


def test_tickets_are_synced_by_the_service_and_not_by_what_the_dag_calls_its_tasks(
    dags: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = dags["kip_sync_wiki"].get_task("sync_tickets").python_callable
    store = open_memory()
    parts = SimpleNamespace(store=store, tickets=object(), clock=lambda: NOW)
    monkeypatch.setitem(step.__globals__, "open_parts", lambda: parts)
    assert step() == {"tickets_asked": 0, "tickets_changed": 0}

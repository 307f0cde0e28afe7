"""Airflow's own database: what people do is noted in its audit log, and the board says how its runs are."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from kipflow.adapters.airflowdb import load_runs, open_audit
from kipflow.domain.errors import ServiceUnavailable

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.airflow
def test_an_act_stands_in_airflows_own_log_as_airflow_reads_it(tmp_path: Path) -> None:
    from airflow.models.log import Log

    engine = sa.create_engine(f"sqlite:///{tmp_path / 'airflow.db'}")
    Log.metadata.create_all(engine, [Log.__table__])
    open_audit(engine.begin, lambda: NOW)("bvogel", "snooze", {"proposal": "7", "reason": "“away”"})
    with Session(engine) as session:
        [line] = session.scalars(sa.select(Log)).all()
    assert (line.dttm, line.event, line.owner) == (NOW, "kipflow_snooze", "bvogel")
    assert line.extra == '{"proposal": "7", "reason": "\\u201caway\\u201d"}'


@pytest.mark.airflow
def test_a_database_that_does_not_take_it_is_said_to_be_away() -> None:
    audit = open_audit(sa.create_engine("sqlite://").begin, lambda: NOW)
    with pytest.raises(ServiceUnavailable, match="no such table: log"):
        audit("bvogel", "snooze", {})


def test_paused_dags_and_those_whose_newest_run_failed_are_named() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        for line in (
            "CREATE TABLE dag (dag_id TEXT, is_paused BOOLEAN, is_stale BOOLEAN)",
            "CREATE TABLE dag_run (dag_id TEXT, state TEXT, run_after TIMESTAMP, end_date TIMESTAMP)",
            "INSERT INTO dag VALUES ('kip_a', 1, 0), ('kip_b', 0, 0), ('kip_old', 1, 1), ('kipper', 1, 0)",
            "INSERT INTO dag_run VALUES ('kip_a', 'failed', '2026-03-01', '2026-03-01 09:00:00.000000'),"
            " ('kip_a', 'success', '2026-03-02', '2026-03-02 09:00:00.000000'),"
            " ('kip_b', 'success', '2026-03-01', '2026-03-01 09:00:00.000000'),"
            " ('kip_b', 'failed', '2026-03-02', '2026-03-02 09:00:00.000000'),"
            " ('kip_b', 'running', '2026-03-03', NULL),"
            " ('kipper', 'failed', '2026-03-02', '2026-03-02 09:00:00.000000')",
        ):
            connection.exec_driver_sql(line)
        runs = load_runs(lambda: nullcontext(connection))
    assert runs.paused == ("kip_a",)
    assert runs.failed == {"kip_b": datetime(2026, 3, 2, 9, tzinfo=UTC)}


def test_an_airflow_whose_database_is_away_is_said_to_be() -> None:
    with sa.create_engine("sqlite://").connect() as connection, pytest.raises(ServiceUnavailable):
        load_runs(lambda: nullcontext(connection))

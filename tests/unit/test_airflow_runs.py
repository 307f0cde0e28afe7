"""What the board says of Airflow's runs, from tables such as Airflow has."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from kipflow.adapters.airflowdb import load_runs
from kipflow.domain.errors import ServiceUnavailable


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

"""From Airflow's connections to the application's parts, inside a running task."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError

from kipflow.settings import read_settings
from kipflow.wiring import Parts, Secrets, build_database_url, connect

#: Runs whose logical date was chosen on purpose. A scheduled run's is only its place in the timetable.
DELIBERATE = frozenset({"manual", "backfill"})


def open_parts() -> Parts:
    """The parts of the community that this Airflow runs for, its database by the connection `kipflow_db`."""
    secrets = Secrets(
        slack=_find_token("kipflow_slack"), wiki=_find_token("kipflow_wiki"), jira=_find_token("kipflow_jira")
    )
    return connect(read_settings(), database_url=build_database_url(Connection.get("kipflow_db")), secrets=secrets)


def find_as_of(context: Mapping[str, Any], parts: Parts) -> datetime:
    """The time to decide at: what a person or a backfill asked for, else the community's clock."""
    run = context["dag_run"]
    if run.logical_date is not None and str(run.run_type) in DELIBERATE:
        chosen: datetime = run.logical_date
        return chosen.astimezone(UTC)
    return parts.clock()


def _find_token(connection_id: str) -> str | None:
    try:
        return Connection.get(connection_id).password or None
    except (AirflowNotFoundException, AirflowRuntimeError):
        return None  # the community has no such service, or it needs no token

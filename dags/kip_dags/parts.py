"""Opens the application's parts from Airflow's connections, inside a running task."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowFailException, AirflowNotFoundException, AirflowRuntimeError

from kipflow.services.advance import CLOCK_SKEW
from kipflow.wiring import Parts, connect_by
from kipflow.wiring.environment import Secrets


def open_parts() -> Parts:
    """The parts of this Airflow's community; its database is the connection `kipflow_db`."""
    secrets = Secrets(
        slack=_find_token("slack_default"),
        wiki=_find_token("kipflow_wiki"),
        jira=_find_token("kipflow_jira"),
        mail=_find_token("kipflow_mail"),
    )
    return connect_by(Connection.get("kipflow_db"), secrets)


def find_as_of(context: Mapping[str, Any], parts: Parts) -> datetime:
    """The time to decide as of: the run's logical date, so that a repeated run decides the same; else now.

    The timetable, and the default date of "Trigger", follow this machine's clock. In a community with another clock
    (a sandbox), only a date that was chosen on purpose counts.

    Raises:
        AirflowFailException: the date is in the future; a decision as of it would block all others.
    """
    run, now = context["dag_run"], parts.clock()
    if run.logical_date is None:
        return now
    chosen: datetime = run.logical_date.astimezone(UTC)
    # inside a task this is an enum whose str() is "DagRunType.BACKFILL"; it equals its plain value
    deliberate = run.run_type == "backfill" or (run.run_type == "manual" and not _is_filled_in(run, chosen))
    if not deliberate and parts.community.clock is not None:
        return now
    if deliberate and chosen - now > CLOCK_SKEW:
        raise AirflowFailException(f"{chosen:%Y-%m-%d %H:%M} UTC has not come yet; it is {now:%Y-%m-%d %H:%M} UTC")
    return min(chosen, now)


def _is_filled_in(run: Any, chosen: datetime) -> bool:
    """Whether the date is the default of "Trigger": the time of the click, by the browser's clock."""
    return abs(run.run_after - chosen) <= CLOCK_SKEW


def _find_token(connection_id: str) -> str | None:
    try:
        return Connection.get(connection_id).password or None
    except (AirflowNotFoundException, AirflowRuntimeError):
        return None  # no such service, or it needs no token

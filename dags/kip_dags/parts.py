"""What tasks need: the application's parts from Airflow's connections, the time to decide as of, reports."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from airflow.sdk import Connection
from airflow.sdk.exceptions import (
    AirflowFailException,
    AirflowNotFoundException,
    AirflowRuntimeError,
    AirflowSkipException,
)

from kipflow.services.advance import CLOCK_SKEW
from kipflow.services.ports import Report
from kipflow.wiring import Parts, connect_by
from kipflow.wiring.environment import Secrets


def open_parts() -> Parts:
    """The parts of this Airflow's community; its database is the connection `kipflow_db`."""
    tokens = {service: _find_token(f"kipflow_{service}") for service in ("wiki", "jira", "mail")}
    return connect_by(Connection.get("kipflow_db"), Secrets(slack=_find_token("slack_default"), **tokens))


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
    # the default date of "Trigger" is the time of the click, by the browser's clock
    is_filled_in = abs(run.run_after - chosen) <= CLOCK_SKEW
    deliberate = run.run_type == "backfill" or (run.run_type == "manual" and not is_filled_in)
    if not deliberate and parts.community.clock is not None:
        return now
    if deliberate and chosen - now > CLOCK_SKEW:
        raise AirflowFailException(f"{chosen:%Y-%m-%d %H:%M} UTC has not come yet; it is {now:%Y-%m-%d %H:%M} UTC")
    return min(chosen, now)


def _find_token(connection_id: str) -> str | None:
    try:
        return Connection.get(connection_id).password or None
    except (AirflowNotFoundException, AirflowRuntimeError):
        return None  # no such service, or it needs no token


log = logging.getLogger(__name__)


def log_report(report: Report) -> dict[str, int]:
    """Log the report's warnings and return its counts."""
    for warning in report.warnings:
        log.warning("%s", warning)
    log.info("%s", ", ".join(f"{name}: {number}" for name, number in report.counts.items()))
    return dict(report.counts)


def skip_unless_new(counts: Iterable[Mapping[str, int] | None], *names: str) -> int:
    """The sum of the counts under `names`; skips the task if it is 0.

    A skipped task emits no asset event, so nothing starts downstream without need.
    """
    new = sum(each.get(name, 0) for each in counts if each for name in names)
    if not new:
        raise AirflowSkipException("nothing new")
    log.info("new: %d", new)
    return new

"""Task reports: counts for XCom, warnings for the log."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from airflow.sdk.exceptions import AirflowSkipException

from kipflow.services.ports import Report

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

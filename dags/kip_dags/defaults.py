"""Defaults of every DAG, and the assets by which DAGs trigger each other."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

from airflow.sdk import Asset, CronTriggerTimetable

from kip_dags.alerts import report_task_failure

#: New facts and new history. The events carry counts only; the data is in the store.
MESSAGES = Asset(name="kip_messages", uri="kip://messages", group="facts")
PAGES = Asset(name="kip_pages", uri="kip://pages", group="facts")
TRANSITIONS = Asset(name="kip_transitions", uri="kip://transitions", group="history")

TASK_DEFAULTS: dict[str, Any] = {
    "owner": "kipflow",
    "retries": 3,
    "retry_delay": timedelta(seconds=10),
    "retry_exponential_backoff": 3.0,
    "max_retry_delay": timedelta(minutes=15),
    "execution_timeout": timedelta(minutes=20),
    "on_failure_callback": report_task_failure,
}


def every(cron: str) -> CronTriggerTimetable:
    """A timetable in UTC without catchup; anything sooner is started by hand or by an asset."""
    return CronTriggerTimetable(cron, timezone="UTC", run_immediately=timedelta(0))


def often(cron: str) -> CronTriggerTimetable:
    """As `every`, unless `KIPFLOW_EVERY` replaces `cron`: in a fast sandbox an hour is too long to wait."""
    return every(os.environ.get("KIPFLOW_EVERY") or cron)


def describe_dag(doc: str | None, *tags: str, timeout: timedelta = timedelta(hours=2), runs: int = 1) -> dict[str, Any]:
    """The common arguments of kipflow's DAGs.

    Args:
        doc: the module's docstring, shown by Airflow as the DAG's documentation.
        tags: the DAG's subjects, besides "kipflow".
        timeout: after which a hanging run fails, so that the next can start.
        runs: the most concurrent runs; two would do the same work twice unless the tasks prevent it.
    """
    return {
        "doc_md": doc,
        "description": doc.strip().splitlines()[0] if doc else None,
        "tags": ["kipflow", *tags],
        "default_args": TASK_DEFAULTS,
        "catchup": False,
        "max_active_runs": runs,
        "dagrun_timeout": timeout,
    }

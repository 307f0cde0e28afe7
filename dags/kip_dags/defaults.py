"""Defaults of every DAG, and the assets by which one starts the next."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

from airflow.sdk import Asset, CronTriggerTimetable

from kip_dags.alerts import report_task_failure

#: New facts and new history. Their events carry counts; what is new lies in the store.
MESSAGES = Asset(name="kip_messages", uri="kip://messages", group="facts")
PAGES = Asset(name="kip_pages", uri="kip://pages", group="facts")
TRANSITIONS = Asset(name="kip_transitions", uri="kip://transitions", group="history")

SPARK_POOL = "spark"

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
    """A timetable in UTC whose first run is the next: what must happen at once is started by hand or event."""
    return CronTriggerTimetable(cron, timezone="UTC", run_immediately=timedelta(0))


def often(cron: str) -> CronTriggerTimetable:
    """As `every`, or as `KIPFLOW_EVERY` says: where a sandbox's hours are minutes, an hour is long to wait."""
    return every(os.environ.get("KIPFLOW_EVERY") or cron)


def describe_dag(doc: str | None, *tags: str, timeout: timedelta = timedelta(hours=2), runs: int = 1) -> dict[str, Any]:
    """The arguments that every DAG of kipflow is made with.

    Args:
        doc: the module's docstring; it is what Airflow shows as the DAG's documentation.
        tags: what the DAG is about, beside "kipflow".
        timeout: after which a run that never ends is failed, so that the next can start.
        runs: at once at most; two would do the same work twice, unless their tasks see to it.
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

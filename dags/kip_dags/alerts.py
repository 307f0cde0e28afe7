"""Slack alerts for operators: tasks that failed for good, and conditions that keep kipflow from working."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from airflow.sdk import get_current_context
from airflow.sdk.exceptions import AirflowRuntimeError

from kip_dags.parts import log, open_parts
from kipflow.services.alerts import Failure, report_failure
from kipflow.services.conditions import DAGS, report_conditions
from kipflow.services.ports import Runs
from kipflow.wiring import Parts, effect_rules, find_current_conditions

#: Variables whose values are masked in alerts. Shorter values would match in any text.
_SECRET = re.compile("TOKEN|PASSWORD|SECRET|KEY", re.IGNORECASE)
_SHORTEST = 6


def report_task_failure(context: Any) -> None:
    """Airflow's callback for a task that has no retry left."""
    task = context["task_instance"]
    failure = Failure(
        where=f"{task.dag_id}.{task.task_id}",
        cause=context.get("exception"),
        log_url=str(getattr(task, "log_url", "")),
        secrets=[value for name, value in os.environ.items() if _SECRET.search(name) and len(value) >= _SHORTEST],
    )
    try:
        parts = open_parts()
        report_failure(parts.store, failure, effect_rules(parts), now=parts.clock())
    except Exception:  # the task's own failure must stay visible, whatever fails here
        log.warning("nobody could be notified of the failure of %s", failure.where, exc_info=True)


def report_current_conditions(parts: Parts) -> None:
    """Notify operators of conditions that keep kipflow from working, once of each."""
    now = parts.clock()
    found = find_current_conditions(parts, now=now, runs=Runs(paused=tuple(_find_paused())))
    report_conditions(parts.store, found, effect_rules(parts), now=now)


def _find_paused() -> Iterator[str]:
    """The paused DAGs. Those for which Airflow's API fails are left out, so that the run can go on."""
    task = get_current_context()["ti"]
    for dag_id in DAGS:
        try:
            if task.get_dag(dag_id).is_paused:
                yield dag_id
        except AirflowRuntimeError:
            log.warning("Airflow does not say whether %s is switched on", dag_id)

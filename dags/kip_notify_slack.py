"""Post the outbox's Slack messages.

Each message is posted once, in order, within Slack's rate limit; a failed one waits longer each time. In
dry-run nothing is posted, and the board shows what would have been.

Runs after new history, and every ten minutes for messages that were postponed or have been approved.
"""

from __future__ import annotations

from airflow.sdk import AssetOrTimeSchedule, dag, task
from kip_dags.defaults import TRANSITIONS, describe_dag, every
from kip_dags.outbox import deliver_kind, plan_kind


@dag(
    dag_id="kip_notify_slack",
    schedule=AssetOrTimeSchedule(timetable=every("*/10 * * * *"), assets=TRANSITIONS),
    **describe_dag(__doc__, "effects", "slack"),
)
def kip_notify_slack() -> None:
    # waiting messages are sent even if planning failed
    @task(trigger_rule="all_done", on_failure_callback=None)  # a failure of Slack cannot be reported in Slack
    def post_messages() -> dict[str, int]:
        """Post the messages that are due."""
        return deliver_kind("slack")

    @task
    def plan_messages() -> dict[str, int]:
        """Put time-dependent messages into the outbox: digests, and notices of effects that await approval."""
        return plan_kind("slack")

    plan_messages() >> post_messages()


kip_notify_slack()

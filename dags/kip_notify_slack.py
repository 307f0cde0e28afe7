"""Post what the outbox holds for Slack.

Each message is posted once, in order, at Slack's pace; one that fails waits longer each time. Where the
community is in dry-run nothing is posted, and the board shows what would have been.

Runs after new history, and every ten minutes for what was postponed or has been approved since.
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
    # what waits already goes out even where nothing could be planned
    @task(trigger_rule="all_done", on_failure_callback=None)  # Slack cannot be notified that nothing reaches it
    def post_messages() -> dict[str, int]:
        """Post the messages that are due."""
        return deliver_kind("slack")

    @task
    def plan_messages() -> dict[str, int]:
        """Put into the outbox what time brings about: digests, and word of what waits for approval."""
        return plan_kind("slack")

    plan_messages() >> post_messages()


kip_notify_slack()

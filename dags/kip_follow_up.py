"""Do what people did by hand after a vote: update the proposal's page, mail the result, comment on the ticket.

For each kind of effect that the community's file enables, one task puts due effects into the outbox and withdraws
those no longer due, and one performs them. In dry-run none is performed; those that need approval wait on the board
and among the required actions. A community without any of these kinds has no such DAG.

Runs after new history, and every ten minutes for effects that were postponed or have been approved.
"""

from __future__ import annotations

from airflow.sdk import AssetOrTimeSchedule, dag, task
from kip_dags.defaults import TRANSITIONS, describe_dag, every
from kip_dags.outbox import deliver_kind, plan_kind

from kipflow.config.loading import load_community
from kipflow.config.settings import read_settings

_EFFECTS = load_community(read_settings().community).effects
KINDS = [kind for kind in ("page", "result", "handover", "ticket") if _EFFECTS.find_mode(kind) != "off"]


@dag(
    dag_id="kip_follow_up",
    schedule=AssetOrTimeSchedule(timetable=every("*/10 * * * *"), assets=TRANSITIONS),
    **describe_dag(__doc__, "effects", "wiki", "mail"),
)
def kip_follow_up() -> None:
    @task
    def plan(kind: str) -> dict[str, int]:
        """Put due effects of this kind into the outbox."""
        return plan_kind(kind)

    @task
    def send(kind: str) -> dict[str, int]:
        """Perform due effects of this kind."""
        return deliver_kind(kind)

    for kind in KINDS:
        plan.override(task_id=f"plan_{kind}")(kind) >> send.override(task_id=f"send_{kind}")(kind)


if KINDS:
    kip_follow_up()

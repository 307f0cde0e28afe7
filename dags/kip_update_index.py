"""Write the round-up of all proposals to the wiki's index page.

Only the round-up's tables are edited, every other byte of the page is kept, and an unchanged page is not
saved. Concurrent edits are not overwritten: the page is read again. If the community requires approval or
is in dry-run, the board shows the text and nothing is saved.

**Emits:** `kip://pages`, if the page was saved, because its rows now agree with the stages.

Runs after new history, and every ten minutes for edits that were postponed or have been approved.
"""

from __future__ import annotations

from airflow.sdk import AssetOrTimeSchedule, dag, task
from kip_dags.defaults import PAGES, TRANSITIONS, describe_dag, every
from kip_dags.outbox import deliver_kind, plan_kind
from kip_dags.parts import skip_unless_new


@dag(
    dag_id="kip_update_index",
    schedule=AssetOrTimeSchedule(timetable=every("*/10 * * * *"), assets=TRANSITIONS),
    **describe_dag(__doc__, "effects", "wiki"),
)
def kip_update_index() -> None:
    @task
    def render_round_up() -> dict[str, int]:
        """Put the edit that updates the index into the outbox, if it is out of date."""
        return plan_kind("index")

    @task
    def save_page() -> dict[str, int]:
        """Save the index page."""
        return deliver_kind("index")

    @task(outlets=[PAGES])
    def announce_index(saved: dict[str, int]) -> int:
        """Emit the asset event so that proposals with moved rows are decided again; skipped if nothing was saved."""
        return skip_unless_new([saved], "sent")

    saved = save_page()
    render_round_up() >> saved
    announce_index(saved)


kip_update_index()

"""Write the round-up of all proposals to the wiki's index page.

Only the round-up's tables are replaced, every other byte of the page is kept, and nothing is saved where
nothing changed. Someone who saved the page in between is not overwritten: the page is read again. Where
the community asks for approval or is in dry-run, the board shows the text and nothing is saved.

**Emits:** `kip://pages`, if the page was saved: its rows agree with the stages now.

Runs after new history, and every ten minutes for what was postponed or has been approved since.
"""

from __future__ import annotations

from airflow.sdk import AssetOrTimeSchedule, dag, task
from kip_dags.defaults import PAGES, TRANSITIONS, describe_dag, every
from kip_dags.outbox import deliver_kind, plan_kind
from kip_dags.reports import skip_unless_new


@dag(
    dag_id="kip_update_index",
    schedule=AssetOrTimeSchedule(timetable=every("*/10 * * * *"), assets=TRANSITIONS),
    **describe_dag(__doc__, "effects", "wiki"),
)
def kip_update_index() -> None:
    @task
    def render_round_up() -> dict[str, int]:
        """Put the edit that makes the index true into the outbox, if it is not true already."""
        return plan_kind("index")

    @task
    def save_page() -> dict[str, int]:
        """Save the index page."""
        return deliver_kind("index")

    @task(outlets=[PAGES])
    def announce_index(saved: dict[str, int]) -> int:
        """Let the proposals whose rows moved be looked at again; skipped where nothing was saved."""
        return skip_unless_new([saved], "sent")

    saved = save_page()
    render_round_up() >> saved
    announce_index(saved)


kip_update_index()

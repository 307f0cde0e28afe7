"""Store changes of the wiki and the ticket tracker.

Fetches new versions of proposal pages, the rows of the index page, and the fix versions of the tickets that
pages and rows name. A page that cannot be read does not fail the run: it is stored as unreadable, with the
reason, and shown on the board.

**Emits:** `kip://pages`, if any page, row or ticket is new.
"""

from __future__ import annotations

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowSkipException
from kip_dags.defaults import PAGES, describe_dag, often
from kip_dags.parts import log_report, open_parts, skip_unless_new

from kipflow.services import sync, tickets
from kipflow.services.checks import check_pages
from kipflow.wiring import effect_rules, page_norms


@dag(
    dag_id="kip_sync_wiki",
    schedule=often("22 * * * *"),
    **describe_dag(__doc__, "wiki"),
)
def kip_sync_wiki() -> None:
    @task
    def sync_pages() -> dict[str, int]:
        """Store new page versions and index rows."""
        parts = open_parts()
        if parts.wiki is None or parts.community.wiki is None:
            raise AirflowSkipException(f"community {parts.community.name} has no wiki")
        report = sync.sync_wiki(
            parts.store,
            parts.wiki,
            index_page=parts.community.wiki.index_page,
            prefix=parts.community.prefix,
            as_of=parts.clock(),
        )
        return log_report(report)

    @task
    def sync_tickets() -> dict[str, int]:
        """Store the state of the tickets that the pages name."""
        parts = open_parts()
        if parts.tickets is None:
            raise AirflowSkipException(f"community {parts.community.name} has no ticket tracker")
        return log_report(tickets.sync_tickets(parts.store, parts.tickets, as_of=parts.clock()))

    # two announcements: an unavailable ticket tracker must not hold back changes of the wiki
    @task(outlets=[PAGES])
    def announce_pages(counts: dict[str, int]) -> int:
        """Emit the asset event for new pages; skipped if there are none."""
        return skip_unless_new([counts], "versions_new", "index_rows")

    @task(outlets=[PAGES])
    def announce_tickets(counts: dict[str, int]) -> int:
        """Emit the asset event for changed tickets; skipped if there are none."""
        return skip_unless_new([counts], "tickets_changed")

    # an unavailable tracker must not hold back faults that the pages show by themselves
    @task(trigger_rule="all_done_min_one_success")
    def judge_pages() -> dict[str, int]:
        """Check the changed pages for faults; their authors are notified through the outbox."""
        parts = open_parts()
        norms = page_norms(parts.community)
        return log_report(check_pages(parts.store, effects=effect_rules(parts), as_of=parts.clock(), norms=norms))

    of_pages, of_tickets = sync_pages(), sync_tickets()
    of_pages >> of_tickets >> judge_pages()
    announce_pages(of_pages)
    announce_tickets(of_tickets)


kip_sync_wiki()

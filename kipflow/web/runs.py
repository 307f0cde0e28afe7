"""Where on the board a reader looks at what a run of Airflow did, by the DAG that it is a run of."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

#: DAG → the page with what its runs bring.
_PAGES: Mapping[str, str] = {
    "kip_ask_people": "review",
    "kip_follow_up": "outbox",
    "kip_notify_slack": "outbox",
    "kip_update_index": "outbox",
    "kip_lifecycle_metrics": "metrics",
    "kip_backfill": "data",
    "kip_poll_threads": "data",
    "kip_publish_site": "proposals",
    "kip_sync_wiki": "data",
}


def find_page(dag: str, run: str) -> str:
    """The page, from the board's first one: of a run that decides, the proposals that it moved."""
    if dag == "kip_advance_stages":
        return "proposals?" + urlencode({"run": run})
    return _PAGES.get(dag, "")

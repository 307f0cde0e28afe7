"""Judge the pages that are new or changed, and notify their authors of what is new about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.events import OPEN_STAGES
from kipflow.domain.pagefaults import ANY, Norms, PageFault
from kipflow.domain.pages import StatusWord
from kipflow.services.effectrules import EffectRules
from kipflow.services.pagenews import find_fault_effects
from kipflow.services.ports import CheckedPage, Report, Session, Store, first_status
from kipflow.wiki.lint import RULES, find_faults_around, lint_page

_SETTLED = frozenset({StatusWord.ACCEPTED, StatusWord.REJECTED, StatusWord.DORMANT, StatusWord.DISCARDED})


def check_pages(store: Store, *, effects: EffectRules, as_of: datetime, norms: Norms = ANY) -> Report:
    """Judge every page that changed since it was judged, or around which something changed.

    What is new about the page of an open proposal goes to the outbox, once per fault.
    """
    rules = f"{RULES} {norms.version}"
    with store.begin() as session:
        due = [p for p in session.pages.load_checked() if p.judged != (p.version, rules, p.around)]
    faults = notified = 0
    for page in due:
        # one page, one transaction: what is known of it and what is required for it are written together
        with store.begin() as session:
            found = find_faults(session, page, prefix=effects.prefix, norms=norms)
            new = session.pages.save_faults(page, found, rules=rules, at=as_of)
            faults += len(found)
            notified += _notify(session, page, new, effects, as_of)
    return Report(counts={"pages_checked": len(due), "faults": faults, "faults_reported": notified})


def find_faults(session: Session, page: CheckedPage, *, prefix: str, norms: Norms) -> list[PageFault]:
    """The faults of a stored page's newest version: its own, and those that only what is around it shows."""
    around = find_faults_around(
        number=page.number, others=page.others, ticket=page.ticket, is_ticket_missing=page.is_ticket_missing
    )
    body = session.pages.find_body(page.page_id, page.version) or ""
    try:
        own = lint_page(body, title=page.title, prefix=prefix, source=f"page {page.page_id}", norms=norms)
        return [*own, *around]
    except UnreadableInput:
        return list(around)  # noted as unreadable when it was synced


def _is_open(page: CheckedPage) -> bool:
    if page.stage is not None:
        return page.stage in OPEN_STAGES
    return page.status not in _SETTLED  # not decided on yet: what the page says of itself


def _notify(
    session: Session, page: CheckedPage, new: Sequence[PageFault], effects: EffectRules, as_of: datetime
) -> int:
    errors = [f for f in new if f.severity == "error"]
    if not errors or not _is_open(page):
        return 0  # nobody rewrites the page of a settled proposal
    caused = find_fault_effects(page, errors, effects, as_of)
    session.outbox.enqueue(caused, now=as_of, status=first_status(effects.sends))
    return len(errors) if caused else 0

"""Check new and changed pages, and report new faults in the proposal's Slack thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.events import OPEN_STAGES
from kipflow.domain.messagekinds import MESSAGE_KINDS
from kipflow.domain.pagefaults import ANY, Norms, PageFault
from kipflow.domain.pages import StatusWord
from kipflow.domain.proposals import format_key
from kipflow.domain.texts import digest_text, say_count, take_some
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import CheckedPage, Effect, Report, Session, Store
from kipflow.services.slack_messages import build_message, escape, link, quote
from kipflow.services.slack_news import NEWS_AGE
from kipflow.wiki.lint import RULES, find_external_faults, lint_page

#: The most groups of faults in one message; the board has all.
_MAX_NAMED = 8


def find_fault_effects(
    page: CheckedPage, new: Sequence[PageFault], rules: EffectRules, as_of: datetime
) -> list[Effect]:
    """One message with the new faults of a page, if it was saved recently."""
    if not new or as_of - page.saved_at > NEWS_AGE:
        return []
    key = format_key(rules.prefix, page.number)
    title, board = quote(page.title), rules.find_board_page(page.number)
    links = " · ".join(filter(None, [title, link("board", board) if board else ""]))
    payload = rules.address("lint", render_faults(key, new, links=links))
    if payload is None:
        return []
    # the same faults are reported once, however often a run is repeated
    digest = digest_text(repr(sorted((f.code, f.place) for f in new)), 12)
    return [
        Effect(
            key=f"{key}/faults/{page.page_id}/{digest}/slack",
            number=page.number,
            channel="slack",
            payload={**payload, "in_thread": True},
            approval=rules.needs_release(payload["channel"]),
            due_at=rules.find_due("lint", as_of),
        )
    ]


def render_faults(key: str, faults: Sequence[PageFault], *, links: str) -> dict[str, Any]:
    """The message about faults of a page, with fixes."""
    count = f"{say_count(len(faults), 'thing')} to fix"
    lines = [f"{MESSAGE_KINDS['lint'].icon} The page of *{escape(key)}* has {count}", links]
    alike: dict[tuple[str, str], list[PageFault]] = {}
    for fault in faults:
        alike.setdefault((fault.code, fault.fix if fault.code == "K04" else fault.what), []).append(fault)
    lines += take_some(map(_say, alike.values()), _MAX_NAMED, "• and {} more")
    return build_message(f"{key}: its page has {count}", lines)


def _say(alike: Sequence[PageFault]) -> str:
    """A line for faults of one kind with one fix: seven sections with the template's text are one line."""
    first = alike[0]
    what = first.what if len(alike) == 1 else first.what.partition(': "')[0]
    places = ", ".join(quote(fault.place, 60) for fault in alike)
    fix = quote(first.fix if len({f.fix for f in alike}) == 1 else "add these headings, or say why not", 160)
    return f"• {places}: {quote(what, 160)} ({first.code}). {fix[:1].upper()}{fix[1:]}."


_SETTLED = frozenset({StatusWord.ACCEPTED, StatusWord.REJECTED, StatusWord.DORMANT, StatusWord.DISCARDED})


def check_pages(store: Store, *, effects: EffectRules, as_of: datetime, norms: Norms = ANY) -> Report:
    """Check every page that changed since its last check, or whose ticket or namesakes changed.

    New faults of an open proposal's page go to the outbox, once per fault.
    """
    rules = f"{RULES} {norms.version}"
    with store.begin() as session:
        due = [p for p in session.pages.load_checked() if p.judged != (p.version, rules, p.around)]
    faults = notified = 0
    for page in due:
        # one transaction per page: its faults and the message about them are stored together
        with store.begin() as session:
            found = find_faults(session, page, prefix=effects.prefix, norms=norms)
            new = session.pages.save_faults(page, found, rules=rules, at=as_of)
            faults += len(found)
            errors = [f for f in new if f.severity == "error"]
            # nobody rewrites the page of a settled proposal
            caused = find_fault_effects(page, errors, effects, as_of) if _is_open(page) else []
            session.outbox.enqueue(caused, now=as_of, sends=effects.sends)
            notified += len(errors) if caused else 0
    return Report(counts={"pages_checked": len(due), "faults": faults, "faults_reported": notified})


def find_faults(session: Session, page: CheckedPage, *, prefix: str, norms: Norms) -> list[PageFault]:
    """The faults of a stored page's newest version: in its text, and in relation to its ticket and other pages."""
    body = session.pages.find_body(page.page_id, page.version) or ""
    try:
        own = lint_page(body, title=page.title, prefix=prefix, source=f"page {page.page_id}", norms=norms)
    except UnreadableInput:
        own = ()  # noted as unreadable when it was synced
    missing = page.is_ticket_missing
    around = find_external_faults(number=page.number, others=page.others, ticket=page.ticket, is_ticket_missing=missing)
    return [*own, *around]


def _is_open(page: CheckedPage) -> bool:
    if page.stage is not None:
        return page.stage in OPEN_STAGES
    return page.status not in _SETTLED  # not decided yet: by the page's own state

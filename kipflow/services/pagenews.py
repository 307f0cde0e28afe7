"""What authors are notified about their pages in Slack, in the thread of their proposal."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from kipflow.domain.messagekinds import KINDS
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.proposals import format_key
from kipflow.services.effectrules import EffectRules
from kipflow.services.messages import build_message, escape, link, quote
from kipflow.services.newsrows import NEWS_AGE
from kipflow.services.ports import CheckedPage, Effect

#: Kinds of faults named in one message; the board has them all.
_MAX_NAMED = 8


def find_fault_effects(
    page: CheckedPage, new: Sequence[PageFault], rules: EffectRules, as_of: datetime
) -> list[Effect]:
    """One message with the faults that are new on a page, if it was saved lately; nobody is notified of old ones."""
    if not new or as_of - page.saved_at > NEWS_AGE:
        return []
    key = format_key(rules.prefix, page.number)
    title, board = quote(page.title), rules.find_board_page(page.number)
    links = " · ".join(filter(None, [title, link("board", board) if board else ""]))
    payload = rules.address("lint", render_faults(key, new, links=links))
    if payload is None:
        return []
    # the same faults are reported once, however often a run is repeated
    digest = hashlib.sha256(repr(sorted((f.code, f.place) for f in new)).encode()).hexdigest()[:12]
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


def render_faults(key: str, faults: Sequence[PageFault], *, links: str = "") -> dict[str, Any]:
    """What is to be fixed on a page, with how."""
    count = f"{len(faults)} thing{'s' if len(faults) != 1 else ''} to fix"
    lines = [f"{KINDS['lint'].icon} The page of *{escape(key)}* has {count}", links]
    alike: dict[tuple[str, str], list[PageFault]] = {}
    for fault in faults:
        alike.setdefault((fault.code, fault.fix if fault.code == "K04" else fault.what), []).append(fault)
    lines.extend(_say(group) for group in list(alike.values())[:_MAX_NAMED])
    if len(alike) > _MAX_NAMED:
        lines.append(f"• and {len(alike) - _MAX_NAMED} more")
    return build_message(f"{key}: its page has {count}", lines)


def _say(alike: Sequence[PageFault]) -> str:
    """Faults of one kind, fixed in one way: seven sections that hold the template's text are one line."""
    first = alike[0]
    what = first.what if len(alike) == 1 else first.what.partition(': "')[0]
    places = ", ".join(quote(fault.place, 60) for fault in alike)
    fix = quote(first.fix if len({f.fix for f in alike}) == 1 else "add these headings, or say why not", 160)
    return f"• {places}: {quote(what, 160)} ({first.code}). {fix[:1].upper()}{fix[1:]}."

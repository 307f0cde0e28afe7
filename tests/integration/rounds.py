"""One round of kipflow's work in process, as the DAGs do it."""

from __future__ import annotations

from datetime import datetime

from kipflow.adapters.deliverer import ThisProcess
from kipflow.effect_kinds import find_kinds
from kipflow.services import advance, deliver, poll, sync
from kipflow.services.landing import find_wanted_months
from kipflow.services.tickets import sync_tickets
from kipflow.wiring import Parts, effect_rules


def gather(parts: Parts, now: datetime) -> dict[str, int]:
    """All that the archive, the wiki and the tickets give now, without deciding anything."""
    assert parts.archive is not None
    assert parts.wiki is not None
    assert parts.tickets is not None
    assert parts.community.archive is not None
    assert parts.community.wiki is not None
    prefix, page = parts.community.prefix, parts.community.wiki.index_page
    since = parts.community.archive.since
    wanted, asked = find_wanted_months(parts.store, parts.archive, parts.community.lists, now, since=since)
    landed = list(poll.fetch_months(parts.archive, wanted, parts.settings.raw, now))
    read = poll.read_months(parts.store, landed, prefix=prefix, seen_at=now)
    pages = sync.sync_wiki(parts.store, parts.wiki, index_page=page, prefix=prefix, as_of=now)
    tickets = sync_tickets(parts.store, parts.tickets, as_of=now)
    return {**asked.counts, **read.counts, **pages.counts, **tickets.counts}


def run_once(parts: Parts) -> dict[str, int]:
    """One round of everything that the DAGs do, in process."""
    now = parts.clock()
    gathered = gather(parts, now)
    moved = advance.advance_all(parts.store, policy=parts.policy, effects=effect_rules(parts), as_of=now)
    kinds = find_kinds(parts, now=now)
    edits = kinds["index"].plan()
    sent = deliver.deliver(parts.store, kinds, now=now, by=ThisProcess())
    decided = {"transitions": sum(len(a.appended) for a in moved), "decided": len(moved)}
    return {**decided, **gathered, **edits.counts, **sent.counts}

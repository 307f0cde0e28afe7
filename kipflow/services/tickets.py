"""Store the present state of tickets."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.pages import NO_TICKET, TicketState
from kipflow.services.away import note_outage, note_recovery
from kipflow.services.ports import Report, Store, Tickets

#: How often tickets are read: they change slowly and cost a request each.
TICKETS_EVERY = timedelta(hours=6)
#: After so many failures in a row the tracker counts as unreachable.
TICKETS_IN_VAIN = 5


def sync_tickets(store: Store, tickets: Tickets, *, as_of: datetime) -> Report:
    """Store the state of every ticket that a proposal names, at most every `TICKETS_EVERY`.

    After `TICKETS_IN_VAIN` failures in a row the rest waits for the next run.
    """
    keys, seen = _find_due(store, as_of)
    changed = in_vain = asked = 0
    warnings: list[str] = []
    for key in keys:
        asked += 1
        try:
            ticket = tickets.fetch_ticket(key, now=as_of)
        except ServiceUnavailable as error:
            warnings.append(str(error))
            in_vain += 1
            if in_vain == TICKETS_IN_VAIN and asked < len(keys):
                warnings.append(
                    f"{in_vain} tickets in a row in vain; the other {len(keys) - asked} wait for the next run"
                )
                note_outage(store, "tickets", error.why, at=as_of)
                break
            continue
        in_vain = 0
        seen.add(key)
        if ticket is None:
            ticket = TicketState(key=key, status=NO_TICKET, resolution=None, fix_versions=(), seen_at=as_of)
        with store.begin() as session:
            changed += session.pages.save_ticket(ticket)
    if asked > in_vain:
        note_recovery(store, "tickets")
    if keys:
        with store.begin() as session:
            session.marks.save("tickets-synced", as_of.isoformat())
            session.marks.save("tickets-seen", " ".join(sorted(seen)))
    return Report(counts={"tickets_asked": asked, "tickets_changed": changed}, warnings=tuple(warnings))


def _find_due(store: Store, as_of: datetime) -> tuple[list[str], set[str]]:
    """The tickets to fetch, and those fetched since the present round of all tickets began."""
    with store.begin() as session:
        last = session.marks.load("tickets-synced")
        keys = session.pages.load_ticket_keys()
        seen = set((session.marks.load("tickets-seen") or "").split())
    if last is None or as_of - datetime.fromisoformat(last) >= TICKETS_EVERY:
        seen = set()
    # in a different order each time: a few unreadable ones must not block the others for ever
    due = sorted(set(keys) - seen, key=lambda key: hashlib.sha256(f"{as_of:%Y-%m-%d %H} {key}".encode()).digest())
    return due, seen

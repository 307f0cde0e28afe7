"""Tickets of many proposals: each asked for now and then, and a tracker that is away is not asked a thousand times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.pages import IndexEntry, TicketState
from kipflow.services.ports import Store
from kipflow.services.tickets import TICKETS_EVERY, TICKETS_IN_VAIN, sync_tickets
from tests.unit.services.stores import open_memory

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


class FakeTickets:
    """A tracker whose tickets are all open; `hidden` ones are refused."""

    def __init__(self) -> None:
        self.hidden: set[str] = set()
        self.asked: list[str] = []

    def fetch_ticket(self, key: str, *, now: datetime) -> TicketState | None:
        self.asked.append(key)
        if key in self.hidden:
            raise ServiceUnavailable(service="JIRA", url="https://x.example", why="answered 403: not allowed")
        return TicketState(key=key, status="Open", resolution=None, fix_versions=(), seen_at=now)


def make_store(tickets: int) -> Store:
    store = open_memory()
    with store.begin() as session:
        session.pages.save_index_entries(
            IndexEntry(number=n, title="x", section="discussion", seen_at=NOW, origin="page", jira=f"LAMP-{n}")
            for n in range(1, tickets + 1)
        )
    return store


def run(store: Store, tickets: FakeTickets, at: datetime) -> tuple[str, ...]:
    tickets.asked.clear()
    return sync_tickets(store, tickets, as_of=at).warnings


def test_every_ticket_is_asked_for_once_in_its_time() -> None:
    store, tickets = make_store(40), FakeTickets()
    run(store, tickets, NOW)
    assert sorted(tickets.asked) == sorted(f"LAMP-{n}" for n in range(1, 41))
    run(store, tickets, NOW + timedelta(hours=1))
    assert tickets.asked == []
    run(store, tickets, NOW + TICKETS_EVERY)
    assert len(tickets.asked) == 40


def test_a_tracker_that_is_away_is_left_alone_and_asked_again_by_the_next_run() -> None:
    store, tickets = make_store(40), FakeTickets()
    run(store, tickets, NOW)
    tickets.hidden = {f"LAMP-{n}" for n in range(1, 41)}
    warnings = run(store, tickets, NOW + TICKETS_EVERY)
    assert len(tickets.asked) == TICKETS_IN_VAIN
    assert warnings[-1] == f"{TICKETS_IN_VAIN} tickets in a row in vain; the other 35 wait for the next run"
    tickets.hidden.clear()
    run(store, tickets, NOW + TICKETS_EVERY + timedelta(hours=1))
    assert len(tickets.asked) == 40


def test_hidden_tickets_keep_no_other_waiting_for_ever() -> None:
    store, tickets = make_store(40), FakeTickets()
    tickets.hidden = {f"LAMP-{n}" for n in range(1, 13)}
    seen: set[str] = set()
    for hour in range(12):
        run(store, tickets, NOW + timedelta(hours=hour))
        seen |= set(tickets.asked) - tickets.hidden
    assert len(seen) == 28

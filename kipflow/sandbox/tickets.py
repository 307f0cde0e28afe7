"""The story's tickets: JIRA's state of each proposal's work, and since when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from kipflow.sandbox.plans import PLANS, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketState:
    """A ticket from `at` on."""

    at: datetime
    status: str
    resolution: str | None = None
    fix_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A ticket with its states in order of time."""

    id: int
    key: str
    summary: str
    states: tuple[TicketState, ...]

    def find_state(self, now: datetime) -> TicketState | None:
        """The state at `now`; None where the ticket does not exist yet."""
        return next((s for s in reversed(self.states) if s.at <= now), None)


class Tickets:
    """All tickets by their keys, with visitors' resolutions and all comments."""

    def __init__(self, tickets: Iterable[Ticket]) -> None:
        self._by_key = {ticket.key: ticket for ticket in tickets}
        self._resolved: list[tuple[str, str, datetime]] = []
        self.comments: dict[str, list[dict[str, str]]] = {}

    def find(self, key: str) -> Ticket | None:
        return self._by_key.get(key)

    def seen(self, now: datetime) -> list[tuple[Ticket, TicketState]]:
        """The tickets that exist at `now`, with their states, newest first."""
        found = ((ticket, ticket.find_state(now)) for ticket in reversed(self._by_key.values()))
        return [(ticket, state) for ticket, state in found if state is not None]

    def resolve(self, key: str, release: str, at: datetime) -> bool:
        """Resolve a ticket for a visitor, for good; False if there is no such open ticket."""
        ticket = self.find(key)
        state = ticket.find_state(at) if ticket else None
        if ticket is None or state is None or state.resolution is not None:
            return False
        states = [s for s in ticket.states if s.at <= at]
        states.append(TicketState(at=at, status="Resolved", resolution="Fixed", fix_version=release))
        self._by_key[key] = replace(ticket, states=tuple(states))
        self._resolved.append((key, release, at))
        return True

    def export(self) -> Any:
        """Visitors' resolutions as JSON-compatible data."""
        return _RESOLVED.dump_python(self._resolved, mode="json")

    def restore(self, kept: Any) -> None:
        """Restore the result of `export`. Raises ValueError for anything else."""
        for key, release, at in _RESOLVED.validate_python(kept):
            self.resolve(key, release, at)


_RESOLVED = TypeAdapter(list[tuple[str, str, datetime]])


def ticket_key(plan: Plan) -> str:
    return f"SAND-{1000 + plan.number}"


def write_tickets(anchor: datetime) -> Iterator[Ticket]:
    """One ticket per proposal, opened on the day its page was created."""
    for plan in PLANS:
        states = tuple(_write_states(anchor, plan))
        yield Ticket(id=13_000_000 + plan.number, key=ticket_key(plan), summary=plan.title, states=states)


def _write_states(anchor: datetime, plan: Plan) -> Iterator[TicketState]:
    work = plan.ticket
    yield TicketState(at=plan.find_time(anchor, plan.edits[0].at), status="Open")
    if work is None:
        return
    version = None if work.done else work.release
    yield TicketState(at=plan.find_time(anchor, work.started), status="In Progress", fix_version=version)
    if work.done:
        at = plan.find_time(anchor, work.started + 22)
        yield TicketState(at=at, status="Resolved", resolution="Fixed", fix_version=work.release)

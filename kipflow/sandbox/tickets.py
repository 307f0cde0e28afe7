"""The story's tickets: what JIRA says of each proposal's work, and since when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from kipflow.sandbox.plans import Plan
from kipflow.sandbox.stories import PLANS
from kipflow.sandbox.world import World


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


def ticket_key(world: World, plan: Plan) -> str:
    return f"{world.project}-{1000 + plan.number}"


def write_tickets(world: World) -> Iterator[Ticket]:
    """One ticket per proposal, open from the day its page was made."""
    for plan in PLANS:
        origin = world.origin(plan)
        states = [TicketState(at=world.at(plan.created, origin=origin), status="Open")]
        states += [
            TicketState(
                at=world.at(s.at, origin=origin), status=s.status, resolution=s.resolution, fix_version=s.fix_version
            )
            for s in plan.ticket
        ]
        yield Ticket(id=13_000_000 + plan.number, key=ticket_key(world, plan), summary=plan.title, states=tuple(states))

"""The next moment at which something that is known already comes to be."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.judging import find_announcements


def with_known_future(decision: Decision, facts: ProposalFacts) -> Decision:
    """The decision with its deadline at the next fact that is known already, if that comes first.

    Decided as of a past date, or with a mail whose sender's clock is ahead, no new fact would bring the
    proposal back on the list when that moment comes.
    """
    ahead = find_next_fact(facts, decision.as_of)
    if ahead is None or (decision.next_deadline is not None and decision.next_deadline <= ahead):
        return decision
    return replace(decision, next_deadline=ahead)


def find_next_fact(facts: ProposalFacts, as_of: datetime) -> datetime | None:
    """The time of the first fact after `as_of`; None if all lie before it."""
    times: list[datetime | None] = [m.arrived_at for m in facts.messages]
    times.extend(p.saved_at for p in facts.pages)
    for entry in facts.index_entries:
        times.extend((entry.seen_at, entry.changed_at, entry.created_at))
    for vote in facts.votes:
        times.extend((vote.opened_at, vote.ended_at, *find_announcements(vote)))
    for ruling in facts.rulings:
        times.extend((ruling.made_at, ruling.revoked_at))
    times.extend(t.seen_at for t in facts.tickets)
    for warning in facts.warnings:
        times.extend((warning.as_of, warning.warned_at, warning.delivered_at))
    return min((t for t in times if t is not None and t > as_of), default=None)

"""Ballots that arrived after a vote's end but are dated before it: a person must say whether they were in time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.arrivals import say_both
from kipflow.domain.judging import is_dated_in_time, with_latest_standing
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Counts, count, is_turned, say_counts
from kipflow.domain.votes import Ballot, BallotStatus, Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class LateBallot:
    """A late ballot that could turn the vote, with both possible results."""

    ballot: Ballot
    outcomes: tuple[str, str]

    @property
    def question(self) -> str:
        b = self.ballot
        dated = say_both(b.cast_at, b.dated_at or b.cast_at)
        return f"{b.name}: {b.value or b.choice}, {dated}: the vote was over when it arrived. Was it cast in time?"


def find_late_ballots(
    vote: Vote, close: datetime, policy: Policy, *, settled: Collection[str] = ()
) -> tuple[LateBallot, ...]:
    """The late binding ballots, not `settled` by a person, that would turn the vote closed at `close` if they
    counted."""
    claims = [
        b
        for b in vote.ballots
        if b.binding and b.choice is not None and b.message_id not in settled and is_dated_in_time(b, close)
    ]
    stood, together = _count_with(vote, (), close), _count_with(vote, claims, close)
    alone = [b for b in claims if is_turned(stood, _count_with(vote, (b,), close), policy)]
    if not alone and not is_turned(stood, together, policy):
        return ()
    not_so = f"if not: {say_counts(stood, policy)}"
    found = [(b, _count_with(vote, (b,), close) if alone else together) for b in alone or claims]
    return tuple(LateBallot(ballot=b, outcomes=(f"if it counts: {say_counts(so, policy)}", not_so)) for b, so in found)


def _count_with(vote: Vote, claims: Sequence[Ballot], close: datetime) -> Counts:
    """The binding counts at the close, these ballots counted as cast at their Date."""
    stood = [b for b in vote.ballots if b.cast_at <= close and b.status is BallotStatus.COUNTED]
    counted = [replace(b, status=BallotStatus.COUNTED, cast_at=b.dated_at or b.cast_at) for b in claims]
    return count(with_latest_standing((*stood, *counted))).binding

"""Votes that a person had cast again, because the page had changed after they were cast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.facts import Ruling
from kipflow.domain.ruled import find_time
from kipflow.domain.votes import BallotStatus, Declared, EndKind, Vote

HOLD, RECAST = "hold", "recast"
#: What a ruling of kind "page" says of the votes that were cast on another text.
VOTES = (HOLD, RECAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recast:
    """What was cast before `before` counts no longer, and the voting period begins anew at `at`."""

    before: datetime
    at: datetime
    why: str


def render_recast(vote: Vote, before: datetime) -> dict[str, str]:
    """The value of a ruling by which what was cast in this round before `before` must be cast again."""
    return {"votes": RECAST, "round": vote.root_message_id, "before": before.isoformat()}


def find_recast(vote: Vote, rulings: Iterable[Ruling]) -> Recast | None:
    """The newest of the rulings by which votes of this round must be cast again."""
    found = None
    for ruling in rulings:
        if ruling.kind != "page" or ruling.value.get("round") != vote.root_message_id:
            continue
        before = find_time(ruling, "before")
        if before is not None and (found is None or ruling.made_at > found.at):
            why = f"the page changed since: to be cast again, ruled by {ruling.author}: {ruling.reason}"
            found = Recast(before=before, at=ruling.made_at, why=why)
    return found


def with_recast(vote: Vote, rulings: Iterable[Ruling]) -> Vote:
    """The vote without what was cast on another text, and without any announcement of what that came to."""
    recast = find_recast(vote, rulings)
    if recast is None:
        return vote
    return replace(
        vote,
        ballots=tuple(
            replace(b, status=BallotStatus.VOID, why=recast.why) if b.cast_at < recast.before else b
            for b in vote.ballots
        ),
        declared=_find_announced_since(vote.declared, recast.at),
        claimed_ends=tuple(e for e in vote.claimed_ends if e.kind is not EndKind.CLOSED or e.at > recast.at),
    )


def _find_announced_since(declared: Declared | None, moment: datetime) -> Declared | None:
    if declared is None or declared.as_of(moment) is declared:
        return None
    return replace(declared, before=_find_announced_since(declared.before, moment))

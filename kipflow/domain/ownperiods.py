"""Until when a vote's caller lets it run: a longer period than the policy's is kept, a shorter one shortens nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kipflow.domain.votes import Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPeriod:
    """Until when a vote is to run, by the words (`line`) of its caller's mail; `said_at` is when that came."""

    said_at: datetime
    until: datetime
    message_id: str
    line: str


def find_longer(vote: Vote, earliest: datetime, at: datetime) -> OwnPeriod | None:
    """What lets a vote run on after `earliest`, as known at `at`. An announced end shows that it does not."""
    declared = vote.declared.as_of(at) if vote.declared is not None else None
    if declared is not None and declared.closes_at is not None:
        return None
    known = [p for p in vote.own_periods if p.said_at <= at and p.until > earliest]
    return max(known, key=lambda period: period.until, default=None)


def keep_open(vote: Vote, earliest: datetime, at: datetime) -> datetime:
    """The first moment at which a vote may be closed that its policy lets close at `earliest`, as known at `at`."""
    longer = find_longer(vote, earliest, at)
    return earliest if longer is None else longer.until


def say_longer(vote: Vote, earliest: datetime) -> str:
    """Why a vote closes at `earliest`, where that is by its caller's word; "": it is by the policy."""
    by_it = (p for p in vote.own_periods if p.until == earliest)
    return next((f'its caller lets it run until then: "{p.line}"' for p in by_it), "")

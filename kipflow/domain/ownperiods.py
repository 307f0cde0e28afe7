"""Voting periods given by a vote's caller: a longer one than the policy's applies, a shorter one does not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kipflow.domain.votes import Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPeriod:
    """The end of a vote according to its caller's mail (`line`), which arrived at `said_at`."""

    said_at: datetime
    until: datetime
    message_id: str
    line: str


def find_longer(vote: Vote, earliest: datetime, at: datetime) -> OwnPeriod | None:
    """The caller's period beyond `earliest`, as known at `at`; None without one, or after an announced end."""
    declared = vote.declared.as_of(at) if vote.declared is not None else None
    if declared is not None and declared.closes_at is not None:
        return None
    known = [p for p in vote.own_periods if p.said_at <= at and p.until > earliest]
    return max(known, key=lambda period: period.until, default=None)


def keep_open(vote: Vote, earliest: datetime, at: datetime) -> datetime:
    """The earliest close of a vote, as known at `at`: `earliest` by its policy, or later by its caller's own period."""
    longer = find_longer(vote, earliest, at)
    return earliest if longer is None else longer.until


def say_longer(vote: Vote, earliest: datetime) -> str:
    """The reason if a vote's earliest close comes from its caller's own period; "" if from the policy."""
    by_it = (p for p in vote.own_periods if p.until == earliest)
    return next((f'its caller lets it run until then: "{p.line}"' for p in by_it), "")

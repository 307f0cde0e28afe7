"""Voting periods given by a vote's caller: a longer one than the policy's applies, a shorter one does not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
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


def find_period_end(vote: Vote, period: timedelta, at: datetime) -> datetime:
    """The earliest close of a vote under a policy's period, as known at `at`."""
    return keep_open(vote, vote.opened_at + period, at)


def keep_open(vote: Vote, earliest: datetime, at: datetime) -> datetime:
    """The earliest close of a vote, as known at `at`: `earliest` by its policy, or later by its caller's own period.

    An announced end also ends the caller's period.
    """
    declared = vote.declared.as_of(at) if vote.declared is not None else None
    if declared is not None and declared.closes_at is not None:
        return earliest
    return max([earliest, *(p.until for p in vote.own_periods if p.said_at <= at)])


def say_longer(vote: Vote, earliest: datetime) -> str:
    """The reason if a vote's earliest close comes from its caller's own period; "" if from the policy."""
    by_it = (p for p in vote.own_periods if p.until == earliest)
    return next((f'its caller lets it run until then: "{p.line}"' for p in by_it), "")

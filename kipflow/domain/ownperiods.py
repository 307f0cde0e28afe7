"""What a vote's caller says of its period. A longer one than the policy's is kept, a shorter one shortens nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kipflow.domain.votes import Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPeriod:
    """Until when the vote is to run, in the words of a mail by its caller, or by somebody else who may end it.

    `since` and `until` are the earliest and the latest moment that the words can mean (a day without an hour, an hour
    without a zone); both None: the vote is to run on, and until when is not understood.
    """

    said_at: datetime
    message_id: str
    line: str
    since: datetime | None = None
    until: datetime | None = None


def find_earliest(vote: Vote, period: timedelta, at: datetime) -> datetime:
    """The first moment at which a round may be closed under a policy's period, as known at `at`."""
    return keep_open(vote, vote.opened_at + period, at)


def keep_open(vote: Vote, earliest: datetime, at: datetime) -> datetime:
    """The first moment at which a round may be closed that may not be closed before `earliest`, as known at `at`."""
    longest = _find_longest(vote, at)
    if longest is None or longest.since is None or longest.until is None:
        return earliest
    closed_at = _find_closed(vote, at)
    if closed_at is not None and longest.since <= closed_at < longest.until:
        return max(earliest, closed_at)  # "until Friday", and announced on Friday
    return max(earliest, longest.until)


def say_kept_open(vote: Vote, period: timedelta, at: datetime) -> str:
    """The words by which a round runs longer than a policy asks for; "": it does not."""
    longest = _find_longest(vote, at)
    return longest.line if longest is not None and find_earliest(vote, period, at) > vote.opened_at + period else ""


def leave_known(vote: Vote, at: datetime) -> tuple[OwnPeriod, ...]:
    """What was said by `at`. What is not understood is settled by any word on it since, and by a result."""
    known = [p for p in vote.own_periods if p.said_at <= at]
    closed_at = _find_closed(vote, at)
    is_closed = bool(known) and closed_at is not None and closed_at > known[-1].said_at
    return tuple(p for p in known if p.until is not None or (p is known[-1] and not is_closed))


def find_open_word(vote: Vote) -> OwnPeriod | None:
    """The words that let a judged vote run on, nobody knows until when."""
    last = vote.own_periods[-1] if vote.own_periods else None
    return last if last is not None and last.until is None else None


#: The question, where its words are shown beside it.
RUNS_ON = "its caller lets it run on, and until when is not understood"


def _find_longest(vote: Vote, at: datetime) -> OwnPeriod | None:
    known = [(p.until, n) for n, p in enumerate(vote.own_periods) if p.said_at <= at and p.until is not None]
    return vote.own_periods[max(known)[1]] if known else None


def _find_closed(vote: Vote, at: datetime) -> datetime | None:
    declared = vote.declared.as_of(at) if vote.declared is not None else None
    return declared.closes_at if declared is not None else None

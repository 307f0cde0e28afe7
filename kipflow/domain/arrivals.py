"""A mail's arrival compared with its sender's Date."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kipflow.domain.times import say_moment

if TYPE_CHECKING:
    from kipflow.domain.facts import Message

#: Differences between Date and arrival up to this are normal delay. Of 1,112 real mails half arrive within 8
#: seconds, 99 of 100 within 7 minutes, the slowest after 69 minutes; what a moderator lets through comes later.
TOLERANCE = timedelta(hours=6)
#: Values of `arrived_from` without a recorded arrival: only the sender's Date is known, or nothing believable.
UNRECORDED = frozenset({"date", "none"})


def is_far(at: datetime, dated_at: datetime | None) -> bool:
    """Whether a mail's Date differs from its arrival by more than the tolerated delay."""
    return dated_at is not None and abs(at - dated_at) > TOLERANCE


def say_dated(at: datetime, dated_at: datetime | None) -> str:
    """A note that a mail's Date is far from its arrival; "" if it is not."""
    return say_both(at, dated_at) if dated_at is not None and is_far(at, dated_at) else ""


def say_both(at: datetime, dated_at: datetime) -> str:
    """A mail's arrival and its sender's Date, in words."""
    return f"arrived {say_moment(at)}, dated {say_moment(dated_at)} by its sender"


def cut_to_seen(message: Message, seen_at: datetime) -> Message:
    """The mail with an arrival no later than when it was first seen: a clock that is ahead delays nothing."""
    if message.arrived_at is None or message.arrived_at <= seen_at:
        return message
    declared = message.declared
    if declared is not None and declared.announced_at is not None:
        declared = replace(declared, announced_at=min(declared.announced_at, seen_at))
    return replace(message, arrived_at=seen_at, declared=declared)

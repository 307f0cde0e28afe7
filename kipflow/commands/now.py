"""The time that a command judges at."""

from __future__ import annotations

from datetime import UTC, datetime

from kipflow.commands.output import console, say_time
from kipflow.domain.errors import KipflowError, ServiceUnavailable
from kipflow.services.advance import CLOCK_SKEW
from kipflow.wiring import Parts


def find_now(parts: Parts, as_of: datetime | None = None) -> datetime:
    """`as_of` if it was given, else the community's time.

    A sandbox that is not running gives no time; then this machine's will do: a decision is never taken
    as of a time before the newest one, so nothing can go back by it.
    """
    if as_of is not None:
        return as_of
    try:
        return parts.clock()
    except ServiceUnavailable:
        console(stderr=True).print("the sandbox is not running: taking this machine's time (--as-of names another)")
        return datetime.now(UTC)


_RULED = "a ruling holds from when it is made"
_SEEN = "nothing is seen before its time, and mail would count as held up to then"


def find_past(parts: Parts, as_of: datetime | None, *, because: str = _RULED) -> datetime:
    """The time of a person's word: `as_of` if it was given, else the community's time.

    Raises:
        KipflowError: `as_of` has not come. What is dated ahead would hold already, and drag the clock after it.
    """
    now = find_now(parts)
    if as_of is not None and as_of - now > CLOCK_SKEW:
        raise KipflowError(f"{say_time(as_of)} UTC has not come yet (it is {say_time(now)}): {because}")
    return now if as_of is None else as_of


def find_seen_at(parts: Parts, as_of: datetime | None) -> datetime:
    """The time at which facts are seen: `as_of` if it was given, else the community's time.

    Raises:
        KipflowError: `as_of` has not come. Months would count as held up to then, and votes be closed on them.
    """
    return find_past(parts, as_of, because=_SEEN)

"""The time that a command judges at."""

from __future__ import annotations

from datetime import UTC, datetime

from kipflow.commands.output import console
from kipflow.domain.errors import ServiceUnavailable
from kipflow.wiring import Parts


def find_now(parts: Parts, as_of: datetime | None = None) -> datetime:
    """`as_of` if it was given, else the community's time.

    A sandbox that is not running tells no time; then this machine's will do: a decision is never taken
    as of a time before the newest one, so nothing can go back by it.
    """
    if as_of is not None:
        return as_of
    try:
        return parts.clock()
    except ServiceUnavailable:
        console(stderr=True).print("the sandbox is not running: taking this machine's time (--as-of names another)")
        return datetime.now(UTC)

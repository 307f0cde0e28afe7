"""Human-readable times, relative to the board's clock."""

from __future__ import annotations

from datetime import datetime, timedelta

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_MONTH, _YEAR = 30.44 * _DAY, 365.25 * _DAY


def render_span(span: timedelta) -> str:
    """A duration in its one or two largest units: `45 min`, `14 h`, `3 d 4 h`, `16 d`, `8 months`.

    The sign is dropped; smaller units are cut off, never rounded up, so that "2 d" are two whole days.
    """
    seconds = abs(span.total_seconds())
    if seconds < _MINUTE:
        return "under a minute"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min"
    if seconds < 2 * _DAY:
        return f"{int(seconds // _HOUR)} h"
    days, hours = int(seconds // _DAY), int(seconds % _DAY // _HOUR)
    if seconds < 7 * _DAY:
        return f"{days} d {hours} h" if hours else f"{days} d"
    if seconds < 90 * _DAY:
        return f"{days} d"
    if seconds < 2 * _YEAR:
        return f"{int(seconds // _MONTH)} months"
    return f"{int(seconds // _YEAR)} years"


def render_relative(at: datetime, now: datetime) -> str:
    """`in 14 h` or `3 d ago`; `just now` within a minute."""
    span = at - now
    if abs(span) < timedelta(minutes=1):
        return "just now"
    return f"in {render_span(span)}" if span > timedelta(0) else f"{render_span(span)} ago"


def find_elapsed(start: datetime, end: datetime, now: datetime) -> float:
    """The share of the period from `start` to `end` that is over at `now`, from 0 to 1."""
    length = (end - start).total_seconds()
    if length <= 0:
        return 1.0
    return min(1.0, max(0.0, (now - start).total_seconds() / length))

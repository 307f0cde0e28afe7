"""Times as text, in UTC or relative to a clock; quiet hours and days: what is due then waits until they are over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


def as_utc(at: datetime) -> datetime:
    """The moment in UTC; without a zone it is taken as UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


_MOMENT = "%Y-%m-%d %H:%M UTC"


def say_moment(at: datetime) -> str:
    """`2026-03-05 09:00 UTC`."""
    return f"{at.astimezone(UTC):{_MOMENT}}"


def parse_moment(text: str) -> datetime:
    """The moment of such a text. Raises `ValueError`."""
    return datetime.strptime(text, _MOMENT).replace(tzinfo=UTC)


def say_weekday(at: datetime) -> str:
    """`Thu 2026-03-05 09:00 UTC`."""
    return f"{at.astimezone(UTC):%a} {say_moment(at)}"


def say_day(at: datetime) -> str:
    """`2026-03-05`, the day in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def render_machine_time(at: datetime) -> str:
    """`2026-03-05T09:00:00Z`, for `<time datetime>` and JSON; fractions of a second are left out."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


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


#: Enough for a weekend between two nights, the longest quiet time.
_STEPS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """Every day from `begins` to `ends` (also over midnight; equal: never), and on weekends, in `zone`."""

    begins: time = time()
    ends: time = time()
    weekends: bool = False
    zone: ZoneInfo

    def find_end(self, at: datetime) -> datetime:
        """When a message due at `at` may go out: at once, or at the end of the quiet time."""
        moment = at.astimezone(self.zone)
        for _ in range(_STEPS):
            later = self._find_next(moment)
            if later == moment:
                break
            moment = later
        return moment.astimezone(UTC)

    def _find_next(self, at: datetime) -> datetime:
        if self.weekends and at.weekday() >= 5:
            return _at(at + timedelta(days=1), time())
        clock = at.time()
        over_midnight = self.begins > self.ends
        is_quiet = self.begins <= clock < self.ends
        if over_midnight:
            is_quiet = clock >= self.begins or clock < self.ends
        if not is_quiet:
            return at
        return _at(at + timedelta(days=1 if over_midnight and clock >= self.begins else 0), self.ends)


def _at(day: datetime, clock: time) -> datetime:
    return datetime.combine(day.date(), clock, day.tzinfo)

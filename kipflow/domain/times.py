"""Times as text, always in UTC, and quiet hours and days: what is due then waits until they are over."""

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

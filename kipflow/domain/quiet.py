"""Quiet hours and days: what is due then waits until they are over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

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

"""The sandbox's clock: it starts at a given time, can run faster than real time, and can be moved forward."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

_STEP = re.compile(r"^\s*(\d{1,6}(?:\.\d{1,3})?)\s*(seconds?|minutes?|hours?|days?|s|m|h|d)\s*$", re.IGNORECASE)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class Clock:
    """The sandbox's clock. It never goes backwards.

    `speed`: sandbox seconds per real second, 0 to stop it; `ticks`: monotonic real seconds (`time.monotonic`).
    """

    def __init__(self, start: datetime, *, speed: float, ticks: Callable[[], float]) -> None:
        self._start, self._speed, self._ticks = start, speed, ticks
        self._began = ticks()
        self._pushed = timedelta()

    def now(self) -> datetime:
        elapsed = timedelta(seconds=(self._ticks() - self._began) * self._speed)
        return self._start + elapsed + self._pushed

    def advance(self, step: timedelta) -> datetime:
        """Move the clock forward. Raises ValueError for a negative step, or one beyond the last representable time."""
        if step < timedelta():
            raise ValueError("time only goes forward here")
        try:
            moment = self.now() + step
        except OverflowError:
            raise ValueError("there is no such time") from None
        self._pushed += step
        return moment

    def run_at(self, speed: float) -> datetime:
        """Change the speed from now on. Raises ValueError as `check_speed` does."""
        check_speed(speed)
        self._start, self._pushed, self._began, self._speed = self.now(), timedelta(), self._ticks(), speed
        return self._start

    def reach(self, moment: datetime) -> None:
        """Move the clock forward to a time, unless it is past that already."""
        self._pushed += max(moment - self.now(), timedelta())


def check_speed(speed: float) -> float:
    """The speed itself. Raises ValueError if it is no finite number above 0."""
    if not 0 < speed < float("inf"):
        raise ValueError("expected a speed above 0, such as 60")
    return speed


def parse_step(text: str) -> timedelta:
    """Parse "3 days", "90 minutes", "1.5h". Raises ValueError for anything else."""
    match = _STEP.match(text)
    if match is None:
        raise ValueError(f'expected a period such as "3 days", got {text!r}')
    return timedelta(**{_UNITS[match.group(2)[0].lower()]: float(match.group(1))})

"""The sandbox's own time: it starts at a given moment, can run faster from then or later, and can be pushed forward."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

_STEP = re.compile(r"^\s*(\d{1,6}(?:\.\d{1,3})?)\s*(seconds?|minutes?|hours?|days?|s|m|h|d)\s*$", re.IGNORECASE)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class Clock:
    """The sandbox's time. Never goes backwards.

    Args:
        start: the time it shows first, aware UTC.
        speed: sandbox seconds per real second; 0 stands still.
        ticks: real seconds that only grow (`time.monotonic`).
    """

    def __init__(self, start: datetime, *, speed: float, ticks: Callable[[], float]) -> None:
        self._start, self._speed, self._ticks = start, speed, ticks
        self._began = ticks()
        self._pushed = timedelta()

    def now(self) -> datetime:
        elapsed = timedelta(seconds=(self._ticks() - self._began) * self._speed)
        return self._start + elapsed + self._pushed

    def advance(self, step: timedelta) -> datetime:
        """Push the time forward.

        Raises:
            ValueError: the step is negative, or leads beyond all years that there are.
        """
        if step < timedelta():
            raise ValueError("time only goes forward here")
        try:
            moment = self.now() + step
        except OverflowError:
            raise ValueError("there is no such time") from None
        self._pushed += step
        return moment

    def run_at(self, speed: float) -> datetime:
        """Run at another speed from now on.

        Raises:
            ValueError: as `check_speed`.
        """
        check_speed(speed)
        self._start, self._pushed, self._began, self._speed = self.now(), timedelta(), self._ticks(), speed
        return self._start

    def reach(self, moment: datetime) -> None:
        """Push the time forward to a moment, if it is not past that already."""
        self._pushed += max(moment - self.now(), timedelta())


def check_speed(speed: float) -> float:
    """A speed at which time goes on.

    Raises:
        ValueError: it would stand still, go back, or be over at once.
    """
    if not 0 < speed < float("inf"):
        raise ValueError("expected a speed above 0, such as 60")
    return speed


def parse_step(text: str) -> timedelta:
    """Read "3 days", "90 minutes", "1.5h".

    Raises:
        ValueError: the text is no such period.
    """
    match = _STEP.match(text)
    if match is None:
        raise ValueError(f'expected a period such as "3 days", got {text!r}')
    return timedelta(**{_UNITS[match.group(2)[0].lower()]: float(match.group(1))})

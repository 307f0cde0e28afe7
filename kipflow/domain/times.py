"""Times as text, always in UTC."""

from __future__ import annotations

from datetime import UTC, datetime


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

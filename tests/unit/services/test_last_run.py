"""A scheduler that died is noticed by the runs that do not come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kipflow.services.conditions import LONG, find_pause, note_run
from tests.unit.services.stores import open_memory

NOW = datetime(2026, 3, 5, 9, tzinfo=UTC)


def test_a_pause_of_more_than_two_polls_is_reported() -> None:
    store = open_memory()
    note_run(store, NOW - timedelta(days=1))
    note_run(store, NOW)
    assert find_pause(store, NOW + LONG) is None
    assert find_pause(store, NOW + timedelta(hours=3)) == timedelta(hours=3)


def test_where_nothing_was_ever_scheduled_nothing_is_missed() -> None:
    assert find_pause(open_memory(), NOW) is None

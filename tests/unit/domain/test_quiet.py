"""Quiet hours: what is due in them waits until they are over, over midnight, over weekends, over a change of clocks."""

from __future__ import annotations

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from kipflow.domain.times import QuietHours

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = QuietHours(begins=time(22), ends=time(7), zone=BERLIN)
NOON = QuietHours(begins=time(12), ends=time(13), zone=ZoneInfo("UTC"))
WEEKENDS = QuietHours(begins=time(22), ends=time(7), weekends=True, zone=BERLIN)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("quiet", "due", "goes_out"),
    [
        (NIGHT, "2026-03-02T12:00", "2026-03-02T12:00"),
        (NIGHT, "2026-03-02T21:30", "2026-03-03T06:00"),
        (NIGHT, "2026-03-03T03:00", "2026-03-03T06:00"),
        (NIGHT, "2026-03-03T06:00", "2026-03-03T06:00"),
        (NIGHT, "2026-03-28T23:00", "2026-03-29T05:00"),  # the night in which clocks go forward
        (NOON, "2026-03-02T12:59", "2026-03-02T13:00"),
        (WEEKENDS, "2026-03-06T21:30", "2026-03-09T06:00"),  # Friday evening
        (WEEKENDS, "2026-03-07T12:00", "2026-03-09T06:00"),
        (QuietHours(zone=BERLIN), "2026-03-07T00:00", "2026-03-07T00:00"),
    ],
)
def test_what_is_due_in_quiet_hours_waits_for_their_end(quiet: QuietHours, due: str, goes_out: str) -> None:
    assert quiet.find_end(moment(due)) == moment(goes_out)

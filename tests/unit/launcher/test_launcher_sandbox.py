"""Where a sandbox's story goes on at the next start, and when its time begins to run fast."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kipflow.config.settings import Settings
from kipflow.domain.errors import LaunchFailed
from kipflow.launcher.layout import find_layout
from kipflow.launcher.sandbox import Sandbox, plan_sandbox

FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
NEXT_DAY = FIRST + timedelta(days=1)


def plan(home: Path, now: datetime, speed: str = "") -> Sandbox:
    settings = Settings(home=home, config=home, community="sandbox", database_url="sqlite://", sends=False)
    environment = {"KIPFLOW_SANDBOX_SPEED": speed}
    return plan_sandbox(find_layout(settings), port=1, mail_port=2, environment=environment, now=now)


def test_a_story_that_is_to_run_fast_goes_on_where_it_was_left_and_another_at_the_present(tmp_path: Path) -> None:
    plan(tmp_path, FIRST)
    fast = plan(tmp_path, NEXT_DAY, "60")
    assert (fast.anchor, fast.start) == (FIRST, FIRST), "its votes are still to come"
    slow = plan(tmp_path, NEXT_DAY)
    assert (slow.anchor, slow.start) == (FIRST, NEXT_DAY)


def test_time_does_not_run_fast_before_all_is_up(tmp_path: Path) -> None:
    planned = plan(tmp_path, FIRST, "60")
    assert planned.speed == 60
    assert "--speed" not in planned.command


@pytest.mark.parametrize("speed", ["fast", "0", "-1", "nan", "inf"])
def test_a_speed_that_is_none_is_refused(tmp_path: Path, speed: str) -> None:
    with pytest.raises(LaunchFailed, match="KIPFLOW_SANDBOX_SPEED"):
        plan(tmp_path, FIRST, speed)

"""A process that dies between any two steps loses nothing and doubles nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kipflow.wiring import Parts
from tests.integration.conftest import connect_to, running_sandbox
from tests.integration.test_story import history

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
#: Which transaction of each run is its last, and whether it is still kept. Every run goes on where the
#: one before it died, so that later runs die ever deeper in the work: reading, pages, decisions, sending.
DEATHS = [(2, "before"), (3, "after"), (5, "before"), (16, "after"), (25, "before"), (60, "after"), (40, "before")]


def run(url: str, home: Path, at: int = 0, when: str = "before") -> int:
    command = [sys.executable, "-m", "tests.integration.crash_run", url, str(home), str(at), when]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode in {0, 9}, done.stderr
    return done.returncode


def contents(parts: Parts) -> dict[str, Any]:
    effects = parts.store.effects(limit=1_000)
    return {
        "history": history(parts),
        "effects": sorted((row.key.partition("/1000/")[0], row.status) for row in effects.rows),
        "mails": parts.store.overview(parts.clock()).messages,
        "unreadable": sorted((row.source, row.why) for row in parts.store.unreadable(limit=500).rows),
    }


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Two sandboxes whose time stands still, so that both runs see everything at the same moment."""
    with (
        running_sandbox("--speed", "0", log=tmp_path / "one.log") as one,
        running_sandbox("--speed", "0", log=tmp_path / "two.log") as two,
    ):
        yield one, two


def test_dying_again_and_again_gives_the_same_history_as_living(frozen: tuple[str, str], tmp_path: Path) -> None:
    own_sandbox, sandbox = frozen
    assert run(own_sandbox, tmp_path / "dying", 1, "before") == 9
    deaths = 1 + sum(run(own_sandbox, tmp_path / "dying", at, when) == 9 for at, when in DEATHS)
    assert deaths > len(DEATHS) - 2, "most runs must really have died"
    assert run(own_sandbox, tmp_path / "dying") == 0
    assert run(sandbox, tmp_path / "living") == 0
    dying, living = connect_to(own_sandbox, tmp_path / "dying"), connect_to(sandbox, tmp_path / "living")
    try:
        assert contents(dying) == contents(living)
    finally:
        dying.store.close()
        living.store.close()

"""A process that dies between any two steps loses nothing and doubles nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.store import SqlSession
from kipflow.wiring import Parts
from tests.integration.conftest import connect_to, running_sandbox
from tests.integration.killing import await_end, fork
from tests.integration.rounds import run_once
from tests.integration.test_story import history

pytestmark = pytest.mark.integration

#: Which transaction of each run is its last, and whether it is still kept. Every run goes on where the
#: one before it died, so that later runs die ever deeper in the work: reading, pages, decisions, sending.
DEATHS = [(2, "before"), (3, "after"), (5, "before"), (16, "after"), (25, "before"), (60, "after"), (40, "before")]


def run(url: str, home: Path, at: int = 0, when: str = "before") -> None:
    """One round; the process dies before or after a transaction is kept, where it is to, as with a power cut."""
    begin, count = SqlStore.begin, 0

    @contextmanager
    def begin_and_die(self: SqlStore) -> Iterator[SqlSession]:
        nonlocal count
        count += 1
        with begin(self) as session:
            yield session
            if count == at and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    parts = connect_to(url, home)
    with patch.object(SqlStore, "begin", begin_and_die):
        run_once(parts)
    parts.store.close()


def dies(url: str, home: Path, at: int, when: str) -> bool:
    return await_end(fork(partial(run, url, home, at, when))) == -9


def contents(parts: Parts) -> dict[str, Any]:
    effects = parts.store.effects(limit=1_000)
    return {
        "history": history(parts),
        "effects": sorted((row.key.partition("/1000/")[0], row.status) for row in effects.rows),
        "mails": parts.store.overview(parts.clock()).messages,
        "unreadable": sorted((row.source, row.why) for row in parts.store.unreadable(limit=500).rows),
    }


@pytest.fixture
def frozen() -> Iterator[tuple[str, str]]:
    """Two sandboxes whose time stands still, so that both runs see everything at the same moment."""
    with running_sandbox(speed=0) as one, running_sandbox(speed=0) as two:
        yield one, two


def test_dying_again_and_again_gives_the_same_history_as_living(frozen: tuple[str, str], tmp_path: Path) -> None:
    own_sandbox, sandbox = frozen
    run(sandbox, tmp_path / "living")
    assert dies(own_sandbox, tmp_path / "dying", 1, "before")
    deaths = 1 + sum(dies(own_sandbox, tmp_path / "dying", at, when) for at, when in DEATHS)
    assert deaths > len(DEATHS) - 2, "most runs must really have died"
    run(own_sandbox, tmp_path / "dying")
    dying, living = connect_to(own_sandbox, tmp_path / "dying"), connect_to(sandbox, tmp_path / "living")
    try:
        assert contents(dying) == contents(living)
    finally:
        dying.store.close()
        living.store.close()

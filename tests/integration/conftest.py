"""A sandbox over real HTTP, and the parts of kipflow connected to it."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import uvicorn

from kipflow.adapters.patience import Pace, Patience
from kipflow.adapters.store import SqlStore
from kipflow.config.settings import read_settings
from kipflow.sandbox.app import create_app
from kipflow.wiring import Parts, connect
from kipflow.wiring.environment import Secrets
from tests.databases import copy_database
from tests.integration.mailserver import CountingArchive, serving
from tests.integration.rounds import run_once

ANCHOR = datetime(2026, 11, 12, 10, 30, tzinfo=UTC)


@contextmanager
def running_sandbox(*, now: datetime = ANCHOR, **options: Any) -> Iterator[str]:
    """A sandbox, `create_app` with these options; gives its address.

    It runs on a thread: a program of its own would import half of kipflow before it answers.
    """
    app = create_app(anchor=now, now=now, ticks=time.monotonic, **options)
    # without a configuration for logs: the one of uvicorn would be this process's too
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1))
    with socket.create_server(("127.0.0.1", 0)) as listener:  # who asks before it accepts is kept waiting
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive(), "the sandbox does not stop"


def connect_to(
    url: str, home: Path, *, community: str = "sandbox", patience: Patience | None = None, **variables: str
) -> Parts:
    """The parts of a community that lives at `url`, with a migrated database below `home`.

    Without the polite pauses between requests, which the clients' own tests state: half a hundred tickets are
    asked for in every round, and nobody else waits for this server.
    """
    environment = {
        "KIPFLOW_SANDBOX_URL": url,
        "KIPFLOW_SANDBOX_SINCE": "2025-08",
        "KIPFLOW_HOME": str(home),
        "KIPFLOW_COMMUNITY": community,
        **variables,
    }
    with (
        patch.dict(os.environ, environment),
        patch("kipflow.adapters.http.Pace", return_value=Pace(0)),
        patch("kipflow.adapters.http.Patience", return_value=patience or Patience()),
    ):
        parts = connect(read_settings(), secrets=Secrets(slack="xoxb-test"))
    file = home / f"{community}.db"
    if parts.settings.database_url == f"sqlite:///{file}" and not file.exists():
        copy_database(file)
    parts.store.migrate()
    return parts


@pytest.fixture(scope="session")
def sandbox() -> Iterator[str]:
    """One sandbox for tests that only read."""
    with running_sandbox() as url:
        yield url


@pytest.fixture
def own_sandbox() -> Iterator[str]:
    """A sandbox of this test's own: it may be written to, and its time may pass."""
    with running_sandbox() as url:
        yield url


@pytest.fixture(scope="module")
def outside() -> Iterator[str]:
    """A sandbox whose time stands still."""
    with running_sandbox(speed=0) as url:
        yield url


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """A migrated, empty store; its community's services do not answer."""
    parts = connect_to("http://127.0.0.1:1", tmp_path)
    yield parts.store
    parts.store.close()


@pytest.fixture
def archive() -> Iterator[CountingArchive]:
    """A list archive that counts what it is asked."""
    with serving(CountingArchive()) as state:
        yield state


@pytest.fixture
def parts_of(tmp_path: Path) -> Callable[[str], Parts]:
    def make(url: str) -> Parts:
        return connect_to(url, tmp_path / "home")

    return make


def remembering_sandbox(folder: Path) -> AbstractContextManager[str]:
    """A sandbox that keeps in a folder what was done there, and goes on from it."""
    return running_sandbox(memory=folder / "memory.json")


@pytest.fixture(scope="session")
def first_round(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sandbox and of a kipflow that has worked there once, for tests to copy."""
    folder = tmp_path_factory.mktemp("first-round")
    with remembering_sandbox(folder) as url:
        parts = connect_to(url, folder / "home")
        run_once(parts)
        parts.store.close()
    return folder


@contextmanager
def resume(first_round: Path, folder: Path) -> Iterator[tuple[str, Parts]]:
    """A sandbox and a kipflow after their first round, from a copy in the folder."""
    shutil.copytree(first_round, folder, dirs_exist_ok=True)
    with remembering_sandbox(folder) as url:
        parts = connect_to(url, folder / "home")
        yield url, parts
        parts.store.close()


@pytest.fixture
def played(first_round: Path, tmp_path: Path) -> Iterator[tuple[str, Parts]]:
    """A sandbox and a kipflow after their first round, of this test's own."""
    with resume(first_round, tmp_path) as (url, parts):
        yield url, parts

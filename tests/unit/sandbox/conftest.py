"""A sandbox without a server, with a clock that a test holds in its hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from kipflow.sandbox.app import create_app
from kipflow.sandbox.story import Story, build_story

ANCHOR = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)


class Ticks:
    """Real seconds, as far as a test lets them pass."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(scope="session")
def story() -> Story:
    return build_story(ANCHOR)


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def make_client(ticks: Ticks) -> Callable[..., TestClient]:
    def make(**changes: Any) -> TestClient:
        options: dict[str, Any] = {"anchor": ANCHOR, "now": ANCHOR, **changes}
        return TestClient(create_app(**options, ticks=ticks))

    return make


@pytest.fixture
def client(make_client: Callable[..., TestClient]) -> TestClient:
    return make_client()


@pytest.fixture
def server() -> Iterator[str]:
    """A sandbox behind a real server on a free port, for what only a socket can show."""
    config = uvicorn.Config(
        create_app(anchor=ANCHOR, now=ANCHOR, speed=0, ticks=time.monotonic),
        host="127.0.0.1",
        port=0,
        log_level="critical",
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not running.started:
        if time.monotonic() > deadline:
            raise TimeoutError("the sandbox did not start")
        time.sleep(0.02)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(timeout=10)

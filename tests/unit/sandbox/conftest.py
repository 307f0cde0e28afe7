"""A sandbox without a server, with a clock that a test holds in its hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from kipflow.sandbox.app import create_app
from kipflow.sandbox.story import Story, build_story
from tests.web.servers import serve

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
    with serve(create_app(anchor=ANCHOR, now=ANCHOR, speed=0, ticks=time.monotonic)) as url:
        yield url

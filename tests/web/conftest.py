"""What the board's tests share: an invented community in memory, and a client for its pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from anyio.from_thread import start_blocking_portal
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, sync_playwright

from kipflow.config.settings import read_settings
from kipflow.web.app import create_app
from kipflow.web.render import Masthead
from kipflow.wiring import Parts, connect
from tests.living import live_in
from tests.web.asked import decide_in
from tests.web.community import NOW
from tests.web.memory import MemoryBoard, build_board


@pytest.fixture(scope="session", autouse=True)
def _one_loop() -> Iterator[None]:
    """A client starts a thread with an event loop for each request; here all go to one."""
    with start_blocking_portal() as portal, patch.object(TestClient, "portal", portal):
        yield


@pytest.fixture(scope="session")
def board() -> MemoryBoard:
    return build_board()


@pytest.fixture(scope="session")
def client(board: MemoryBoard) -> TestClient:
    return TestClient(
        create_app(lambda: board, clock=lambda: NOW, masthead=lambda: Masthead(title="Sandbox community"))
    )


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The machine's own Chromium, headless."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a community whose vote depends on who is who, for each test to copy."""
    folder = tmp_path_factory.mktemp("asked")
    decide_in(folder)
    return folder


@pytest.fixture
def parts(asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parts]:
    """That community, in a store of its own."""
    shutil.copytree(asked, tmp_path, dirs_exist_ok=True)
    live_in(monkeypatch, tmp_path / "home", config=tmp_path / "config")
    connected = connect(read_settings())
    yield connected
    connected.store.close()

"""What the board's tests share: an invented community in memory, and a client for its pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, sync_playwright

from kipflow.web.app import create_app
from kipflow.web.render import Masthead
from tests.web.community import NOW
from tests.web.memory import MemoryBoard, build_board


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

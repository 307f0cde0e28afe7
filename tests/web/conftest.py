"""What the board's tests share: an invented community in memory, and a client for its pages."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from kipflow.web.app import create_app
from tests.web.community import NOW, MemoryBoard, build_board


@pytest.fixture(scope="session")
def board() -> MemoryBoard:
    return build_board()


@pytest.fixture(scope="session")
def client(board: MemoryBoard) -> TestClient:
    return TestClient(create_app(lambda: board, clock=lambda: NOW, title="Sandbox community"))

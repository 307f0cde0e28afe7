"""Whoever has a page or an answer already is not sent it again."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient

from kipflow.services.board import Overview
from kipflow.web.app import create_app
from tests.web.community import NOW, facts
from tests.web.memory import MemoryBoard, build_board
from tests.web.test_board_acts import writing_of


class CountedBoard(MemoryBoard):
    reads = stored = 0

    def version(self) -> int:
        return self.stored

    def overview(self, as_of: datetime) -> Overview:
        self.reads += 1
        return super().overview(as_of)


@pytest.mark.parametrize("path", ["/", "/review", "/proposals", "/api/overview", "/api/proposals"])
def test_what_is_read_again_unchanged_is_not_sent_again(path: str) -> None:
    shown = {"board": build_board(), "now": NOW}
    app = create_app(lambda: shown["board"], clock=lambda: shown["now"], writing=writing_of("Ines"))  # type: ignore[arg-type, return-value]
    client = TestClient(app)
    first = client.get(path)
    shown["now"] = NOW + timedelta(seconds=20)
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "no-store"
    shown["board"] = MemoryBoard([facts(1, "Another", created=NOW)])
    changed = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


def test_what_went_wrong_has_no_tag() -> None:
    client = TestClient(create_app(build_board, clock=lambda: NOW))
    assert "etag" not in client.get("/proposals/4711").headers


def test_the_first_page_is_read_once_for_all_until_the_store_changes_or_a_minute_is_over() -> None:
    board, shown = CountedBoard([facts(1, "The first", created=NOW)]), {"now": NOW}
    client = TestClient(create_app(lambda: board, clock=lambda: shown["now"]))
    first = client.get("/")
    shown["now"] = NOW + timedelta(seconds=20)
    assert client.get("/").text == first.text
    assert board.reads == 1
    board.stored += 1
    client.get("/")
    assert board.reads == 2
    shown["now"] = NOW + timedelta(minutes=1)
    assert client.get("/").text != first.text
    assert board.reads == 3

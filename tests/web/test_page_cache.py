"""The first page is kept for all who would be shown the same, and for nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi import Request
from fastapi.testclient import TestClient

from kipflow.config.settings import Settings
from kipflow.web.app import create_app
from kipflow.web.writing import WriteAccess
from kipflow.wiring import Parts, connect, open_desk
from tests.web.community import NOW
from tests.web.story import store_story, write_config

QUESTION = "1 open question"


@pytest.fixture
def parts(tmp_path: Path, database_url: sa.URL) -> Iterator[Parts]:
    config = write_config(tmp_path / "config")
    settings = Settings(home=tmp_path, config=config, community="board", database_url="", sends=False)
    connected = connect(settings, database_url=database_url)
    store_story(connected)
    yield connected
    connected.store.close()


def find_operator(request: Request) -> str | None:
    return request.headers.get("x-operator")


def open_board(parts: Parts) -> TestClient:
    writing = WriteAccess(
        desk=lambda: open_desk(parts), find_operator=find_operator, secret="s" * 40, audit=lambda *_: None
    )
    return TestClient(
        create_app(
            lambda: parts.store,
            clock=lambda: NOW,
            find_me=lambda request: request.headers.get("x-me", ""),
            writing=writing,
        )
    )


def test_a_question_that_is_settled_is_gone_from_the_kept_page_at_once(parts: Parts) -> None:
    client = open_board(parts)
    first = client.get("/")
    assert QUESTION in first.text
    [ballot] = [row.item for row in parts.store.review() if row.number == 7]
    values = {"proposal": 7, "mail": ballot.subject, "choice": "none"}
    done = client.post(
        "/api/acts/ballot", json={"values": values, "reason": "asked him"}, headers={"x-operator": "Ines"}
    )
    assert done.status_code == 200, done.text
    after = client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (after.status_code, QUESTION in after.text) == (200, False)


def test_what_is_kept_is_shown_to_nobody_of_other_rights(parts: Parts) -> None:
    client = open_board(parts)
    readers: tuple[dict[str, str], ...] = (
        {"x-operator": "Ines"},
        {},
        {"x-me": "noor"},
        {"x-me": "wei", "x-operator": "Wei"},
        {"x-me": "dario"},
    )
    operator, reader, noor, wei, dario = [client.get("/", headers=headers).text for headers in readers]
    assert operator == reader, "it has no form, whoever asks first"
    assert noor == wei == dario, "it names nobody: each is led to a page of their own"
    assert 'name="token"' not in operator + noor
    assert ('"./me"' in noor, '"./me"' in reader) == (True, False)
    assert "form" not in reader

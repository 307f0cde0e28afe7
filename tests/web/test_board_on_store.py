"""The board over the real store: mail in as bytes, decisions by the real rules, pages out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from fastapi.testclient import TestClient
from lxml import html

from kipflow.web.app import create_app
from kipflow.wiring import Parts
from tests.web.community import NOW
from tests.web.story import connect_board, store_story


def client_of(parts: Parts) -> TestClient:
    return TestClient(create_app(lambda: parts.store, clock=lambda: NOW))


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    connected = connect_board(tmp_path_factory.mktemp("board"))
    store_story(connected)
    yield connected
    connected.store.close()


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """The SQL that is sent meanwhile, by any engine."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", note)


def test_a_vote_read_from_mail_is_on_the_overview_with_its_clock_and_tally(parts: Parts) -> None:
    page = html.fromstring(client_of(parts).get("/").text)
    (vote,) = page.xpath("//article[@class = 'vote']")
    words = " ".join(vote.text_content().split())
    assert "KIP-7 Bounded <b>retries</b> & more" in words
    assert "closes in 14 h at the earliest" in words
    assert "needs 1 more binding +1" in words
    counts = [row.xpath("td[contains(@class, 'n')]/text()") for row in vote.xpath(".//tbody/tr")]
    assert counts == [["2", "0", "0"], ["1", "0", "0"]], "binding, then the others: +1, 0, -1"


def test_its_page_shows_each_mails_line_with_the_rule_and_a_permalink(parts: Parts) -> None:
    page = html.fromstring(client_of(parts).get("/proposals/7").text)
    ballots = {
        row.xpath("string(th)").split()[0]: row for row in page.xpath("//table[contains(@class, 'ballots')]/tbody/tr")
    }
    assert "+1 (binding)" in ballots["Wei"].text_content()
    assert ballots["Wei"].xpath(".//a/@href")[0].startswith("https://lists.example/thread/")
    assert "review" in ballots["Dario"].text_content()
    assert "<script>alert(1)</script>" in ballots["Mallory"].text_content()
    assert page.xpath("//script[not(@src)]") == []


def test_the_question_it_leaves_open_is_in_the_review_queue(parts: Parts) -> None:
    page = html.fromstring(client_of(parts).get("/review").text)
    (question,) = page.xpath("//article[@class = 'question']")
    assert "+1 if the default stays at one" in question.text_content()
    assert len(question.xpath(".//ul[@class = 'ways']/li")) == 2


@pytest.mark.parametrize("path", ["/proposals", "/data", "/outbox", "/metrics", "/api/overview", "/api/proposals/7"])
def test_every_other_page_can_be_read_too(parts: Parts, path: str) -> None:
    assert client_of(parts).get(path).status_code == 200


def test_a_proposal_that_is_not_known_is_a_404(parts: Parts) -> None:
    assert client_of(parts).get("/proposals/4711").status_code == 404


def test_a_stage_that_only_an_index_says_has_no_date_in_lists_and_as_json(tmp_path: Path) -> None:
    board = connect_board(tmp_path)
    store_story(board, imported=4)
    client = client_of(board)
    page, rows = html.fromstring(client.get("/proposals").text), client.get("/api/proposals").json()["proposals"]
    board.store.close()
    shown = {
        row.xpath("string(td[1])"): row.xpath("string(td[contains(@class, 'c-since')])")
        for row in page.xpath("//tbody/tr")
    }
    assert [key for key, since in shown.items() if since == "date unknown"] == [
        "KIP-103",
        "KIP-102",
        "KIP-101",
        "KIP-100",
    ]
    assert {row["number"]: row["undated"] for row in rows} == {7: False, 100: True, 101: True, 102: True, 103: True}
    assert all(row["since"] for row in rows), "what programs read before is still there"


def test_the_overview_sends_no_more_queries_for_hundreds_of_proposals(tmp_path: Path, parts: Parts) -> None:
    large = connect_board(tmp_path)
    store_story(large, imported=160)
    with counted_statements() as few:
        client_of(parts).get("/")
    with counted_statements() as many:
        page = client_of(large).get("/")
    large.store.close()
    assert html.fromstring(page.text).xpath("//a[contains(@class, 'tile-accepted')]/span[1]/text()") == ["40"]
    assert len(many) == len(few)
    assert len(page.content) < 200_000

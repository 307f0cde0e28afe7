"""The wiki's client against a server that misbehaves."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.domain.errors import SaveConflict, ServiceUnavailable, UnreadableInput
from kipflow.services.ports import WikiPage
from tests.integration.adapters.faulty import QUICK, Server, answer, as_json

TOKEN = "pat-very-secret-1234"
PAGE = WikiPage(
    page_id="42",
    version=7,
    title="KIP-1: x",
    body="<p>old</p>",
    saved_at=datetime(2026, 1, 1, tzinfo=UTC),
    saved_by="Kim Osei",
)


@pytest.fixture
def wiki(server: Server) -> ConfluenceWiki:
    return ConfluenceWiki(server.url, TOKEN, patience=QUICK)


def content(version: int = 7, body: str = "<p>old</p>", **more: Any) -> dict[str, Any]:
    return {
        "id": "42",
        "title": "KIP-1: x",
        "version": {"number": version, "when": "2026-01-01T12:00:00.000+02:00", "by": {"displayName": "Kim Osei"}},
        "body": {"storage": {"value": body}},
        "metadata": {"labels": {"results": [{"name": "kip"}]}},
        "_links": {"base": "https://wiki.example", "webui": "/display/K/KIP-1"},
        **more,
    }


def test_a_page_comes_with_version_author_time_in_utc_address_and_labels(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(as_json(content()))
    page = wiki.fetch_page("42")
    assert (page.version, page.saved_by, page.body) == (7, "Kim Osei", "<p>old</p>")
    assert page.saved_at == datetime(2026, 1, 1, 10, tzinfo=UTC)
    assert page.url == "https://wiki.example/display/K/KIP-1"
    assert page.labels == ("kip",)
    assert server.seen[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_an_earlier_version_is_asked_for_as_historical(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(as_json(content(3)))
    assert wiki.fetch_version("42", 3).version == 3
    assert "status=historical&version=3" in server.seen[0].path


def test_another_version_than_the_asked_one_is_not_taken(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(as_json(content(7)))
    with pytest.raises(UnreadableInput, match="asked for version 3, got 7"):
        wiki.fetch_version("42", 3)


@pytest.mark.parametrize(("status", "why"), [(404, "deleted"), (403, "restricted")])
def test_a_page_that_is_gone_or_hidden_says_so(server: Server, wiki: ConfluenceWiki, status: int, why: str) -> None:
    server.play(answer(b"", status))
    with pytest.raises(UnreadableInput, match=why):
        wiki.fetch_page("42")


@pytest.mark.parametrize("missing", ["version", "body", "title"])
def test_an_answer_without_what_makes_a_page_is_a_fault_and_no_page(
    server: Server, wiki: ConfluenceWiki, missing: str
) -> None:
    odd = as_json({k: v for k, v in content().items() if k != missing})
    server.play(odd)
    with pytest.raises(ServiceUnavailable, match=f"another shape.*{missing}"):
        wiki.fetch_page("42")
    server.play(odd, as_json(content()))
    assert wiki.fetch_page("42").version == 7, "the next attempt may be right"


def test_a_refused_token_is_said_once_and_never_shown(
    server: Server, wiki: ConfluenceWiki, caplog: pytest.LogCaptureFixture
) -> None:
    server.play(answer(b"no", 401))
    with caplog.at_level(logging.DEBUG), pytest.raises(ServiceUnavailable) as caught:
        wiki.fetch_page("42")
    assert "token was refused" in str(caught.value)
    assert len(server.seen) == 1
    shown = str(caught.value) + repr(caught.value.__dict__) + repr(wiki.__dict__) + caplog.text
    assert TOKEN not in shown


def test_a_password_in_the_address_is_used_and_never_shown(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    wiki = ConfluenceWiki(server.url.replace("http://", "http://kim:geheim-77@"), patience=QUICK)
    server.play(answer(b"", 500), answer(b"", 500), answer(b"", 401))
    with caplog.at_level(logging.DEBUG), pytest.raises(ServiceUnavailable) as caught:
        wiki.fetch_page("42")
    assert server.seen[0].headers["Authorization"].startswith("Basic ")
    assert "geheim" not in str(caught.value) + caught.value.url + caplog.text


def test_what_does_not_pass_ends_in_one_clear_error(
    server: Server, wiki: ConfluenceWiki, caplog: pytest.LogCaptureFixture
) -> None:
    server.play(answer(b"", 502))
    with pytest.raises(ServiceUnavailable, match="GET /content/42: answered 502 Bad Gateway"):
        wiki.fetch_page("42")
    assert len(server.seen) == QUICK.attempts
    assert "attempt 1 of at most 4" in caplog.text


def child(number: int, version: int = 1) -> dict[str, Any]:
    return {"id": str(number), "title": f"KIP-{number}: t", "version": {"number": version}}


def children(rows: list[dict[str, Any]], limit: int) -> Any:
    def step(handler: BaseHTTPRequestHandler) -> None:
        query = dict(pair.split("=") for pair in handler.path.partition("?")[2].split("&"))
        start, asked = int(query["start"]), int(query["limit"])
        size = min(limit, asked)
        part = rows[start : start + size]
        links = {"next": "/more"} if start + size < len(rows) else {}
        as_json({"results": part, "start": start, "limit": size, "size": len(part), "_links": links})(handler)

    return step


@pytest.mark.parametrize("limit", [25, 100, 7])
def test_all_children_come_whatever_the_server_gives_at_once(server: Server, wiki: ConfluenceWiki, limit: int) -> None:
    server.play(children([child(n) for n in range(1, 131)], limit))
    assert [ref.page_id for ref in wiki.fetch_children("1000")] == [str(n) for n in range(1, 131)]


def test_the_pages_of_a_large_community_are_listed_with_few_requests(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(children([child(n) for n in range(1, 1_301)], 200))
    assert len(list(wiki.fetch_children("1000"))) == 1_300
    assert len(server.seen) == 7


def test_a_child_that_moved_while_reading_comes_once(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(children([child(1), child(2), child(1), child(3)], 2))
    assert [ref.page_id for ref in wiki.fetch_children("1000")] == ["1", "2", "3"]


def test_a_list_of_children_that_cannot_be_read_is_no_shorter_list(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(as_json({"results": [child(1), {"id": "9"}], "limit": 100}))
    with pytest.raises(ServiceUnavailable, match="another shape"):
        list(wiki.fetch_children("1000"))


def test_a_list_of_children_that_never_ends_is_left(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(as_json({"results": [], "limit": 100, "_links": {"next": "/again"}}))
    assert list(wiki.fetch_children("1000")) == []
    assert len(server.seen) == 1


@pytest.mark.parametrize("page_id", ["../../rest", "1?x=", "", "1/child"])
def test_a_page_id_cannot_lead_elsewhere(server: Server, wiki: ConfluenceWiki, page_id: str) -> None:
    with pytest.raises(UnreadableInput, match="not a page id"):
        wiki.fetch_page(page_id)
    assert server.seen == []


class Wiki:
    """A page that can be saved, with Confluence's rule for versions."""

    def __init__(self) -> None:
        self.version, self.body, self.saves = 7, "<p>old</p>", 0
        self.lose_answers = 0

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.command == "GET":
            as_json(content(self.version, self.body))(handler)
            return
        sent = json.loads(self.sent)
        if sent["version"]["number"] != self.version + 1:
            answer(b"conflict", 409)(handler)
            return
        self.version, self.body = sent["version"]["number"], sent["body"]["storage"]["value"]
        self.saves += 1
        if self.lose_answers:
            self.lose_answers -= 1
            answer(b"", 502)(handler)
            return
        as_json(content(self.version, self.body))(handler)

    sent = ""


@pytest.fixture
def page_server(server: Server) -> Wiki:
    state = Wiki()

    def step(handler: BaseHTTPRequestHandler) -> None:
        state.sent = server.seen[-1].body.decode()
        state(handler)

    server.play(step)
    return state


def test_a_save_makes_the_next_version_with_its_message(
    server: Server, wiki: ConfluenceWiki, page_server: Wiki
) -> None:
    saved = wiki.save_page(PAGE, body="<p>new</p>", message="KIP-1 was accepted")
    assert (saved.version, saved.body) == (8, "<p>new</p>")
    sent = json.loads(next(s.body for s in server.seen if s.method == "PUT"))
    assert sent["version"] == {"number": 8, "message": "KIP-1 was accepted", "minorEdit": False}
    assert sent["title"] == PAGE.title


def test_a_save_over_someone_elses_is_a_conflict(wiki: ConfluenceWiki, page_server: Wiki) -> None:
    page_server.version, page_server.body = 8, "<p>theirs</p>"
    with pytest.raises(SaveConflict) as caught:
        wiki.save_page(PAGE, body="<p>new</p>", message="m")
    assert (caught.value.page_id, caught.value.version) == ("42", 7)
    assert page_server.body == "<p>theirs</p>"


def test_a_save_whose_answer_was_lost_is_neither_repeated_nor_called_a_conflict(
    wiki: ConfluenceWiki, page_server: Wiki
) -> None:
    page_server.lose_answers = 1
    saved = wiki.save_page(PAGE, body="<p>new</p>", message="m")
    assert (saved.version, saved.body) == (8, "<p>new</p>")
    assert page_server.saves == 1


class Space:
    """Makes pages as Confluence does: one title, one page."""

    def __init__(self) -> None:
        self.pages: dict[str, dict[str, Any]] = {}
        self.lose_answers = 0
        self.sent = b""

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path.partition("?")[0]
        if handler.command == "POST":
            made = json.loads(self.sent)
            if made["title"] in self.pages:
                as_json({"message": "A page with this title already exists"}, 400)(handler)
                return
            self.pages[made["title"]] = content(1, made["body"]["storage"]["value"], title=made["title"], id="77")
            self.made = made
            step = answer(b"", 502) if self.lose_answers else as_json(self.pages[made["title"]])
            self.lose_answers = 0
            step(handler)
        elif path == "/content":
            as_json({"results": list(self.pages.values()), "limit": 25})(handler)
        elif path == "/content/77":
            as_json(next(iter(self.pages.values())))(handler)
        else:
            as_json(content(space={"key": "KAFKA"}))(handler)


@pytest.fixture
def space(server: Server) -> Space:
    state = Space()

    def step(handler: BaseHTTPRequestHandler) -> None:
        state.sent = server.seen[-1].body
        state(handler)

    server.play(step)
    return state


def test_a_new_page_is_made_below_its_parent_in_its_space(wiki: ConfluenceWiki, space: Space) -> None:
    made = wiki.create_page("1000", title="KIP-9: New", body="<p>x</p>")
    assert (made.page_id, made.version, made.title) == ("77", 1, "KIP-9: New")
    assert space.made["space"] == {"key": "KAFKA"}
    assert space.made["ancestors"] == [{"id": "1000"}]


def test_a_page_whose_answer_was_lost_is_not_made_twice(wiki: ConfluenceWiki, space: Space) -> None:
    space.lose_answers = 1
    assert wiki.create_page("1000", title="KIP-9: New", body="<p>x</p>").page_id == "77"
    assert len(space.pages) == 1


def test_a_title_that_someone_else_took_is_a_conflict(wiki: ConfluenceWiki, space: Space) -> None:
    space.pages["KIP-9: New"] = content(4, "<p>theirs</p>", title="KIP-9: New", id="77")
    with pytest.raises(SaveConflict):
        wiki.create_page("1000", title="KIP-9: New", body="<p>x</p>")


def test_a_page_that_may_not_be_made_is_refused_at_once(server: Server, wiki: ConfluenceWiki) -> None:
    server.play(as_json(content(space={"key": "KAFKA"})), answer(b"", 403))
    with pytest.raises(ServiceUnavailable, match="not allowed"):
        wiki.create_page("1000", title="KIP-9: New", body="<p>x</p>")
    assert len(server.seen) == 2

"""Mail and wiki text is hostile until shown otherwise; a board that only reads has nothing to be tricked into."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import cache
from urllib.parse import parse_qs, unquote, urlencode, urljoin, urlsplit

import pytest
from fastapi import Depends, HTTPException, Request
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.pages import StatusWord
from kipflow.domain.proposals import Proposal
from kipflow.services.board import Board
from kipflow.web.app import create_app
from kipflow.web.errors import find_address
from tests.web.community import NOW, ago, ballot, facts, hours, page, poll
from tests.web.memory import MemoryBoard, build_board

ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}'
READS = ("/", "/proposals", "/proposals/666", "/review", "/data", "/outbox", "/metrics")


the_board = cache(build_board)


@cache
def hostile_board() -> MemoryBoard:
    """Every text that a stranger can write is an attack; every address is a script."""
    opened = ago(h=10)
    unclear = ballot(666, ATTACK, opened + hours(1), f"+1 {ATTACK}", why=ATTACK, rule=ATTACK)
    vote = poll(666, ATTACK, opened, [replace(unclear, address=ATTACK, value=ATTACK)], opened_by=ATTACK)
    saved = replace(
        page(666, ATTACK, ago(d=2), 1, StatusWord.ACCEPTED, ATTACK), url="javascript:alert(3)", saved_by=ATTACK
    )
    value = facts(666, ATTACK, created=ago(d=2), votes=[vote], pages=[saved])
    proposal = Proposal(number=666, title=ATTACK, author=ATTACK, page_url="javascript:alert(4)", jira=ATTACK)
    board = build_board([replace(value, proposal=proposal)])
    board._effects = tuple(replace(e, payload={"text": ATTACK}, last_error=ATTACK) for e in board._effects)
    board._unreadable = tuple(replace(u, source=ATTACK, why=ATTACK) for u in board._unreadable)
    return board


@cache
def client_of(board: Callable[[], Board], **more: object) -> TestClient:
    app = create_app(board, clock=lambda: NOW, **more)  # type: ignore[arg-type]
    return TestClient(app, raise_server_exceptions=False)


@pytest.mark.parametrize("path", READS)
def test_no_text_of_mail_or_wiki_becomes_markup(path: str) -> None:
    answer = client_of(hostile_board).get(path)
    assert answer.status_code == 200
    seen = html.fromstring(answer.text)
    assert seen.xpath("//script[not(starts-with(@src, './static/') or starts-with(@src, '../static/'))]") == []
    assert seen.xpath("//img[not(contains(@src, '/static/icon.svg'))] | //*[@onerror] | //*[@style] | //iframe") == []
    assert seen.xpath("//@href[starts-with(., 'javascript')]") == []
    if path not in {"/data", "/metrics"}:
        assert f"{ATTACK}" in seen.text_content(), "shown as it was written, template marks and all"


def test_a_search_text_is_shown_again_as_text() -> None:
    answer = client_of(the_board).get("/proposals", params={"q": ATTACK})
    (field,) = html.fromstring(answer.text).xpath("//input[@name = 'q']")
    assert field.get("value") == ATTACK
    assert "<script>alert" not in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/nope", "/proposals/99999", "/api/overview", "/static/board.css", "/proposals/x"]
)
def test_every_answer_forbids_foreign_and_inline_content(path: str) -> None:
    headers = client_of(the_board).get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'self'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_pages_are_not_kept_by_browsers_but_style_is() -> None:
    client = client_of(the_board)
    assert client.get("/").headers["cache-control"] == "no-store"
    assert "max-age" in client.get("/static/board.css").headers["cache-control"]


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("path", ["/", "/proposals/152", "/review", "/api/review"])
def test_nothing_can_be_written(method: str, path: str) -> None:
    answer = getattr(client_of(the_board), method)(path)
    assert answer.status_code == 405
    assert "nothing was changed" in answer.text


@pytest.mark.parametrize(
    ("path", "status", "line"),
    [
        ("/nope", 404, "There is no such page on this board."),
        ("/proposals/99999", 404, "No proposal 99999 is known."),
        ("/proposals/123456", 422, "This address is not understood"),
        ("/proposals/abc", 422, "This address is not understood"),
        ("/proposals?page=0", 422, "This address is not understood"),
        ("/proposals?sort=;drop", 422, "This address is not understood"),
        ("/api/proposals/99999", 404, "No proposal 99999 is known."),
        ("/api/nope", 404, "There is no such page on this board."),
        ("/static/../app.py", 404, "There is no such page on this board."),
    ],
)
def test_a_wrong_address_is_answered_with_one_clear_line(path: str, status: int, line: str) -> None:
    answer = client_of(the_board).get(path)
    assert answer.status_code == status
    said = answer.json()["error"] if path.startswith("/api") else html.fromstring(answer.text).xpath("string(//h1)")
    assert said.startswith(line)
    assert "Traceback" not in answer.text


def test_a_database_that_cannot_be_reached_is_reported_in_one_line_that_does_not_say_where_it_is() -> None:
    def unreachable() -> Board:
        raise ServiceUnavailable(service="database", url="sqlite:///x.db", why="no such table: proposal")

    answer = client_of(unreachable).get("/")
    assert answer.status_code == 503
    line = html.fromstring(answer.text).xpath("string(//h1)")
    assert line == "The database gives no answer: no such table: proposal"
    assert "x.db" not in answer.text


def test_a_clock_that_stands_still_does_not_break_the_page_that_says_so() -> None:
    def no_clock() -> datetime:
        raise ServiceUnavailable(service="clock", url="http://127.0.0.1:1/clock", why="connection refused")

    client = TestClient(create_app(the_board, clock=no_clock), raise_server_exceptions=False)
    assert client.get("/").status_code == 503
    assert "connection refused" in client.get("/proposals").text


def test_an_unexpected_failure_shows_no_detail_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Board:
        raise RuntimeError("secret detail")

    answer = client_of(broken).get("/api/overview")
    assert answer.status_code == 500
    assert answer.json() == {"error": "The board could not show this. The API server's log says why."}
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "secret detail" in caplog.text


@cache
def strangers_client(**more: object) -> TestClient:
    """A board that knows nobody, and whose store is never asked."""

    def refuse() -> None:
        raise HTTPException(401)

    def board() -> Board:
        raise AssertionError("the store was read for a stranger")

    return client_of(board, dependencies=(Depends(refuse),), sign_in_url="/auth/login", **more)


@pytest.mark.parametrize("path", [*READS[:2], "/proposals/152", *READS[3:], "/api/overview", "/api/proposals"])
def test_whoever_may_not_read_gets_no_page_and_no_json(path: str) -> None:
    answer = strangers_client().get(path)
    assert answer.status_code == 401
    assert "Sign in to Airflow to see this board." in answer.text


ASKED = (
    *READS,
    "/proposals?stage=Vote&q=a%26b+%C3%A9&sort=activity&order=asc&page=2",
    "/proposals/152/changes?since=vote&layout=inline",
    "/outbox?status=held&page=2",
)


@pytest.mark.parametrize("path", ASKED)
def test_a_browser_is_sent_to_the_sign_in_and_from_there_to_the_very_page_it_asked_for(path: str) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer = strangers_client().get(path, headers=browser, follow_redirects=False)
    assert answer.status_code == 302
    where = urlsplit(answer.headers["location"])
    assert (where.netloc, where.path) == ("", "/auth/login")
    assert parse_qs(where.query) == {"next": [path]}
    assert answer.headers["cache-control"] == "no-store", "once signed in, the same address is the page"
    assert answer.headers["vary"] == "Accept"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/", {"Accept": "application/json"}),
        ("/api/overview", {"Accept": "text/html"}),
        ("/api/proposals/152", {"Accept": "text/html"}),
    ],
)
def test_a_program_gets_401_and_sent_nowhere(path: str, headers: dict[str, str]) -> None:
    answer = strangers_client().get(path, headers=headers, follow_redirects=False)
    assert answer.status_code == 401
    assert "location" not in answer.headers


def test_a_page_that_asks_to_sign_in_links_to_a_sign_in_that_leads_back() -> None:
    page = html.fromstring(strangers_client().get("/proposals?q=a%26b").text)
    assert page.xpath("//h1/following::a/@href") == ["/auth/login?next=%2Fproposals%3Fq%3Da%2526b"]


@pytest.mark.parametrize(
    "path", ["//evil.example/x", "/\\evil.example", "///evil.example?next=//evil.example", "/%0d%0aX: y"]
)
def test_signing_in_can_lead_to_no_other_host(path: str) -> None:
    scope = {
        "type": "http",
        "path": unquote(path.partition("?")[0]),
        "query_string": path.partition("?")[2].encode(),
        "headers": [],
    }
    found = find_address(Request(scope))
    there = urlsplit(urljoin("https://airflow.example/", found))
    assert there.netloc == "airflow.example"
    assert re.match(r"/(?![/\\])", found)
    assert not re.search(r"[\r\n\\]", found)


@given(path=st.text(max_size=40), query=st.binary(max_size=40))
def test_whatever_was_asked_for_signing_in_stays_on_this_host(path: str, query: bytes) -> None:
    found = find_address(Request({"type": "http", "path": f"/{path}", "query_string": query, "headers": []}))
    assert re.match(r"/(?![/\\])", found)
    assert parse_qs(urlsplit(f"/login?{urlencode({'next': found})}").query)["next"] == [found]


def test_a_query_of_any_length_makes_no_endless_address() -> None:
    answer = strangers_client().get(
        "/proposals", params={"q": "x" * 9_000}, headers={"Accept": "text/html"}, follow_redirects=False
    )
    assert answer.headers["location"] == "/auth/login?next=%2Fproposals"


def test_an_account_that_may_not_see_the_board_can_sign_in_as_somebody_else() -> None:
    def forbid() -> None:
        raise HTTPException(403)

    app = create_app(the_board, clock=lambda: NOW, dependencies=[Depends(forbid)], sign_in_url="/auth/login")
    answer = TestClient(app).get("/review", headers={"Accept": "text/html"}, follow_redirects=False)
    assert answer.status_code == 403
    [link] = html.fromstring(answer.text).xpath("//h1/following::a")
    assert (link.text, link.get("href")) == ("Sign in as somebody else", "/auth/login?next=%2Freview")

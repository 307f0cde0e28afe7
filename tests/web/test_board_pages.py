"""The board's pages, read as a person reads them."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from urllib.parse import urljoin

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from lxml import html

from kipflow.domain.facts import Coverage
from kipflow.services.board import RecordedTransition, UnreadableRow
from kipflow.services.conditions import Situation, find_conditions
from kipflow.web.app import create_app
from kipflow.web.render import Masthead, build_environment
from tests.web.community import NOW, ago, corrected, facts
from tests.web.memory import MemoryBoard

PAGES = (
    "/",
    "/proposals",
    "/proposals/152",
    "/proposals/143",
    "/proposals/143/changes",
    "/review",
    "/data",
    "/outbox",
    "/metrics",
)


def text_of(client: TestClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return " ".join(html.fromstring(answer.text).text_content().split())


@cache
def find_status(client: TestClient, link: str) -> int:
    """What an address answers; most pages have the same links."""
    status: int = client.get(link).status_code
    return status


@pytest.mark.parametrize("path", PAGES)
def test_every_link_of_a_page_leads_to_a_page(client: TestClient, path: str) -> None:
    links = html.fromstring(client.get(path).text).xpath("//a/@href | //link/@href | //script/@src")
    inner = {urljoin(f"http://testserver{path}", link) for link in links if not link.startswith("http")}
    assert len(inner) > 5
    broken = {link: find_status(client, link) for link in inner}
    assert {link: status for link, status in broken.items() if status != 200} == {}


@pytest.mark.parametrize("path", PAGES)
def test_links_are_relative_so_that_the_board_works_under_any_mount(client: TestClient, path: str) -> None:
    page = html.fromstring(client.get(path).text)
    assert [link for link in page.xpath("//@href | //@src | //@action") if link.startswith("/")] == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_one_main_heading_and_names_its_tables_and_landmarks(client: TestClient, path: str) -> None:
    page = html.fromstring(client.get(path).text)
    assert len(page.xpath("//h1")) == 1
    assert page.xpath("//table[not(caption)]") == []
    assert page.xpath("//*[@aria-labelledby][not(@aria-labelledby = //@id)]") == []
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert page.xpath("//input[@type != 'hidden'][not(@id = //label/@for)] | //select[not(@id = //label/@for)]") == []


def test_the_overview_counts_proposals_by_stage_and_shows_each_vote_with_its_clock(client: TestClient) -> None:
    text = text_of(client, "/")
    for line in ("12 Discussion", "5 Vote", "22 Accepted", "closes in 14 h at the earliest", "period over 19 h ago"):
        assert line in text
    assert "2026-03-19 04:20 UTC" in text
    assert "needs 1 more binding +1" in text
    assert "dev@sandbox.example 2025-10: truncated after 38 mails" in text


def test_a_proposal_shows_each_ballot_with_its_line_its_rule_and_its_mail(client: TestClient) -> None:
    page = html.fromstring(client.get("/proposals/152").text)
    rows = [" ".join(row.text_content().split()) for row in page.xpath("//table[contains(@class, 'ballots')]/tbody/tr")]
    unclear = next(row for row in rows if "Dario Mele" in row)
    assert "+1 if the default stays at one retry" in unclear
    assert "rule conditional" in unclear
    assert "review the +1 is tied to a condition" in unclear
    assert page.xpath("//table[contains(@class, 'ballots')]//a[starts-with(@href, 'https://lists.example/thread/')]")


def test_an_unclear_ballot_shows_the_outcome_both_ways(client: TestClient) -> None:
    text = text_of(client, "/proposals/152")
    assert "at worst: falls short with +2 -0" in text
    assert "at best: passes with +3 -0" in text


def test_rounds_are_kept_apart_and_a_result_that_differs_says_where(client: TestClient) -> None:
    text = text_of(client, "/proposals/143")
    assert "Vote, round 2 passed" in text
    assert "Vote, round 1 cancelled" in text
    assert "non-binding +1: announced 3, counted 2" in text
    assert text.index("because the vote passed and its result was announced") < text.index("its page was created")


def test_a_correction_stays_visible_with_what_it_retracted(client: TestClient) -> None:
    class Corrected(MemoryBoard):
        def _history(self, held: object) -> tuple[RecordedTransition, ...]:
            return corrected(160)

    board = Corrected([facts(160, "Half an archive", created=ago(d=20))])
    page = TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/proposals/160").text
    entries = html.fromstring(page).xpath("//ol[@class = 'timeline']/li")
    words = [" ".join(e.text_content().split()) for e in entries]
    assert "Accepted → Vote correction because later evidence disproved" in words[0]
    assert any("Vote → Accepted" in w and "retracted" in w for w in words)


def test_drift_names_both_sides_and_how_to_fix_it(client: TestClient) -> None:
    text = text_of(client, "/review")
    said = 'page version 2 by Kofi Arthur, [0-9-]{10} “Accepted” Vote set "Current state" to "Voting"'
    assert re.search(f"KIP-146 Offset reset by duration {said}", text)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=154", ["KIP-154"]),
        ("?q=kip-154", ["KIP-154"]),
        ("?stage=Rejected", ["KIP-136"]),
        ("?stage=dormant&sort=title", ["KIP-134", "KIP-137"]),
        ("?stage=Draft&sort=number&order=asc", ["KIP-155", "KIP-156", "KIP-157"]),
        ("?stage=Vote&sort=close", ["KIP-146", "KIP-149", "KIP-152", "KIP-140", "KIP-154"]),
        ("?attention=1", ["KIP-152", "KIP-146", "KIP-143", "KIP-132", "KIP-131"]),
        ("?waiting=person", ["KIP-152", "KIP-146", "KIP-143", "KIP-132", "KIP-131"]),
        ("?waiting=wiki&interface=nonsense", ["KIP-146", "KIP-143"]),
        ("?waiting=nonsense&stage=Rejected", ["KIP-136"]),
        ("?stage=&q=zzz", []),
    ],
)
def test_the_list_is_filtered_searched_and_sorted_by_its_address(
    client: TestClient, query: str, found: list[str]
) -> None:
    page = html.fromstring(client.get(f"/proposals{query}").text)
    assert page.xpath("//td[contains(@class, 'c-number')]/a/text()") == found


def test_a_column_heading_turns_its_own_order_round_and_keeps_the_filter(client: TestClient) -> None:
    page = html.fromstring(client.get("/proposals?stage=Vote&q=o&sort=title").text)
    (heading,) = page.xpath("//th[@aria-sort]")
    assert heading.get("aria-sort") == "ascending"
    assert heading.xpath("a/@href") == ["?stage=Vote&q=o&sort=title&order=desc"]


def test_a_long_list_is_paged(client: TestClient) -> None:
    board = MemoryBoard([facts(n, f"Proposal {n}", created=NOW) for n in range(1, 121)])
    paged = TestClient(create_app(lambda: board, clock=lambda: NOW))
    last = html.fromstring(paged.get("/proposals?page=3").text)
    assert len(last.xpath("//td[contains(@class, 'c-number')]")) == 20
    assert last.xpath("//nav[@class = 'pager']/a/@href") == ["?page=2"]
    assert "101 to 120 shown" in last.text_content()


def test_an_empty_community_has_a_board_that_says_so() -> None:
    empty = TestClient(create_app(lambda: MemoryBoard([]), clock=lambda: NOW))
    assert "No vote is under way." in text_of(empty, "/")
    assert "No proposal fits." in text_of(empty, "/proposals")
    assert "Everything that was seen could be read." in text_of(empty, "/data")
    assert "No metrics yet" in text_of(empty, "/metrics")
    assert "Nothing here." in text_of(empty, "/outbox?status=held")


def test_a_move_shows_when_it_was_recorded_and_by_which_policy(client: TestClient) -> None:
    board = html.fromstring(client.get("/proposals/149").text)
    moves = [" ".join(e.text_content().split()) for e in board.xpath("//li[contains(@class, 'entry-move')]")]
    assert moves
    assert all(" recorded 20" in move and " policy " in move for move in moves)


def test_what_waits_for_a_person_shows_the_command_that_lets_it_go(client: TestClient) -> None:
    held = text_of(client, "/outbox?status=held")
    assert "To settle it: kipflow review release index/2026-03-18" in held
    assert "To settle it: kipflow review release 149/passing/9c/slack" in text_of(client, "/outbox?status=failed")
    sent = text_of(client, "/outbox?status=sent")
    assert "100/accepted/100/slack" in sent
    assert "To settle it" not in sent


def test_dry_run_is_said_on_every_page(board: MemoryBoard) -> None:
    dry = TestClient(create_app(lambda: board, clock=lambda: NOW, masthead=lambda: Masthead(dry_run=True)))
    assert all("dry-run" in text_of(dry, path) for path in PAGES)


def test_a_command_is_code_whatever_stands_around_it() -> None:
    mark = build_environment().filters["code"]
    assert mark("<b>: `poll <x>`, or `sync`") == "&lt;b&gt;: <code>poll &lt;x&gt;</code>, or <code>sync</code>"
    assert mark("no `pair <i>") == "no `pair &lt;i&gt;"


def test_every_page_says_what_keeps_the_whole_from_working(board: MemoryBoard) -> None:
    state = Situation(now=NOW, coverage=Coverage(), pause=timedelta(hours=3), has_archive=False)
    head = Masthead(conditions=find_conditions(state), program="kipflow -C kafka")
    late = TestClient(create_app(lambda: board, clock=lambda: NOW, masthead=lambda: head))
    assert all("No scheduled run has begun for 3 hours" in text_of(late, path) for path in PAGES)
    assert "Take in the mail since: <code>kipflow -C kafka ingest FILE" in late.get("/").text
    usual = create_app(lambda: board, clock=lambda: NOW)
    assert "State of kipflow" not in TestClient(usual).get("/").text


def test_times_stand_absolute_in_utc_and_relative_to_the_boards_clock(client: TestClient) -> None:
    page = client.get("/proposals/152").text
    (moment, *_) = html.fromstring(page).xpath("//time[@datetime = '2026-03-16T04:20:00Z']")
    assert moment.text_content() == "2026-03-16 04:20 UTC (2 d 10 h ago)"


def test_links_hold_where_airflow_itself_lives_under_a_path(board: MemoryBoard) -> None:
    airflow = FastAPI(root_path="/airflow")
    airflow.mount("/kipflow", create_app(lambda: board, clock=lambda: NOW))
    client = TestClient(airflow)
    for path in ("/airflow/kipflow/", "/airflow/kipflow/proposals", "/airflow/kipflow/proposals/152"):
        answer = client.get(path)
        assert answer.status_code == 200
        links = html.fromstring(answer.text).xpath("//nav[@aria-label = 'Board']//a/@href | //link/@href")
        assert {client.get(urljoin(f"http://testserver{path}", link)).status_code for link in links} == {200}
    missing = html.fromstring(client.get("/airflow/kipflow/proposals/9/9").text)
    assert missing.xpath("//a[text() = 'Back to the board']/@href") == ["../../"]


def test_what_could_not_be_read_shows_where_it_came_from_and_why_it_stays() -> None:
    rows = [
        UnreadableRow(source=source, why="no mail headers", list_id=list_id, month=month, seen_at=NOW)
        for source, list_id, month in (
            ("dev@shed.example/2026-02#12", "dev@shed.example", "2026-02"),
            ("garb.mbox#0", "dev@shed.example", ""),
            ("page 2106@1", "", ""),
        )
    ]
    board = MemoryBoard([], unreadable=rows)
    page = html.fromstring(TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/data").text)
    origins = page.xpath("//section[@aria-labelledby = 'unreadable']//td[@data-label = 'Read from']/text()")
    assert origins == ["the archive", "a file that was ingested", "the wiki"]
    assert "it stays, like every fact, also when a file was ingested by mistake" in page.text_content()

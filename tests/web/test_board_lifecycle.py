"""What the board shows of amendments, care required, tickets and sides that disagree."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from fastapi.testclient import TestClient
from lxml import html

from kipflow.domain.facts import ProposalFacts
from kipflow.domain.pages import IndexEntry, StatusWord, TicketState
from kipflow.web.app import create_app
from tests.unit.domain.building import ACCEPTED, POLICY, TALKED, YES, at, ballot, facts, followed, page, poll, result
from tests.web.memory import MemoryBoard


def show(known: ProposalFacts, day: float = 60) -> str:
    board = MemoryBoard([known], as_of=at(day))
    answer = TestClient(create_app(lambda: board, clock=lambda: at(day))).get("/proposals/7")
    assert answer.status_code == 200
    return " ".join(html.fromstring(answer.text).text_content().split())


def test_a_vote_on_an_accepted_proposal_is_called_an_amendment_and_its_end_is_in_the_timeline() -> None:
    no = tuple(ballot(name, 50.1) for name in ("ada", "bo", "cy"))
    again = poll(50, *no, round=2, declared=replace(result(54), message_id="<r2@x.example>"))
    text = show(facts(**TALKED, votes=(ACCEPTED, again)))
    assert "Amendment vote, round 2 passed" in text
    assert "Vote, round 1 passed" in text
    assert "Accepted because a further vote amended it" in text
    assert "Accepted → Accepted" not in text


def test_the_lines_that_make_required_care_stand_beside_what_they_touch() -> None:
    saved = page(0, interfaces=("log-format",), touches=(("log-format", "A fence takes <eight> bytes more"),))
    text = show(facts(pages=(saved,), messages=TALKED["messages"], votes=(poll(4, *YES),)), 5)
    assert "log-format “A fence takes <eight> bytes more”" in text
    assert "More is asked of this vote because the page touches: log-format" in text
    assert "(log-format: care required)" in text


def test_each_side_that_disagrees_is_shown_with_its_evidence_and_its_edit() -> None:
    pages = (page(0), page(9, StatusWord.DISCUSSION, version=2, jira="SHED-1"))
    row = IndexEntry(number=7, title="Faster fences", section="dormant", seen_at=at(10), origin="page")
    states = (
        TicketState(key="SHED-1", status="Open", resolution=None, fix_versions=("4.1.0",), seen_at=at(9)),
        TicketState(
            key="SHED-1",
            status="Closed",
            resolution="Won't Fix",
            fix_versions=("4.1.0",),
            unreleased=("4.1.0",),
            seen_at=at(11),
        ),
    )
    known = facts(pages=pages, messages=TALKED["messages"], votes=(ACCEPTED,), index_entries=(row,), tickets=states)
    text = show(known)
    for said in (
        "The page is out of step It says “Discussion”; the facts say: Accepted. version 2 by Nia Holt, 2026-03-11",
        'set "Current state" to "Accepted"',
        "The index is out of step It says “dormant”; the facts say: Accepted.",
        'move the row to "accepted"',
        "The ticket is out of step It says “Closed, Won't Fix”; the facts say: Accepted. SHED-1, seen 2026-03-13",
        "Closed (Won't Fix), fix version 4.1.0 (unreleased)",
    ):
        assert said in text
    assert text.count("SHED-1 Open") == 0, "only the newest state of a ticket is shown"


def test_the_labels_of_the_page_stand_with_the_proposal() -> None:
    pages = (page(0, labels=("old",)), page(3, version=2, labels=("kip", "storage <b>layer</b>")))
    text = show(facts(pages=pages, messages=TALKED["messages"]))
    assert text.partition("Labels")[2].startswith("kip storage <b>layer</b>"), "those of its newest version, as text"
    assert "Labels" not in show(facts(pages=(page(0),), messages=TALKED["messages"]))


def test_a_warning_of_dormancy_stands_in_the_timeline_with_the_date_that_it_promised() -> None:
    sleepy = replace(POLICY, dormant_after=timedelta(days=90), grace=timedelta(days=14))
    text = show(followed(facts(**TALKED), sleepy, 5, 95), 97)
    assert "Author warned of dormancy" in text
    assert (
        "nobody has written since 2026-03-06; dormant on 2026-06-19 09:00 UTC at the earliest unless somebody writes"
        in text
    )

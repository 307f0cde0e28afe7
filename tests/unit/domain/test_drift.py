"""Who disagrees with whom, on what evidence, and which edit would settle it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kipflow.domain.decisions import Drift
from kipflow.domain.events import Stage
from kipflow.domain.facts import Coverage
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import IndexEntry, PageAbsence, StatusWord, TicketState, Work, find_release, find_work
from tests.unit.domain.building import ACCEPTED, POLICY, TALKED, YES, at, ballot, facts, page, poll, result, ruling

SAYS_SO = page(9, StatusWord.ACCEPTED, version=2, jira="SHED-1")


def drift(day: float = 20, **more: Any) -> list[Drift]:
    known = {"pages": (page(0), SAYS_SO), "messages": TALKED["messages"], "votes": (ACCEPTED,), **more}
    decision = decide(facts(**known), POLICY, at(day))
    return list(decision.drift)


def ticket(status: str = "Resolved", resolution: str | None = "Fixed", *versions: str) -> TicketState:
    return TicketState(key="SHED-1", status=status, resolution=resolution, fix_versions=versions, seen_at=at(10))


def row(section: str = "accepted", **more: Any) -> IndexEntry:
    return IndexEntry(number=7, title="KIP-7: Faster fences", section=section, seen_at=at(10), origin="page", **more)


def test_sides_that_agree_are_not_reported() -> None:
    agreeing = drift(tickets=(ticket("Resolved", "Fixed", "3.1.0"),), index_entries=(row(release="3.1"),))
    assert agreeing == []


def test_every_side_that_disagrees_is_reported_with_its_evidence_and_the_edit_that_settles_it() -> None:
    found = drift(
        pages=(page(0), page(9, StatusWord.DISCUSSION, version=2, jira="SHED-1")),
        votes=(replace(ACCEPTED, declared=replace(result(8), binding={"+1": 4})),),
        tickets=(ticket("Closed", "Won't Fix", "3.1.0"),),
        index_entries=(row("discussion"),),
    )
    assert [(d.side, d.says, d.derived) for d in found] == [
        ("page", "Discussion", "Accepted"),
        ("index", "discussion", "Accepted"),
        ("result", "binding +1: 4", "counted +1: 3"),
        ("ticket", "Closed, Won't Fix", "Accepted"),
    ]
    assert [d.evidence for d in found] == [
        "version 2 by Nia Holt, 2026-03-11",
        '"KIP-7: Faster fences", seen 2026-03-12',
        "announced by Nia Holt, 2026-03-10",
        "SHED-1, seen 2026-03-12",
    ]
    assert found[0].fix == 'set "Current state" to "Accepted"'
    assert found[1].fix == 'move the row to "accepted"'
    assert all(d.fix for d in found)


def test_a_template_state_is_no_contradiction_until_the_proposal_is_settled() -> None:
    template = (page(0, StatusWord.TEMPLATE),)
    assert drift(pages=template, votes=()) == []
    assert [d.side for d in drift(pages=template)] == ["page"]


def test_under_discussion_is_right_while_a_vote_runs() -> None:
    assert drift(pages=(page(0),), votes=(poll(4),), day=5) == []
    assert [d.says for d in drift(pages=(page(0, StatusWord.ACCEPTED),), votes=(poll(4),), day=5)] == ["Accepted"]


@pytest.mark.parametrize(
    ("tickets", "rows", "expected"),
    [
        ((ticket("Resolved", "Fixed", "3.2.0"),), (row(release="3.1"),), [("release", "3.1", "fixed in 3.2.0")]),
        ((ticket("Resolved", "Fixed", "3.1.0", "3.2.0"),), (row(release="3.2"),), []),
        ((ticket("Resolved", "Fixed", "3.1.1"),), (row(release="3.1"),), [("release", "3.1", "fixed in 3.1.1")]),
        (
            (ticket("Resolved", "Fixed", "3.1.0"),),
            (row(release="3.1.0", in_progress=True),),
            [("release", "(WIP)", "Resolved, Fixed")],
        ),
        ((ticket("Open", None, "4.0.0"),), (row(release="4.0", in_progress=True),), []),
        ((), (row(release="3.1"),), []),
    ],
    ids=["another", "one of two", "a patch release", "done but WIP", "under way", "no ticket"],
)
def test_the_release_in_the_index_is_held_against_the_ticket(
    tickets: tuple[TicketState, ...], rows: tuple[IndexEntry, ...], expected: list[tuple[str, str, str]]
) -> None:
    assert [(d.side, d.says, d.derived) for d in drift(tickets=tickets, index_entries=rows)] == expected


def test_a_ticket_that_is_done_without_a_vote_is_reported() -> None:
    open_page = (page(0, jira="SHED-1"),)
    found = drift(pages=open_page, votes=(), tickets=(ticket("Resolved", "Fixed", "3.1.0"),))
    assert [(d.side, d.fix) for d in found] == [("ticket", "call its vote, or correct the resolution of SHED-1")]


def test_page_and_index_that_name_two_tickets_are_reported() -> None:
    found = drift(index_entries=(row(jira="SHED-9"),))
    assert [(d.side, d.says, d.derived) for d in found] == [("ticket", "SHED-1 on the page", "SHED-9 in the index")]


def test_a_number_that_stands_twice_in_the_index_names_the_row_to_remove() -> None:
    found = drift(index_entries=(row(), row("dormant")))
    assert [(d.says, d.fix) for d in found] == [("dormant", 'remove this row: another stands in "accepted"')]


def test_a_page_that_is_gone_is_reported_until_it_is_back() -> None:
    gone = PageAbsence(page_id="p7", since=at(12), why="not found", asked_at=at(13), until=at(30))
    assert [d.says for d in drift(absences=(gone,))] == ["gone: not found"]
    assert drift(absences=(gone,), day=11) == []
    assert drift(absences=(gone,), day=31) == []


def test_a_count_that_differs_is_reported_with_the_voters_who_make_the_difference() -> None:
    said = replace(
        result(8), binding={"+1": 4}, names={"+1 binding": ("Ada", "Bo", "Cy", "Dov Ilan")}, line="passes with 4"
    )
    outsider = replace(ballot("dov", 4.4, binding=False), name="Dov Ilan")
    [found] = [d for d in drift(votes=(poll(4, *YES, outsider, declared=said),)) if d.side == "result"]
    assert (found.says, found.derived) == (
        "binding +1: 4",
        "counted +1: 3; Dov Ilan is announced, counted as non-binding +1",
    )


def test_what_an_operator_settled_is_what_the_sides_are_held_against() -> None:
    found = drift(rulings=(ruling(15, "stage", stage="Discarded"),))
    assert [(d.side, d.derived) for d in found] == [("page", "Discarded")]
    assert Stage.DISCUSSION in found[0].fix


# -- releases ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("resolution", "work"),
    [
        (None, Work.OPEN),
        ("Unresolved", Work.OPEN),
        ("Fixed", Work.DONE),
        ("Implemented", Work.DONE),
        ("Done", Work.DONE),
        ("Won't Fix", Work.DROPPED),
        ("Won\u2019t Do", Work.DROPPED),
        ("Duplicate", Work.DROPPED),
        ("Not A Problem", Work.DROPPED),
        ("Auto Closed", Work.DROPPED),
    ],
)
def test_a_resolution_says_whether_work_goes_on(resolution: str | None, work: Work) -> None:
    assert find_work(ticket("Any", resolution)) is work


@pytest.mark.parametrize(
    ("entry", "found", "release"),
    [
        (None, None, (None, False)),
        (row(release="3.0", in_progress=True), None, ("3.0", True)),
        (row(release="3.0"), ticket("Resolved", "Fixed", "3.1.0"), ("3.1.0", False)),
        (None, ticket("Open", None, "3.1.0", "3.2.0"), ("3.1.0, 3.2.0", True)),
        (row(release="3.0", in_progress=True), ticket("Resolved", "Fixed"), ("3.0", False)),
        (row(release="3.0"), ticket("Open", None), ("3.0", False)),
        (row(release="3.0", in_progress=True), ticket("Closed", "Won't Fix", "3.1.0"), (None, False)),
    ],
    ids=["nothing", "index", "ticket", "several, under way", "done, no version", "open, no version", "won't fix"],
)
def test_the_release_is_the_tickets_else_the_indexs(
    entry: IndexEntry | None, found: TicketState | None, release: tuple[str | None, bool]
) -> None:
    assert find_release(entry, found) == release


def test_who_says_what_only_missing_mail_holds_up_is_not_out_of_step() -> None:
    behind = Coverage(complete_through=at(7.5))
    assert drift(coverage=behind, index_entries=(row(),)) == []
    assert [d.side for d in drift(coverage=behind, index_entries=(row("dormant"),))] == ["index"]
    assert [d.side for d in drift(coverage=behind, pages=(page(0, StatusWord.REJECTED),))] == ["page"]


def test_a_page_whose_mail_is_not_held_is_not_asked_to_become_a_draft() -> None:
    assert drift(pages=(page(0),), messages=(), votes=()) == []
    found = drift(pages=(page(0, StatusWord.ACCEPTED),), messages=(), votes=())
    assert found[0].fix == 'read the mail of its time (`kipflow ingest`), or set "Current state" to "Draft"'


def test_what_is_acknowledged_is_listed_no_more_until_a_side_says_something_else() -> None:
    [expected] = drift(index_entries=(row("discussion"),))
    lets = replace(ruling(12, kind="drift", target="index"), value=expected.as_ruled)
    assert drift(day=11, index_entries=(row("discussion"),), rulings=(lets,)) == [expected], "before it was said"
    assert drift(index_entries=(row("discussion"),), rulings=(lets,)) == []
    [other] = drift(index_entries=(row("discarded"),), rulings=(lets,))
    assert other.says == "discarded"
    revoked = replace(lets, revoked_at=at(13))
    assert drift(index_entries=(row("discussion"),), rulings=(revoked,)) == [expected]
    page_too = drift(
        pages=(page(0), page(9, StatusWord.DISCUSSION, version=2, jira="SHED-1")),
        index_entries=(row("discussion"),),
        rulings=(lets,),
    )
    assert [d.side for d in page_too] == ["page"], "one side's word is none on another's"

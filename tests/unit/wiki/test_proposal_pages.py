"""A proposal's page as a fact."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import Any

import pytest

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.pages import PageVersion, StatusWord, WikiPage
from kipflow.wiki.pages import parse_page
from kipflow.wiki.template import TEMPLATE, render_page
from kipflow.wiki.titles import Title, is_copy, parse_title


def page(body: str, title: str = "KIP-7: Faster fetches", prefix: str = "KIP", **more: Any) -> PageVersion:
    given = {
        "page_id": "42",
        "version": 3,
        "saved_at": datetime(2026, 1, 1, tzinfo=UTC),
        "saved_by": "Kim Osei",
        "url": "https://wiki.example/42",
        **more,
    }
    return parse_page(WikiPage(title=title, body=body, **given), prefix)


def status(inside: str) -> str:
    return f"<h1>Status</h1>{inside}<h1>Motivation</h1><p>Current state: not this one</p>"


JIRA = '<ac:structured-macro ac:name="jira"><ac:parameter ac:name="key">KAFKA-{}</ac:parameter></ac:structured-macro>'
LOZENGE = (
    '<ac:structured-macro ac:name="status"><ac:parameter ac:name="colour">Green</ac:parameter>'
    '<ac:parameter ac:name="title">{}</ac:parameter></ac:structured-macro>'
)


def test_the_template_as_it_is_has_the_status_template_and_no_links() -> None:
    body = "".join(
        f"<h1>{escape(h)}</h1>" + "".join(f"<p><em>{escape(line)}</em></p>" for line in lines)
        for h, lines in TEMPLATE.items()
    )
    found = page(body, title="KIP-NEXT: Insert Title Here")
    assert (found.number, found.status, found.jira, found.discussion_link) == (None, StatusWord.TEMPLATE, None, None)
    assert found.interfaces == (), "the template's own list of interfaces touches none"


def test_a_page_made_from_the_template_is_a_draft() -> None:
    found = page(render_page())
    assert (found.status, found.status_text) == (StatusWord.DRAFT, "Draft")


@pytest.mark.parametrize(
    ("inside", "text", "word"),
    [
        ("<p><strong>Current state</strong>: <em>Accepted</em></p>", "Accepted", StatusWord.ACCEPTED),
        ("<p><strong>Current state:</strong>&nbsp;Under Discussion</p>", "Under Discussion", StatusWord.DISCUSSION),
        (f"<p>Current state: {LOZENGE.format('Voting')}</p>", "Voting", StatusWord.VOTE),
        ("<p>Current state</p><p>Rejected</p>", "Rejected", StatusWord.REJECTED),
        ("<p>Current State - Dormant</p>", "Dormant", StatusWord.DORMANT),
        (
            "<table><tbody><tr><th>Current state</th><td>Adopted</td></tr></tbody></table>",
            "Adopted",
            StatusWord.ACCEPTED,
        ),
        ("<p>Current state: <s>Under Discussion</s> Accepted</p>", "Accepted", StatusWord.ACCEPTED),
        ("<p>Current state: Draft<br/>Discussion thread: TBD</p>", "Draft", StatusWord.DRAFT),
        (f"<p>{LOZENGE.format('ACCEPTED')}</p>", "ACCEPTED", StatusWord.ACCEPTED),
        ("<p>Current state:</p><p>Discussion thread: here</p>", "", StatusWord.UNKNOWN),
        ("<p>Status: Withdrawn</p>", "Withdrawn", StatusWord.DISCARDED),
    ],
)
def test_the_current_state_is_found_however_it_is_set(inside: str, text: str, word: StatusWord) -> None:
    found = page(status(inside))
    assert (found.status_text, found.status) == (text, word)


def test_a_page_without_a_status_section_is_read_at_its_top_only() -> None:
    top = page("<p>Current state: Accepted</p><h1>Motivation</h1><p>x</p>")
    assert top.status is StatusWord.ACCEPTED
    below = page("<h1>A</h1><p>x</p><h1>B</h1><p>x</p><h1>C</h1><p>Status: Rejected</p>")
    assert (below.status, below.status_text) == (StatusWord.UNKNOWN, "")


@pytest.mark.parametrize(
    ("inside", "ticket"),
    [
        (f"<p>JIRA: {JIRA.format(77)}</p>", "KAFKA-77"),
        ('<p>JIRA: <a href="https://issues.example/jira/browse/KAFKA-77">here</a></p>', "KAFKA-77"),
        ("<p>JIRA: KAFKA-77 [Change the link from KAFKA-1 to your own ticket]</p>", "KAFKA-77"),
        ('<p>JIRA: <a href="https://issues.example/jira/browse/KAFKA-1">here</a></p>', None),
        ("<p>JIRA: here [Change the link from KAFKA-1 to your own ticket]</p>", None),
        ("<p>JIRA: see KIP-12</p>", None),
        ("<p>JIRA: TBD</p>", None),
    ],
)
def test_the_ticket_is_the_pages_own_and_not_the_templates(inside: str, ticket: str | None) -> None:
    assert page(status(inside)).jira == ticket


@pytest.mark.parametrize(
    ("inside", "link"),
    [
        ('<p>Discussion thread: <a href="https://lists.example/t/1">here</a></p>', "https://lists.example/t/1"),
        ("<p>Discussion thread: https://lists.example/t/1.</p>", "https://lists.example/t/1"),
        ("<p>Discussion thread: TBD</p>", None),
        ('<p>Discussion thread: <a href="javascript:alert(1)">here</a></p>', None),
    ],
)
def test_the_discussion_link_is_an_address_of_the_web_or_none(inside: str, link: str | None) -> None:
    assert page(status(inside)).discussion_link == link


def test_interfaces_come_from_their_section_and_what_is_below_it_without_the_templates_list() -> None:
    listed = "".join(f"<li>{line}</li>" for line in TEMPLATE["Public Interfaces"])
    body = (
        f"<h1>Public Interfaces</h1><ul>{listed}</ul><h2>Wire</h2><p>FetchRequest version 18 gains a field.</p>"
        "<h1>Test Plan</h1><p>new metric</p>"
    )
    assert page(body).interfaces == ("protocol",)


def test_a_body_that_cannot_be_read_is_refused_with_page_and_version() -> None:
    with pytest.raises(UnreadableInput, match="page 42 version 3"):
        page("<div>" * 4_000)


@pytest.mark.parametrize(
    ("title", "number", "text"),
    [
        ("KIP-1 - Remove support", 1, "Remove support"),
        ("KIP-38: Authentication", 38, "Authentication"),
        ("KIP-20 Enable preallocate", 20, "Enable preallocate"),
        ("KIP 42: Allow retention", 42, "Allow retention"),
        ("KIP42 Allow", 42, "Allow"),
        ("kip-0042 \u2013 Allow", 42, "Allow"),
        ("KIP-94 Session Windows", 94, "Session Windows"),
        ("KIP-4 - Operations,,, (WIP)", 4, "Operations"),
        ("[DISCARD] KIP-658 Deprecate setters", 658, "Deprecate setters"),
        ("KIP-1076:  Metrics KIP-714 extension", 1076, "Metrics KIP-714 extension"),
        ("KIP-5", 5, ""),
        ("KIP-NEXT: Insert Title Here", None, "Insert Title Here"),
        ("Thoughts on KIP-714", None, "Thoughts on KIP-714"),
        ("KIP-1234567: year", None, "KIP-1234567: year"),
        ("SKIP-12: no", None, "SKIP-12: no"),
        ("", None, ""),
    ],
)
def test_only_the_number_at_a_titles_head_is_its_own(title: str, number: int | None, text: str) -> None:
    found = parse_title(title, "KIP")
    assert (found.number, found.text) == (number, text)


@pytest.mark.parametrize("mark", ["(WIP)", "[wip]", ", (WIP)", " (Work in progress)", "（WIP）"])
def test_a_mark_of_unfinished_work_is_taken_off_the_title(mark: str) -> None:
    assert parse_title(f"KIP-54: Sticky {mark}", "KIP") == Title(number=54, text="Sticky", in_progress=True)


@pytest.mark.parametrize("title", ["[WIP] KIP-54: Sticky", "KIP-54 (WIP): Sticky", "KIP-54: [WIP] Sticky"])
def test_the_mark_may_stand_before_the_title(title: str) -> None:
    found = parse_title(title, "KIP")
    assert (found.number, found.text, found.in_progress) == (54, "Sticky", True)


@pytest.mark.parametrize("before", ["Copy of ", "Old ", "old "])
def test_a_copy_of_a_page_is_not_the_proposals_page(before: str) -> None:
    title = f"{before}KIP-7: Faster"
    assert is_copy(parse_title(title, "KIP"))
    assert page("<p>x</p>", title=title).number is None
    assert parse_title(title, "KIP").number == 7


def test_another_prefix_is_a_setting() -> None:
    assert parse_title("FLIP-9: Streams", "FLIP").number == 9
    assert parse_title("KIP-9: Streams", "FLIP").number is None

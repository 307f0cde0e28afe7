"""Fields of a proposal's page are set by the smallest edit, or not at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.pages import StatusWord
from kipflow.wiki.page_editing import edit_page
from kipflow.wiki.pages import read_fields
from kipflow.wiki.sections import read_sections
from kipflow.wiki.status import parse_status
from kipflow.wiki.storage import parse_storage
from tests.examples import examples

LINK = '<a href="https://lists.x.example/thread/7">here</a>'
REST = "<h1>Motivation</h1><p>Current state: of the art.&nbsp;It is <em>slow</em> &amp; old.</p>"
TEMPLATE = (
    '<h1>Status</h1><p><strong>Current state</strong>: <em>[One of "Under Discussion", "Accepted", "Rejected"]</em></p>'
    '<p><strong>Discussion thread</strong>: <a href="http://mail.example/KIP">here</a> '
    "<em>[Change the link from the KIP proposal email archive to your own email thread]</em></p>"
    '<p><strong>JIRA</strong>: <a href="https://jira.x.example/browse/KAFKA-1">here</a> '
    "<em>[Change the link from KAFKA-1 to your own ticket]</em></p>"
)


def set_fields(body: str, **wanted: str) -> str:
    return edit_page(body, wanted, source="page")[0]


#: How a state is written → how it is afterwards.
STATES = {
    "bold name": (
        "<p><strong>Current state</strong>: Under Discussion</p>",
        "<p><strong>Current state</strong>: Accepted</p>",
    ),
    "separator in the name's bold": (
        "<p><strong>Current state: </strong>Under Discussion </p>",
        "<p><strong>Current state: </strong>Accepted </p>",
    ),
    "plain": ("<p>Current state: Voting</p>", "<p>Current state: Accepted</p>"),
    "in italics": ("<p>Current state:&nbsp;<em>Voting</em></p>", "<p>Current state:&nbsp;<em>Accepted</em></p>"),
    "in a colour": (
        '<p><b>Current state</b>: <span style="color: red;">under vote</span></p>',
        '<p><b>Current state</b>: <span style="color: red;">Accepted</span></p>',
    ),
    "a lozenge": (
        '<p><strong>Current state</strong>: <ac:structured-macro ac:name="status"><ac:parameter ac:name="colour">Blue'
        '</ac:parameter><ac:parameter ac:name="title">Voting</ac:parameter></ac:structured-macro></p>',
        '<p><strong>Current state</strong>: <ac:structured-macro ac:name="status"><ac:parameter ac:name="colour">Blue'
        '</ac:parameter><ac:parameter ac:name="title">Accepted</ac:parameter></ac:structured-macro></p>',
    ),
    "in a table": (
        "<table><tbody><tr><th>Status</th><td>Draft</td></tr><tr><th>Author</th><td>Mara</td></tr></tbody></table>",
        "<table><tbody><tr><th>Status</th><td>Accepted</td></tr><tr><th>Author</th><td>Mara</td></tr></tbody></table>",
    ),
    "on the next line": (
        "<p><strong>Current state</strong>:</p><p>Under Discussion</p>",
        "<p><strong>Current state</strong>:</p><p>Accepted</p>",
    ),
    "with the template's hint beside it": (
        '<p>Current state: Under Discussion <em>[One of "Under Discussion", "Accepted", "Rejected"]</em></p>',
        '<p>Current state: Accepted <em>[One of "Under Discussion", "Accepted", "Rejected"]</em></p>',
    ),
    "after one that is struck out": (
        "<p>Current state: <s>Draft</s> Under Discussion</p>",
        "<p>Current state: <s>Draft</s> Accepted</p>",
    ),
    "only the template's": (
        '<p>Current state: <em>[One of "Under Discussion", "Accepted", "Rejected"]</em></p>',
        "<p>Current state: <em>Accepted</em></p>",
    ),
}


@pytest.mark.parametrize(("before", "after"), STATES.values(), ids=STATES)
def test_only_the_words_of_the_state_change(before: str, after: str) -> None:
    page = f"<h1>Status</h1>{before}<!-- Current state: no -->{REST}"
    assert set_fields(page, state="Accepted") == f"<h1>Status</h1>{after}<!-- Current state: no -->{REST}"


@pytest.mark.parametrize(
    "line",
    [
        "<p>Current state: Under <em>Discussion</em></p>",
        "<p>Nothing is said</p>",
        "<p>Current state: see <a href='x'>there</a> and <a href='y'>there</a></p>",
        "<![CDATA[<p>Current state: Draft</p>]]>",
    ],
)
def test_a_state_that_is_not_in_one_piece_is_left_to_people(line: str) -> None:
    page = f"<h1>Status</h1>{line}{REST.replace('Current state', 'Now')}"
    assert set_fields(page, state="Accepted") == page


def test_what_nobody_has_filled_in_is_filled_in() -> None:
    page = set_fields(TEMPLATE + REST, state="Voting", discussion=LINK, jira=LINK.replace("thread/7", "browse/KAFKA-7"))
    assert page == (
        "<h1>Status</h1><p><strong>Current state</strong>: <em>Voting</em></p>"
        f"<p><strong>Discussion thread</strong>: {LINK}</p>"
        f"<p><strong>JIRA</strong>: {LINK.replace('thread/7', 'browse/KAFKA-7')}</p>{REST}"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p>Vote thread: TBD</p>", f"<p>Vote thread: {LINK}</p>"),
        ("<p><b>Vote thread</b>: <i>here</i></p>", f"<p><b>Vote thread</b>: {LINK}</p>"),
        ("<p><b>Vote thread:</b></p>", f"<p><b>Vote thread:</b>{LINK}</p>"),
        ("<table><tr><td>Vote thread</td><td></td></tr></table>",
         f"<table><tr><td>Vote thread</td><td>{LINK}</td></tr></table>"),
        ("<p>Vote thread: <a href='https://other.example'>here</a></p>", None),
        ("<p>Vote thread: ask Mara</p>", None),
        ("<p><b>Vote thread: TBD</b></p>", f"<p><b>Vote thread: {LINK}</b></p>"),
    ],
)  # fmt: skip
def test_a_link_goes_where_none_is_and_nowhere_else(before: str, after: str | None) -> None:
    page = f"<h1>Status</h1><p>Current state: Voting</p>{before}{REST}"
    wanted = page if after is None else page.replace(before, after)
    assert set_fields(page, vote=LINK) == wanted


def test_a_field_that_the_page_does_not_have_is_not_added() -> None:
    page = f"<h1>Status</h1><p>Current state: Voting</p>{REST}"
    assert set_fields(page, vote=LINK, release="3.9", jira=LINK) == page


_WORDS = st.sampled_from(["Draft", "Under Discussion", "Voting", "Accepted", "Rejected", "Dormant", "Discarded"])
_HOSTILE = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["<p>Current state: x", "]]>", "<!--", "&nbsp;", "<td>", "</p></td>", "Status: Draft", "<a href='", "\x00"]
    ),
)  # fmt: skip


@examples(200)
@given(_WORDS, _WORDS, st.lists(_HOSTILE, max_size=6), st.lists(_HOSTILE, max_size=3))
def test_on_any_page_an_edit_changes_the_state_alone_or_nothing_and_is_not_made_twice(
    old: str, new: str, above: list[str], below: list[str]
) -> None:
    page = f"{''.join(above)}<h1>Status</h1><p><b>Current state</b>: {old}</p><h1>Motivation</h1>{''.join(below)}"
    after, done = edit_page(page, {"state": new}, source="page")
    if not done:
        assert after == page
        return
    head = page.index(f"<p><b>Current state</b>: {old}</p>") if f": {old}</p>" in page else 0
    assert after.startswith(page[:head])
    field = read_fields(read_sections(parse_storage(after, source="page")))["state"]
    assert parse_status(field.value) is parse_status(new) is not StatusWord.UNKNOWN
    assert edit_page(after, {"state": new}, source="page") == (after, {})


@pytest.mark.parametrize("noise", ["- ", "a:", "=| "])
def test_a_line_that_could_end_a_name_anywhere_costs_no_more_than_its_length(noise: str) -> None:
    line, long = f"<p>{noise * 60_000}</p>", f"<p><b>{'a ' * 60_000}</b>{noise * 60_000}</p>"
    began = time.process_time()
    after = set_fields(f"{line}{long}<p>Current state: Voting</p>", state="Accepted")
    assert after == f"{line}{long}<p>Current state: Accepted</p>"
    assert time.process_time() - began < 3

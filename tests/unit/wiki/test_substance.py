"""What of a page's text matters to people who voted on it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.ownpages import find_changed_sections
from kipflow.domain.pages import Substance
from kipflow.wiki.substance import is_trifle, read_substance
from tests.unit.domain.building import page

HEAD = (
    "<h1>Status</h1><p>Current state: Draft</p><p>Discussion thread: <a href='https://lists.x.example/1'>here</a></p>"
)
PAGE = (
    HEAD + "<h1>Motivation</h1><p>Brokers forget.</p><h1>Proposed Changes</h1><p>The broker remembers every offset.</p>"
)


def changed_between(*bodies: str) -> tuple[str, ...]:
    """The sections of substance that differ between the first and the last of a page's versions."""
    read: list[Substance] = []
    for position, body in enumerate(bodies):
        before = (bodies[position - 1], read[-1]) if position else None
        read.append(read_substance(body, before=before))
    return find_changed_sections(page(1, substance=read[0]), page(2, substance=read[-1]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Current state: Draft", "Current state: Accepted"),
        ("https://lists.x.example/1", "https://lists.x.example/2"),
        ("Brokers forget.", "Brokers  <b>forget</b>."),
        ("The broker remembers", "The broker remmebers"),
        ("The broker remembers", "The broker rememers"),
        ("every offset.", "every offset"),
        ("every offset.", "every offset. <a href='https://x.example/long'>https://x.example/long</a>"),
        ("<h1>Motivation</h1>", "<ac:structured-macro ac:name='toc'/><h1>Motivation</h1>"),
        ("<h1>Motivation</h1>", "<h1>Why</h1>"),
        ("<h1>Motivation</h1>", "<h1>Changelog</h1><p>A word mended</p><h1>Motivation</h1>"),
    ],
    ids=["state", "link", "markup", "swapped", "missing", "full-stop", "address", "contents", "heading", "changelog"],
)
def test_what_changes_nothing_is_no_change_of_substance(old: str, new: str) -> None:
    assert old in PAGE
    assert changed_between(PAGE, PAGE.replace(old, new)) == ()


@pytest.mark.parametrize(
    ("old", "new", "sections"),
    [
        ("remembers every", "does not remember every", ("Proposed Changes",)),
        ("remembers every", "remembers no", ("Proposed Changes",)),
        ("every offset.", "every offset.</p><p>And every key.", ("Proposed Changes",)),
        ("<p>The broker remembers every offset.</p>", "", ("Proposed Changes",)),
        ("Brokers forget.", "Clients forget.", ("Motivation",)),
        ("<h1>Motivation</h1>", "<h1>Limits</h1><p>At most ten.</p><h1>Motivation</h1>", ("Limits",)),
        ("<p>The broker remembers", "<p>It is off by default.</p><p>The broker remembers", ("Proposed Changes",)),
        ("remembers every", "<s>remembers</s> drops every", ("Proposed Changes",)),
    ],
    ids=["negated", "other-word", "added", "emptied", "two-letters", "section", "line", "struck-out"],
)
def test_another_meaning_is_a_change_of_its_section(old: str, new: str, sections: tuple[str, ...]) -> None:
    assert old in PAGE
    assert changed_between(PAGE, PAGE.replace(old, new)) == sections


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("acks=1", "acks=2"),
        ("set max.poll to true", "set max.poll to false"),
        ("within 10 days", "within 19 days"),
        ("clients must ask", "clients may ask"),
        ("it is now sent", "it is not sent"),
        ("a stable order", "a table order"),
        ("use readKey()", "use readKeys()"),
        ("KIP-12", "KIP-13"),
        ("the field leaderEpoch is", "the field leaderEpochs is"),
        ("void close Early", "void close early"),
    ],
)
def test_numbers_names_and_short_words_are_never_typos(old: str, new: str) -> None:
    assert not is_trifle([old], [new])


def test_the_templates_hints_may_go_after_the_vote() -> None:
    from kipflow.wiki.template import render_page

    full = render_page()
    assert changed_between(full + "<h1>More</h1><p>text</p>", "<h1>More</h1><p>text</p>") == ()


def test_many_typos_one_after_the_other_do_not_add_up_to_a_change() -> None:
    versions = [PAGE, PAGE.replace("remembers", "remembrs"), PAGE.replace("remembers", "rememrs")]
    assert changed_between(*versions) == ()


def test_what_was_taken_back_is_no_change() -> None:
    assert changed_between(PAGE, PAGE.replace("every", "no"), PAGE) == ()


def test_a_page_whose_text_is_not_known_shows_no_change() -> None:
    assert find_changed_sections(page(1), page(2, substance=(("A", "1"),))) == ()


@given(st.lists(st.text(max_size=40), max_size=5))
def test_reading_the_same_body_twice_gives_the_same_digests(lines: list[str]) -> None:
    from html import escape

    body = "<h1>A</h1>" + "".join(f"<p>{escape(line)}</p>" for line in lines if line.isprintable())
    once = read_substance(body)
    assert read_substance(body) == once == read_substance(body, before=(body, once))

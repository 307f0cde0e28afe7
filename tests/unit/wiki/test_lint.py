"""Faults of a proposal page: each found, each with its place, and mildness for a draft."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kipflow.domain.pagefaults import PageFault
from kipflow.wiki.lint import find_faults_around, lint_page, lint_text
from kipflow.wiki.template import render_page

SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"

GOOD = """
<h1>Status</h1>
<p><strong>Current state</strong>: Under Discussion</p>
<p><strong>Discussion thread</strong>: <a href="https://lists.apache.org/thread/abc">here</a></p>
<p><strong>JIRA</strong>: <a href="https://issues.apache.org/jira/browse/SAND-77">SAND-77</a></p>
<h1>Motivation</h1><p>Gates stick when it rains.</p>
<h1>Public Interfaces</h1><p>A new configuration gate.oil.interval.ms = 5000.</p>
<h1>Proposed Changes</h1><p>Oil the hinges on a timer.</p>
<h1>Compatibility, Deprecation, and Migration Plan</h1><p>Old gates keep squeaking.</p>
<h1>Test Plan</h1><p>Open and close a gate a thousand times.</p>
<h1>Rejected Alternatives</h1><p>Removing the gate.</p>
"""


def lint(body: str, title: str = "KIP-7: Oiled gates") -> tuple[PageFault, ...]:
    return lint_page(body, title=title, prefix="KIP", source="page 7")


def codes(faults: tuple[PageFault, ...]) -> set[str]:
    return {f.code for f in faults}


def test_a_finished_page_has_no_fault() -> None:
    assert lint(GOOD) == ()


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("<h1>Test Plan</h1><p>Open and close a gate a thousand times.</p>", "", "K02", "Test Plan"),
        ("<p>Removing the gate.</p>", "", "K03", "Rejected Alternatives"),
        ("Gates stick when it rains.", "Describe the problems you are trying to solve.", "K04", "Motivation"),
        ("Under Discussion", "Simmering", "K05", "Status"),
        ("https://lists.apache.org/thread/abc", "https://chat.example/archives/C1", "K06", "Status"),
        ('<a href="https://lists.apache.org/thread/abc">here</a>', "TBD", "K06", "Status"),
        ("SAND-77</a>", "SAND-77</a> [Change the link from KAFKA-1 to your own ticket]", "K07", "Status"),
        ("Oil the hinges", "Add a field to the FetchRequest and oil the hinges", "K08", "Public Interfaces"),
    ],
    ids=["missing", "empty", "template", "state", "chat", "tbd", "ticket", "interface"],
)
def test_each_fault_is_found_at_its_place(old: str, new: str, code: str, place: str) -> None:
    assert old in GOOD
    found = [f for f in lint(GOOD.replace(old, new)) if f.code == code]
    assert [f.place for f in found] == [place]
    assert all(f.severity == "error" and f.mend for f in found)


def test_a_title_needs_a_number_of_its_own() -> None:
    assert codes(lint(GOOD, title="Oiled gates")) == {"K01"}


def test_the_untouched_template_shows_every_section() -> None:
    faults = lint(render_page(state="Under Discussion"))
    assert {"K04", "K06", "K07"} <= codes(faults)
    assert {f.place for f in faults if f.code == "K04"} >= {"Motivation", "Test Plan", "Proposed Changes"}


def test_a_draft_is_judged_mildly() -> None:
    faults = lint(render_page(state="Draft"))
    assert faults
    assert {f.severity for f in faults if f.code in {"K03", "K04", "K06", "K07"}} == {"note"}


def test_a_fault_stands_in_a_place_of_bounded_length() -> None:
    faults = lint(render_page().replace("Motivation", "Motivation " * 5_000))
    assert any(fault.place.startswith("Motivation Motivation") for fault in faults)
    assert max(len(fault.place) for fault in faults) <= 200


@pytest.mark.parametrize("letter", list("[(<{*•-|:/ "))
def test_a_plain_text_page_of_one_repeated_letter_is_read_in_seconds(letter: str) -> None:
    start = time.process_time()
    lint_text(f"Status\nCurrent state: {letter * 200_000}", title="KIP-1: x", prefix="KIP")
    assert time.process_time() - start < 5


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("seed", "expected", "errors"),
    [("002", {"K04", "K06", "K07"}, True), ("003", {"K02", "K04", "K06", "K07"}, False)],
    ids=["a page in discussion full of template text", "an old version of a draft"],
)
def test_the_seed_pages_show_the_faults_they_are_known_for(seed: str, expected: set[str], errors: bool) -> None:
    files = sorted(SEEDS.glob(f"{seed}_*.txt"))
    if not files:
        pytest.skip("the seed pages are not beside this checkout")
    faults = lint_text(files[0].read_text(encoding="utf-8"), title="KIP-1: x", prefix="KIP")
    assert codes(faults) == expected
    assert any(f.severity == "error" for f in faults) is errors


def test_a_number_that_another_page_has_too_is_told_with_that_page() -> None:
    (fault,) = find_faults_around(number=7, others=["KIP-7: Doors"], ticket=None, is_ticket_missing=False)
    assert (fault.code, fault.place) == ("K09", "title")
    assert "KIP-7: Doors" in fault.what


def test_a_ticket_that_does_not_exist_is_told_by_name() -> None:
    (fault,) = find_faults_around(number=7, others=[], ticket="SAND-9999", is_ticket_missing=True)
    assert (fault.code, fault.what) == ("K10", "SAND-9999 does not exist in JIRA")


def test_a_ticket_that_nobody_named_cannot_be_missing() -> None:
    assert find_faults_around(number=7, others=[], ticket=None, is_ticket_missing=True) == ()

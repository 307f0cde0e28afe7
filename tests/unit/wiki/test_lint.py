"""Faults of a proposal page: each found, each with its place, and mildness for a draft."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kipflow.domain.pagefaults import Norms, PageFault
from kipflow.wiki.lint import find_external_faults, lint_page, lint_text
from kipflow.wiki.plaintext import find_title
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
        ("Oil the hinges", "Add a field to the FetchRequest and oil the hinges", "K08", "Public Interfaces: protocol"),
    ],
    ids=["missing", "empty", "template", "state", "chat", "tbd", "ticket", "interface"],
)
def test_each_fault_is_found_at_its_place(old: str, new: str, code: str, place: str) -> None:
    assert old in GOOD
    found = [f for f in lint(GOOD.replace(old, new)) if f.code == code]
    assert [f.place for f in found] == [place]
    assert all(f.severity == "error" and f.fix for f in found)


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


def test_a_number_that_another_page_has_too_is_reported_with_that_page() -> None:
    (fault,) = find_external_faults(number=7, others=["KIP-7: Doors"], ticket=None, is_ticket_missing=False)
    assert (fault.code, fault.place) == ("K09", "title")
    assert "KIP-7: Doors" in fault.what


def test_a_ticket_that_does_not_exist_is_reported_by_name() -> None:
    (fault,) = find_external_faults(number=7, others=[], ticket="SAND-9999", is_ticket_missing=True)
    assert (fault.code, fault.what) == ("K10", "SAND-9999 does not exist in JIRA")


def test_a_ticket_that_nobody_named_cannot_be_missing() -> None:
    assert find_external_faults(number=7, others=[], ticket=None, is_ticket_missing=True) == ()


@pytest.mark.parametrize(
    ("title", "detail"),
    [("KIP-NEXT: Insert Title Here", '"KIP-NEXT: Insert Title Here" has no number'), ("Oiled gates", '"Oiled gates"')],
    ids=["the template's", "none"],
)
def test_a_title_without_number_is_reported_by_its_words(title: str, detail: str) -> None:
    (fault,) = [f for f in lint(GOOD, title=title) if f.code == "K01"]
    assert detail in fault.what
    assert "kipflow new" in fault.fix


@pytest.mark.parametrize(
    ("heading", "written"),
    [
        ("Test Plan", "Testing"),
        ("Proposed Changes", "Proposed Change"),
        ("Proposed Changes", "3. Design"),
        ("Compatibility, Deprecation, and Migration Plan", "Compatibility &amp; Migration"),
        ("Rejected Alternatives", "Alternatives considered"),
        ("Motivation", "Background and Motivation"),
        ("Public Interfaces", "Changed Public Interfaces"),
    ],
)
def test_a_section_is_known_under_the_headings_that_authors_give_it(heading: str, written: str) -> None:
    assert lint(GOOD.replace(f"<h1>{heading}</h1>", f"<h2>{written}</h2>")) == ()


def test_a_section_whose_sub_sections_are_empty_too_is_empty() -> None:
    empty = "<h1>Proposed Changes</h1><h2>Hinges</h2><h2>Oil</h2>"
    assert codes(lint(GOOD.replace("<h1>Proposed Changes</h1><p>Oil the hinges on a timer.</p>", empty))) == {"K03"}
    below = empty.replace("<h2>Oil</h2>", "<h2>Oil</h2><p>Every hour.</p>")
    assert lint(GOOD.replace("<h1>Proposed Changes</h1><p>Oil the hinges on a timer.</p>", below)) == ()


def test_a_drawing_fills_a_section() -> None:
    drawing = '<p><ac:image ac:height="250"><ri:attachment ri:filename="hinge.png" /></ac:image></p>'
    assert lint(GOOD.replace("<p>Oil the hinges on a timer.</p>", drawing)) == ()


def test_a_hint_beside_an_answer_is_reported_once_by_the_rule_of_its_field() -> None:
    hinted = GOOD.replace("SAND-77</a>", "SAND-77</a> <em>[Change the link from SAND-1 to your own ticket]</em>")
    assert [(f.code, f.place, f.fix) for f in lint(hinted)] == [("K07", "Status", "delete the hint")]
    hinted = GOOD.replace("Under Discussion", 'Under Discussion <em>[One of "Under Discussion", "Accepted"]</em>')
    assert codes(lint(hinted)) <= {"K05"}


def test_each_interface_that_is_not_named_is_a_fault_of_its_own() -> None:
    both = "Add a field to the FetchRequest. Write records in a new magic byte of the binary log format."
    faults = [f for f in lint(GOOD.replace("Oil the hinges on a timer.", both)) if f.code == "K08"]
    assert [f.place for f in faults] == ["Public Interfaces: log-format", "Public Interfaces: protocol"]


NORMS = Norms(project="SAND", list_hosts=("mail.sand.example",))


def lint_as(body: str) -> tuple[PageFault, ...]:
    return lint_page(body, title="KIP-7: x", prefix="KIP", source="page 7", norms=NORMS)


def test_a_ticket_of_another_project_is_reported_with_the_project_that_it_should_be_of() -> None:
    (fault,) = lint_as(GOOD.replace("SAND-77", "DUNE-12"))
    assert (fault.code, fault.what) == ("K07", "DUNE-12 is no ticket of SAND")
    assert "SAND-N" in fault.fix


def test_the_first_ticket_of_the_project_is_the_templates() -> None:
    assert codes(lint_as(GOOD.replace("SAND-77", "SAND-1"))) == {"K07"}


@pytest.mark.parametrize(
    "address",
    [
        "https://mail.sand.example/thread/x",
        "https://www.mail-archive.com/dev@sand.example/msg1.html",
        "http://sand.markmail.org/thread/x",
        "https://lists.sand.example/x",
    ],
)
def test_the_communitys_archive_and_the_public_ones_are_the_list(address: str) -> None:
    assert lint_as(GOOD.replace("https://lists.apache.org/thread/abc", address)) == ()


def test_a_host_that_only_ends_alike_is_not_the_list() -> None:
    faults = lint_as(GOOD.replace("https://lists.apache.org/thread/abc", "https://notmarkmail.org/x"))
    assert codes(faults) == {"K06"}


@pytest.mark.realdata
def test_the_template_itself_lacks_everything_an_author_should_write() -> None:
    files = sorted(SEEDS.glob("000_*.txt"))
    if not files:
        pytest.skip("the seed pages are not beside this checkout")
    faults = lint_text(files[0].read_text(encoding="utf-8"), title="", prefix="KIP")
    assert codes(faults) == {"K01", "K04", "K05", "K06", "K07"}
    assert {f.place for f in faults if f.code == "K04"} >= {"Motivation", "Public Interfaces", "Test Plan"}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("KIP-12: Gates\n\nStatus\n", "KIP-12: Gates"),
        ("<html><head><title>Sand : KIP-12: Gates &amp; doors</title>", "KIP-12: Gates & doors"),
        ("<title>Oiled gates</title>", "Oiled gates"),
        ("Status\nCurrent state: Draft\n", ""),
    ],
)
def test_a_saved_page_shows_its_title(text: str, title: str) -> None:
    assert find_title(text, "KIP") == title

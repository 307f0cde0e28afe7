"""The template, and its text where an author left it."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest

from kipflow.wiki.sections import read_sections
from kipflow.wiki.storage import parse_storage
from kipflow.wiki.template import TEMPLATE, find_leftovers, is_template_line, render_page

SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"


def leftovers(body: str) -> list[tuple[str, str]]:
    return list(find_leftovers(read_sections(parse_storage(body, source="p"))))


def test_every_section_of_a_new_page_still_holds_template_text() -> None:
    found = {section for section, _ in leftovers(render_page())}
    assert found == set(TEMPLATE)


def test_a_page_written_by_its_author_holds_none() -> None:
    body = "".join(f"<h1>{escape(h)}</h1><p>Our own words about it.</p>" for h in TEMPLATE)
    assert leftovers(body) == []


def test_a_hint_left_beside_an_answer_is_found() -> None:
    line = "JIRA: KAFKA-77 [Change the link from KAFKA-1 to your own ticket]"
    assert leftovers(f"<h1>Status</h1><p>{line}</p>") == [("Status", line)]


def test_the_line_that_every_page_keeps_is_no_leftover() -> None:
    kept = TEMPLATE["Status"][-1]
    assert is_template_line(kept)
    assert leftovers(f"<h1>Status</h1><p>{kept}</p>") == []


@pytest.mark.parametrize(
    "line",
    [
        "- Monitoring",
        "* _Binary log format_",
        "\u2022 Command line tools  and arguments",
        "when will we remove the existing behavior",
    ],
)
def test_bullets_case_and_emphasis_hide_nothing(line: str) -> None:
    assert is_template_line(line)


@pytest.mark.parametrize("line", ["Monitoring: two new metrics", "We describe the problems", "", "Configuration"])
def test_an_authors_line_is_not_taken_for_the_templates(line: str) -> None:
    assert not is_template_line(line)


def test_our_template_is_the_seeds() -> None:
    """Every line of the community's template is known, or the linter would miss it on a page."""
    path = SEEDS / "000_89c753c16d4ee82a.txt"
    if not path.is_file():
        pytest.skip("the seed documents are not beside the project")
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    words = [line for line in lines if line and line not in TEMPLATE and not line.startswith(("KIP-NEXT", "- ["))]
    shown = [line.replace("[KIP](#)", "KIP").replace("[here](#)", "here") for line in words]
    assert [line for line in shown if not is_template_line(line)] == []


@pytest.mark.parametrize(
    "line",
    [
        "Describe the new thing you want to do in appropriate detail.",
        "Describe in few sentences how the KIP will be tested. How will we know nothing broke?",
        "Briefly list any new interfaces that will be introduced as part of this proposal or any existing interfaces "
        "that will be removed or changed.",
    ],
)
def test_some_of_a_lines_sentences_are_the_templates_too(line: str) -> None:
    assert is_template_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "What impact (if any) will there be on existing users? None.",
        "Describe the new thing you want to do in appropriate detail. We oil the hinges.",
        "Use judgement.",
        "",
    ],
)
def test_a_line_with_a_word_of_its_author_is_his(line: str) -> None:
    assert not is_template_line(line)


def test_a_question_that_was_answered_below_is_no_leftover() -> None:
    question = "<li>When will we remove the existing behavior?{}</li>"
    head = "<h1>Compatibility, Deprecation, and Migration Plan</h1><ul>{}</ul>"
    answered = head.format(question.format("<ul><li>Never.</li></ul>"))
    assert leftovers(answered) == []
    assert len(leftovers(head.format(question.format("")))) == 1
    assert len(leftovers(head.format(question.format("") + question.format("")))) == 2


def test_an_instruction_that_ends_in_a_question_stays_a_leftover_above_the_authors_words() -> None:
    (line,) = TEMPLATE["Test Plan"]
    assert leftovers(f"<h1>Test Plan</h1><p>{line}</p><p>We open the gate.</p>") == [("Test Plan", line)]

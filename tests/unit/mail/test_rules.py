"""The table of rules: each takes its own examples, and the page that shows it is the one that it writes."""

from __future__ import annotations

import pytest

from kipflow.domain.votes import Choice, Standing
from kipflow.mail.quoting import find_own_words
from kipflow.mail.votes.doubts import DOUBT_RULES, find_doubt_rule
from kipflow.mail.votes.judging import RULES, judge
from kipflow.mail.votes.label import LabelRule
from kipflow.mail.votes.labelrules import LABEL_RULES, find_label_rule
from kipflow.mail.votes.leftovers import LEANINGS
from kipflow.mail.votes.reading import find_mentions, read_expressions
from kipflow.mail.votes.sentences import split_sentences


def find_rules(text: str) -> list[str]:
    lines = find_own_words(text.replace(" / ", "\n")).own
    mentions = [m for s in split_sentences(lines) for m in find_mentions(s, author="Mara Lind", is_result=False)]
    return [judge(m)[0].name for m in mentions]


@pytest.mark.parametrize(("name", "text"), [(rule.name, text) for rule in RULES for text in rule.takes])
def test_a_rule_takes_its_examples(name: str, text: str) -> None:
    assert name in find_rules(text)


@pytest.mark.parametrize(("name", "text"), [(rule.name, text) for rule in RULES for text in rule.leaves])
def test_a_rule_leaves_to_others_what_it_must_not_take(name: str, text: str) -> None:
    found = find_rules(text)
    assert found
    assert name not in found


@pytest.mark.parametrize(("rule", "text"), [(t, text) for t in LABEL_RULES for text in t.takes])
def test_what_stands_before_a_colon_is_taken_by_its_rule(rule: LabelRule, text: str) -> None:
    found = find_label_rule(text, Choice.FOR, is_claimed=rule.if_claimed)
    assert found is not None
    assert found.name == rule.name


@pytest.mark.parametrize(("name", "text"), [(t.name, text) for t in DOUBT_RULES for text in t.takes])
def test_what_is_said_without_a_value_is_taken_by_its_rule(name: str, text: str) -> None:
    found = find_doubt_rule(text)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(("name", "text"), [(t.name, text) for t in LEANINGS.values() for text in t.takes])
def test_what_leans_to_one_side_is_taken_by_its_rule(name: str, text: str) -> None:
    [found] = read_expressions(find_own_words(text), author="Mara Lind")
    assert (found.rule, found.standing) == (name, Standing.LEANING)


@pytest.mark.parametrize(
    ("body", "standing"),
    [
        ("-1 (binding)\n\nLovely, just what we have been missing. Can't wait to see it released!", Standing.UNCLEAR),
        ("-1 (binding). Great idea, but the sentinel breaks old clients.", Standing.CLEAR),
        ("-1\n\nGreat work. I would like to see a test first.", Standing.CLEAR),
    ],
)
def test_a_vote_against_that_only_praises_may_have_a_slip_in_its_sign(body: str, standing: Standing) -> None:
    [found] = read_expressions(find_own_words(body), author="Mara Lind")
    assert found.standing is standing


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("+1 (binding) from Accra", ["clear"]),
        ("Kia ora, +1 (non-binding) from sunny Aotearoa!", ["clear"]),
        ("+1 from Bangalore", ["unclear"]),
        ("+1 (binding) from Jun Okafor", ["unclear"]),
        ("Non-binding +1 from Jun.", ["unclear"]),
        ("Binding +1 from Jun, Ola, Kim. Non-binding +1 from Tess.", ["unclear"]),
        ("So far: three binding +1 (Jun, Ana), zero -1.", []),
        ("Just answer in this thread with +1 (or 0, or -1).", []),
        ("So that's a plain +1 from you, right?", []),
        ("+1 for the API, -1 for shipping it enabled by default", ["unclear"]),
        ("+1 for accepting this as it is", ["clear"]),
        ("Ana, you have my binding vote in favour.", ["clear"]),
        ("I vote against this. Lovely idea otherwise.", ["clear"]),
    ],
)
def test_whose_a_value_is_and_on_what(body: str, read: list[str]) -> None:
    assert [e.standing for e in read_expressions(find_own_words(body), author="Mara Lind")] == read

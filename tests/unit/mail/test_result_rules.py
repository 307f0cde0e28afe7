"""The tables of rules on announcements: each row takes its examples and leaves the others, and the page shows them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from kipflow.mail import announcements
from kipflow.mail.announcements.calls import CALLS, call
from kipflow.mail.announcements.mailfacts import Mail
from kipflow.mail.announcements.mails import find_outcome_of_subject, result
from kipflow.mail.announcements.predicates import Predicate
from kipflow.mail.announcements.rules import ENDS, OUTCOMES, end, outcome
from kipflow.mail.announcements.tokens import load_classes, tokenize
from kipflow.mail.announcements.verdicts import Table
from kipflow.mail.subjects import parse_subject

ROOT = Path(__file__).resolve().parents[3]


def find_in_sentence(table: Table, *kinds: str) -> Callable[[str], set[str]]:
    def find(text: str) -> set[str]:
        tokens = tokenize(text)
        return {table.find(Predicate(tokens, at))[0].name for at, token in enumerate(tokens) if token.can_be(*kinds)}

    return find


def find_in_mail(text: str) -> set[str]:
    bare = text.removeprefix("[RESULT] ")
    subject = "[RESULT] [VOTE] KIP-7: Names" if bare != text else "Re: [VOTE] KIP-7: Names"
    lines = bare.split("\n")
    mail = Mail(lines, parse_subject(subject, "KIP"), subject)
    return {result.find(mail)[0].name}


FINDERS = [
    *((row, find_in_sentence(outcome, *OUTCOMES)) for row in outcome),
    *((row, find_in_sentence(end, *ENDS)) for row in end),
    *((row, find_in_sentence(call, *CALLS)) for row in call),
    *((row, find_in_mail) for row in result),
]


@pytest.mark.parametrize(("name", "find", "text"), [(r.name, find, text) for r, find in FINDERS for text in r.takes])
def test_a_rule_takes_its_examples(name: str, find: Callable[[str], set[str]], text: str) -> None:
    assert name in find(text)


@pytest.mark.parametrize(("name", "find", "text"), [(r.name, find, text) for r, find in FINDERS for text in r.leaves])
def test_a_rule_leaves_what_is_none_of_its_kind(name: str, find: Callable[[str], set[str]], text: str) -> None:
    assert name not in find(text)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("[VOTE PASSED] KIP-7", "passed"),
        ("[VOTE] [NOT ACCEPTED] KIP-7", "failed"),
        ("[VOTE] KIP-7: Names did not pass", "failed"),
        ("[VOTE] KIP-7: Names PASSED", "passed"),
        ("[RESULT] [VOTE] KIP-7: Accepted formats", None),
        ("[RESULT] KIP-7 approved?", None),
    ],
)
def test_a_subject_shows_an_outcome_in_its_tags_or_at_its_end(subject: str, expected: str | None) -> None:
    assert find_outcome_of_subject(subject) == expected


def find_asked(*functions: str) -> Iterator[str]:
    """The classes that the code asks for: plain words handed to these functions."""
    for path in (ROOT / "kipflow" / "mail").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call):
                func: Any = node.func
                if getattr(func, "id", getattr(func, "attr", "")) in functions:
                    yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


def test_every_class_that_is_asked_for_is_in_a_lexicon() -> None:
    forms = {"mark", "number", "sign", "wide"}
    assert {*find_asked("can_be", "has_word", "has_parts", "read_group")} <= {*load_classes("lexicon.toml"), *forms}
    assert {*find_asked("join_words")} <= {*load_classes("patterns.toml")}


@pytest.mark.parametrize("file", ["lexicon.toml", "patterns.toml"])
def test_every_class_of_a_lexicon_is_used_and_whole(file: str) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "kipflow" / "mail").rglob("*.py")]
    used = set(re.findall(r"[\"']([a-z_]+)[\"']", "".join(texts))) | {"weekday"}
    for name, words in load_classes(file).items():
        assert name in used
        assert all(words), name
        assert not [word for word in words if set(word) & set("()|@")]


@pytest.mark.parametrize("file", ["lexicon.toml", "patterns.toml"])
def test_lines_of_a_lexicon_stay_short_enough_to_be_read(file: str) -> None:
    text = files(announcements).joinpath(file).read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 120

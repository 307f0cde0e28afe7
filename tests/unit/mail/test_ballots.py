"""Words to ballot: each body of phrases.json, and what an expression carries."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from kipflow.domain.votes import Choice, Expression
from kipflow.mail.quoting import find_own_words
from kipflow.mail.votes.reading import read_expressions
from tests.examples import take_some
from tools.accuracy.corpus import KINDS, describe

PHRASES: dict[str, list[str]] = json.loads(
    (Path(__file__).resolve().parents[2] / "data" / "votes" / "phrases.json").read_text(encoding="utf-8")
)
CLAIMS = {"claims_binding": True, "claims_non_binding": False, "claims_nothing": None}


@cache
def read(body: str) -> Expression | None:
    found = read_expressions(find_own_words(body), author="Mara Lind")
    return found[0] if found else None


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_are_read_as_a_careful_person_reads_them(kind: str) -> None:
    read_as = {body: describe(read(body)) for body in take_some(PHRASES[kind])}
    assert read_as, "there are examples"
    assert {body: found for body, found in read_as.items() if found != kind} == {}


@pytest.mark.parametrize("kind", CLAIMS)
def test_a_claim_to_bind_is_read_with_its_misspellings(kind: str) -> None:
    claimed = {body: found.claimed_binding if (found := read(body)) else "no vote" for body in PHRASES[kind]}
    assert claimed == dict.fromkeys(PHRASES[kind], CLAIMS[kind])


def test_what_goes_to_review_says_why() -> None:
    found = {body: read(body) for body in take_some(PHRASES["review"])}
    assert [body for body, e in found.items() if e is None or not (e.why and e.rule)] == []


def test_the_evidence_is_the_line_as_it_was_written() -> None:
    found = read("Thanks for the work.\n\n  *+1 （binding）*  \n\nBest")
    assert found is not None
    assert (found.line, found.value) == ("*+1 （binding）*", "+1")


def test_a_fraction_keeps_its_sign_and_its_text() -> None:
    found = read("-0.9, too early")
    assert found is not None
    assert (found.choice, found.value) == (Choice.AGAINST, "-0.9")


def test_two_different_votes_in_one_mail_name_both() -> None:
    found = read("+1 (binding)\n\nOn second thought -1 (binding).")
    assert found is not None
    assert (found.choice, found.why) == (None, "says +1 and -1")

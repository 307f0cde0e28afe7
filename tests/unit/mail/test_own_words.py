"""From any mail program's mail, only its author's own words are read, and who and when."""

from __future__ import annotations

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.votes import Standing
from tests.corpus import load_mail_cases
from tests.unit.mail.onemail import read_one

pytestmark = pytest.mark.usefixtures("same_words_read_once")

CASES = load_mail_cases()


def vote_of(message: Message) -> str | None:
    if not message.votes:
        return None
    (expression,) = message.votes
    return "review" if expression.standing is not Standing.CLEAR else expression.choice


@pytest.mark.parametrize("name", CASES)
def test_a_mail_gives_its_authors_own_words(name: str) -> None:
    message, expected = read_one(CASES[name].data, list_id="dev@commons.example"), CASES[name].expected
    found = {
        "own": " ".join(message.own_text.split()),
        "vote": vote_of(message),
        "name": message.author_name,
        "address": message.author_address,
        "arrived_at": message.arrived_at.isoformat() if message.arrived_at else None,
    }
    assert {key: found[key] for key in expected} == expected


def test_a_vote_below_thousands_of_quoted_lines() -> None:
    head, _, _ = CASES["quote-alone"].data.partition(b"\n\n")
    found = read_one(head + b"\n\n" + b"> x\n" * 3000 + b"+1\n")
    assert (found.own_text, vote_of(found)) == ("+1", "+1")

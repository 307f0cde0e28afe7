"""From any mail program's mail, only its author's own words are read, and who and when."""

from __future__ import annotations

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.votes import Standing
from kipflow.mail.messages import read_message
from tests.corpus import load_mail_cases

CASES = load_mail_cases()


def read(data: bytes) -> Message:
    found = read_message(data, source="x#0", list_id="dev@commons.example", month="", prefix="KIP")
    assert isinstance(found, Message)
    return found


def vote_of(message: Message) -> str | None:
    if not message.votes:
        return None
    (expression,) = message.votes
    return "review" if expression.standing is not Standing.CLEAR else expression.choice


@pytest.mark.parametrize("name", CASES)
def test_a_mail_gives_its_authors_own_words(name: str) -> None:
    message, expected = read(CASES[name].data), CASES[name].expected
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
    found = read(head + b"\n\n" + b"> x\n" * 3000 + b"+1\n")
    assert (found.own_text, vote_of(found)) == ("+1", "+1")

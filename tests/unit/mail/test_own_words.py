"""From any mail program's mail, only its author's own words are read, and who and when."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.votes import Standing
from kipflow.mail.messages import read_message

MAILS = Path(__file__).resolve().parents[2] / "data" / "words"
EXPECTED: dict[str, dict[str, Any]] = json.loads((MAILS / "expected.json").read_text(encoding="utf-8"))


def read(name: str) -> Message:
    data = (MAILS / f"{name}.eml").read_bytes()
    found = read_message(data, source=f"{name}#0", list_id="dev@commons.example", month="", prefix="KIP")
    assert isinstance(found, Message)
    return found


def vote_of(message: Message) -> str | None:
    if not message.expressions:
        return None
    (expression,) = message.expressions
    return "review" if expression.standing is not Standing.CLEAR else expression.choice


@pytest.mark.parametrize("name", EXPECTED)
def test_a_mail_gives_its_authors_own_words(name: str) -> None:
    message = read(name)
    found = {
        "own": " ".join(message.own_text.split()),
        "vote": vote_of(message),
        "name": message.author_name,
        "address": message.author_address,
        "arrived_at": message.arrived_at.isoformat() if message.arrived_at else None,
    }
    assert {key: found[key] for key in EXPECTED[name]} == EXPECTED[name]


def test_every_mail_has_its_expectation_and_every_expectation_its_mail() -> None:
    assert EXPECTED
    assert {path.stem for path in MAILS.glob("*.eml")} == set(EXPECTED)

"""What sentences announce and call off: tables of texts with what a careful reader makes of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kipflow.domain.facts import MailKind
from kipflow.mail.announcements.mailfacts import Mail
from kipflow.mail.announcements.verdicts import Says
from kipflow.mail.results import is_thought
from kipflow.mail.subjects import parse_subject
from tests.corpus import load_yaml
from tests.unit.mail.announcements import read_announcement

DATA = Path(__file__).parents[2] / "data" / "announcements"


def load(name: str) -> list[Any]:
    rows: list[Any] = load_yaml(DATA / f"{name}.yaml")
    return [pytest.param(row, id=row["text"][:60]) for row in rows]


@pytest.mark.parametrize("row", load("outcomes"))
def test_what_a_text_announces(row: dict[str, Any]) -> None:
    declared = read_announcement(row["text"], reply=not row.get("tagged")).declared
    if declared is None:
        assert row["says"] == "none"
    else:
        said = "against" if declared.only_denies else "ask" if declared.unclear else declared.outcome
        assert said == row["says"], (declared.line, declared.unclear)


@pytest.mark.parametrize("row", load("cancellations"))
def test_what_a_text_calls_off(row: dict[str, Any]) -> None:
    message = read_announcement(row["text"], reply=True)
    asks = message.declared is not None and not message.declared.only_denies
    unclear = message.declared.unclear if asks else ""
    thought = unclear and is_thought(unclear)
    found = "yes" if message.cancels else "caller" if thought else "ask" if unclear else "no"
    assert found == row["calls_off"], (message.cancels, unclear)


def test_an_unclear_text_gives_no_outcome() -> None:
    declared = read_announcement("The vote passed. No, it did not pass.", reply=True).declared
    assert declared is not None
    assert (declared.outcome, declared.unclear) == (None, "The vote passed. / No, it did not pass.")


@pytest.mark.parametrize("row", load("subjects"))
def test_what_a_subject_shows(row: dict[str, Any]) -> None:
    assert parse_subject(row["text"], "KIP").kind == row["kind"]


ANNOUNCES, CALLS = "The vote passed with 3 binding +1 votes.", "I call a vote on KIP-7. It is open for 72 hours."


@pytest.mark.parametrize(
    ("subject", "body", "kind"),
    [
        ("[VOTE] KIP-7: Shorter names passed", ANNOUNCES, MailKind.RESULT),
        ("[VOTE] KIP-7: Shorter names passed", CALLS, MailKind.VOTE),
        ("[VOTE] KIP-7: Retry when a task has failed", CALLS, MailKind.VOTE),
        ("[VOTE] KIP-7: Stream states - Closed", CALLS, MailKind.VOTE),
        ("[VOTE] KIP-7: Shorter names - Closed", "Thanks all!", MailKind.RESULT),
        ("[RESULT] [VOTE] KIP-7: Shorter names", CALLS, MailKind.RESULT),
        ("[VOTE] KIP-7: Shorter names withdrawn", "I am cancelling this vote.", MailKind.CANCEL),
    ],
)
def test_a_mails_text_settles_what_its_subject_may_show(subject: str, body: str, kind: MailKind) -> None:
    assert read_announcement(body, reply=False, subject=subject).reading.kind is kind


@pytest.mark.parametrize("row", load("counts"))
def test_what_a_text_counts(row: dict[str, Any]) -> None:
    declared = read_announcement(row["text"], reply=False).declared
    assert declared is not None
    for group, counts in row["counts"].items():
        stated = {choice: number for choice, number in (getattr(declared, group) or {}).items() if number}
        assert stated == {choice: number for choice, number in counts.items() if number}, declared
    assert declared.contradictions == ()


@pytest.mark.parametrize(
    "topic", ["KIP-7² KIP-7: Names", f"KIP-{'7' * 5000} KIP-7: Names", "KIP-7: (((( Names ++ [x", "٧ KIP-7 a b"]
)
def test_no_subject_stops_the_reading_of_its_mails(topic: str) -> None:
    reading = parse_subject(f"Re: [VOTE] {topic}", "KIP")
    mail = Mail(["KIP-7: Names passed with 3 binding +1."], reading, topic)
    assert [said.outcome for said in mail.outcomes] in ([], ["passed"])
    assert mail.calls_off(mail.sentences[0]) is Says.NOTHING

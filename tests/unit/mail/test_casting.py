"""Who a ballot is cast by, and what a reader is told where roster and mail differ."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Person, Role, Roster
from kipflow.mail.casting import cast_ballots
from kipflow.mail.messages import read_message

POLICY = Policy(version="test-1", binding_roles=frozenset({"committer"}))
MARA = Person(id="mlind", name="Mara Lind", emails=("mlind@apache.example",), roles=(Role(role="committer"),))
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def reply(sender: str, words: str) -> Message:
    text = (
        f"From: {sender}\nTo: dev@x.example\nSubject: Re: [VOTE] KIP-7: Gates\nMessage-ID: <b@x.example>\n"
        f"In-Reply-To: <root@x.example>\nDate: Mon, 02 Mar 2026 09:00:00 +0000\n\n{words}\n"
    )
    read = read_message(text.encode(), source="x#0", list_id="dev@x.example", month="2026-03", prefix="KIP")
    assert isinstance(read, Message)
    return read


@pytest.mark.parametrize(
    ("sender", "words", "binding", "why"),
    [
        ("Mara Lind <mlind@apache.example>", "+1 (binding)", True, ""),
        ("Mara Lind <mlind@apache.example.INVALID>", "+1", True, ""),
        ("Mara Lind <mara@home.example>", "+1", True, "known by name: the roster does not have this address"),
        ("Mara Lund <mara@home.example>", "+1 (binding)", False, "claims to bind; the roster does not say so"),
        ("Tom Ash <tom@x.example>", "+1 (binding)", False, "claims to bind; the roster does not say so"),
        ("Mara Lind <mlind@apache.example>", "+1 (non-binding)", True, "does not claim to bind; the roster says so"),
    ],
    ids=["address", "rewritten address", "name only", "one letter away", "stranger", "modest"],
)
def test_the_roster_decides_who_binds_and_says_where_the_mail_differs(
    sender: str, words: str, binding: bool, why: str
) -> None:
    [ballot] = cast_ballots([(reply(sender, words), AT)], Roster([MARA]), POLICY)
    assert (ballot.binding, ballot.why) == (binding, why)


def test_without_a_roster_nothing_is_said_of_claims() -> None:
    [ballot] = cast_ballots([(reply("Tom Ash <tom@x.example>", "+1 (binding)"), AT)], Roster(()), POLICY)
    assert (ballot.binding, ballot.claimed_binding, ballot.why) == (False, True, "")

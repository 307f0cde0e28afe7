"""Who a ballot is cast by, and what a reader is shown where roster and mail differ."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.people import Person, Role
from kipflow.domain.roster import Roster
from kipflow.domain.senders import KnownBy, Senders
from kipflow.mail.rounds.casting import cast_all
from tests.unit.domain.building import POLICY
from tests.unit.mail.onemail import read_one

MARA = Person(id="mlind", name="Mara Lind", emails=("mlind@apache.example",), roles=(Role(role="committer"),))
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def reply(sender: str, words: str) -> Message:
    return read_one(
        f"From: {sender}\nTo: dev@x.example\nSubject: Re: [VOTE] KIP-7: Gates\nMessage-ID: <b@x.example>\n"
        f"In-Reply-To: <root@x.example>\nDate: Mon, 02 Mar 2026 09:00:00 +0000\n\n{words}\n"
    )


@pytest.mark.parametrize(
    ("sender", "words", "binding", "why"),
    [
        ("Mara Lind <mlind@apache.example>", "+1 (binding)", True, ""),
        ("Mara Lind <mlind@apache.example.INVALID>", "+1", True, ""),
        ("Mara Lind <mara@home.example>", "+1", False, ""),
        ("Mara Lund <mara@home.example>", "+1 (binding)", False, "claims to bind; the roster does not say so"),
        ("Tom Ash <tom@x.example>", "+1 (binding)", False, "claims to bind; the roster does not say so"),
        ("Mara Lind <mlind@apache.example>", "+1 (non-binding)", True, "does not claim to bind; the roster says so"),
    ],
    ids=["address", "rewritten address", "name only", "one letter away", "stranger", "modest"],
)
def test_the_roster_decides_who_binds_and_says_where_the_mail_differs(
    sender: str, words: str, binding: bool, why: str
) -> None:
    [ballot] = cast_all([(reply(sender, words), AT)], Roster([MARA]), POLICY)[0]
    assert (ballot.binding, ballot.why) == (binding, why)


def test_without_a_roster_nothing_is_said_of_claims() -> None:
    [ballot] = cast_all([(reply("Tom Ash <tom@x.example>", "+1 (binding)"), AT)], Roster(()), POLICY)[0]
    assert (ballot.binding, ballot.claimed_binding, ballot.why) == (False, True, "")


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


SPELL = Person(
    id="tfisk",
    name="Tom Fisk",
    emails=("tfisk@apache.example",),
    roles=(
        Role(role="committer", since=day("2026-03-03"), until=day("2026-03-05")),
        Role(role="emeritus", since=day("2026-03-05")),
        Role(role="committer", since=day("2026-03-08")),
    ),
)


@pytest.mark.parametrize(
    ("at", "binds"),
    [
        ("2026-03-02T23:59:59", False),
        ("2026-03-03T00:00:00", True),
        ("2026-03-04T23:59:59", True),
        ("2026-03-05T00:00:00", False),
        ("2026-03-07T23:59:59", False),
        ("2026-03-08T00:00:00", True),
    ],
    ids=["the day before", "its first moment", "its last moment", "emeritus", "still emeritus", "back again"],
)
def test_a_role_that_changes_during_a_vote_binds_by_the_ballots_own_moment(at: str, binds: bool) -> None:
    mail = reply("Tom Fisk <tfisk@apache.example>", "+1 (binding)")
    [ballot] = cast_all([(mail, day(at))], Roster([SPELL]), POLICY)[0]
    assert ballot.binding is binds
    assert ballot.why == ("" if binds else "claims to bind; the roster does not say so")


def test_a_second_ballot_after_the_role_began_binds_and_the_first_does_not() -> None:
    first, second = (
        (reply("Tom Fisk <tfisk@apache.example>", "+1"), day("2026-03-02")),
        (replace(reply("Tom Fisk <tfisk@apache.example>", "-1"), message_id="<c@x.example>"), day("2026-03-04")),
    )
    ballots = cast_all([first, second], Roster([SPELL]), POLICY)[0]
    assert [(b.choice, b.binding) for b in ballots] == [("+1", False), ("-1", True)]


def test_all_that_a_reader_should_know_of_a_ballot_is_said() -> None:
    names = replace(POLICY, senders=Senders.NAMES)
    [ballot] = cast_all([(reply("Mara Lind <mara@home.example>", "+1 (non-binding)"), AT)], Roster([MARA]), names)[0]
    assert (ballot.why, ballot.known_by) == (
        "known by name alone: the roster does not have this address; does not claim to bind; the roster says so",
        KnownBy.NAME,
    )


def test_who_is_listed_under_two_ids_is_known_by_address_only() -> None:
    again = Person(id="mara2", name="Mara Lind", emails=("mara2@apache.example",), roles=(Role(role="committer"),))
    roster = Roster([MARA, again])
    senders = ("Mara Lind <mlind@apache.example>", "Mara Lind <mara2@apache.example>", "Mara Lind <m@home.example>")
    found = [cast_all([(reply(sender, "+1"), AT)], roster, POLICY)[0][0] for sender in senders]
    assert [(b.voter, b.binding) for b in found] == [("mlind", True), ("mara2", True), ("m@home.example", False)]

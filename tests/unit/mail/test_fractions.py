"""What a written fraction, zero or full vote comes to under each way a community may count fractions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kipflow.domain.policy import Fractions, Policy
from kipflow.domain.roster import Roster
from kipflow.domain.votes import BallotStatus, Choice
from kipflow.mail.rounds.casting import cast_all
from tests.unit.mail.onemail import read_one

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
FOR, ABSTAIN, AGAINST = Choice.FOR, Choice.ABSTAIN, Choice.AGAINST
COUNTED, REVIEW = BallotStatus.COUNTED, BallotStatus.REVIEW


def cast(words: str, fractions: Fractions) -> tuple[Choice | None, BallotStatus, str]:
    mail = read_one(
        "From: Mara Lind <mara@x.example>\nTo: dev@x.example\nSubject: Re: [VOTE] KIP-7: Gates\n"
        f"Message-ID: <b@x.example>\nIn-Reply-To: <root@x.example>\nDate: Mon, 02 Mar 2026 09:00:00 +0000\n\n{words}\n"
    )
    policy = Policy(version="test-1", binding_roles=frozenset(), fractions=fractions)
    [ballot] = cast_all([(mail, AT)], Roster(()), policy)[0]
    return ballot.choice, ballot.status, ballot.value


@pytest.mark.parametrize(
    ("words", "value", "by_sign"),
    [
        ("+0.5", "+0.5", FOR),
        ("+.5 (binding)", "+.5", FOR),
        ("-0.9, too early", "-0.9", AGAINST),
        ("- 0.25", "-0.25", AGAINST),
        ("\u22120.5", "-0.5", AGAINST),
        ("+0.01", "+0.01", FOR),
    ],
)
def test_a_fraction_abstains_follows_its_sign_or_waits_for_a_person_as_the_community_says(
    words: str, value: str, by_sign: Choice
) -> None:
    assert cast(words, Fractions.ABSTAIN) == (ABSTAIN, COUNTED, value)
    assert cast(words, Fractions.SIGN) == (by_sign, COUNTED, value)
    assert cast(words, Fractions.REVIEW) == (by_sign, REVIEW, value)


@pytest.mark.parametrize("fractions", list(Fractions))
@pytest.mark.parametrize(
    ("words", "choice", "value"),
    [
        ("+1", FOR, "+1"),
        ("+1.0", FOR, "+1.0"),
        ("+1.5", FOR, "+1.5"),
        ("-1", AGAINST, "-1"),
        ("+0", ABSTAIN, "+0"),
        ("-0", ABSTAIN, "-0"),
        ("-0.0", ABSTAIN, "-0.0"),
        ("0", ABSTAIN, "0"),
        ("+/-0", ABSTAIN, "0"),
    ],
)
def test_whole_votes_and_zeros_are_no_fractions(words: str, choice: Choice, value: str, fractions: Fractions) -> None:
    assert cast(words, fractions) == (choice, COUNTED, value)


@pytest.mark.parametrize("fractions", list(Fractions))
def test_a_fraction_on_a_condition_waits_whatever_fractions_are_worth(fractions: Fractions) -> None:
    assert cast("+0.5 if the default stays off", fractions)[1] is REVIEW

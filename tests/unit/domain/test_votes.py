"""Which of a voter's ballots stands, and what a round looked like at a moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from kipflow.domain.judging import judge
from kipflow.domain.votes import Choice, Declared, Vote
from tests.unit.domain.building import START, ballot, poll


def statuses(judged: Vote) -> list[str]:
    return [str(b.status) for b in judged.ballots]


def test_the_latest_clear_ballot_of_a_voter_stands() -> None:
    judged = judge(poll(0, ballot("jun", 2, Choice.AGAINST), ballot("jun", 1)), START + timedelta(days=9))
    assert statuses(judged) == ["superseded", "counted"]


def test_an_unclear_ballot_waits_beside_the_clear_one() -> None:
    judged = judge(
        poll(0, ballot("jun", 1), ballot("jun", 2, Choice.AGAINST, status="review")), START + timedelta(days=9)
    )
    assert statuses(judged) == ["counted", "review"]


def test_a_later_clear_ballot_settles_an_unclear_one() -> None:
    judged = judge(poll(0, ballot("jun", 1, status="review"), ballot("jun", 2)), START + timedelta(days=9))
    assert statuses(judged) == ["superseded", "counted"]


def test_a_withdrawal_takes_the_standing_ballot_along() -> None:
    judged = judge(poll(0, ballot("jun", 1), ballot("jun", 2, None, status="withdrawn")), START + timedelta(days=9))
    assert statuses(judged) == ["withdrawn", "withdrawn"]


def test_a_new_ballot_after_a_withdrawal_counts() -> None:
    cast = (ballot("jun", 1, Choice.AGAINST), ballot("jun", 2, None, status="withdrawn"), ballot("jun", 3))
    assert statuses(judge(poll(0, *cast), START + timedelta(days=9))) == ["withdrawn", "withdrawn", "counted"]


def test_later_mail_is_unseen() -> None:
    assert statuses(judge(poll(0, ballot("jun", 1), ballot("ola", 5)), START + timedelta(days=3))) == ["counted"]


def test_a_ballot_after_the_announcement_is_void_and_one_at_its_moment_counts() -> None:
    declared = Declared(
        by="Mara Lind", message_id="<r@x.example>", announced_at=START + timedelta(days=4), outcome="passed"
    )
    open_vote = replace(poll(0, ballot("jun", 4), ballot("ola", 5)), declared=declared)
    assert statuses(judge(open_vote, START + timedelta(days=9))) == ["counted", "void"]
    assert judge(open_vote, START + timedelta(days=3)).declared is None


def test_a_cancelled_round_counts_nothing_from_its_end_on() -> None:
    ended = replace(poll(0, ballot("jun", 1)), ended_at=START + timedelta(days=2), ended_how="cancelled")
    assert statuses(judge(ended, START + timedelta(days=1.5))) == ["counted"]
    assert statuses(judge(ended, START + timedelta(days=2))) == ["void"]

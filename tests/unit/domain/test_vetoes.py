"""Under lazy consensus a binding -1 blocks; it ends nothing by itself, because its voter may withdraw it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kipflow.domain.events import Stage
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import VotingRule
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import Ballot, BallotStatus, Choice
from tests.unit.domain.building import POLICY, TALKED, YES, at, ballot, facts, poll, result

VETOING = replace(POLICY, rule=VotingRule.LAZY_CONSENSUS, clock_after=None)
VETO = ballot("vera", 5, Choice.AGAINST)


def ended(*cast: Ballot, day: float = 30, **vote: Any) -> tuple[Stage, Outcome, str]:
    """Stage, outcome, and the rule of the last move."""
    decision = decide(facts(**TALKED, votes=(poll(4, *cast, **vote),)), VETOING, at(day))
    return decision.stage, decision.votes[-1].outcome, decision.history[-1].rule


def test_a_veto_keeps_a_vote_from_passing_and_the_clock_does_not_reject_for_it() -> None:
    assert ended(*YES, VETO) == (Stage.VOTE, Outcome.FAILED, "vote-thread")


def test_a_withdrawn_veto_blocks_no_more() -> None:
    gone = replace(VETO, status=BallotStatus.WITHDRAWN, choice=None, cast_at=at(9), message_id="<gone@x.example>")
    stage, outcome, rule = ended(*YES, VETO, gone, declared=result(10))
    assert (stage, outcome, rule) == (Stage.ACCEPTED, Outcome.PASSED, "result-agrees")


def test_a_vetoed_vote_is_rejected_when_its_result_says_so() -> None:
    failed = replace(result(10), outcome="failed")
    assert ended(*YES, VETO, declared=failed)[::2] == (Stage.REJECTED, "result-rejects")


def test_an_announcement_that_passes_over_a_veto_accepts_nothing() -> None:
    assert ended(*YES, VETO, declared=result(10))[0] is Stage.VOTE


@pytest.mark.parametrize(("against", "stage"), [(1, Stage.VOTE), (2, Stage.VOTE), (3, Stage.VOTE), (4, Stage.REJECTED)])
def test_only_more_against_than_for_is_voted_down_by_the_clock(against: int, stage: Stage) -> None:
    cast = [ballot(f"n{n}", 5, Choice.AGAINST) for n in range(against)]
    assert len(YES) == 3
    assert ended(*YES, *cast)[0] is stage


def test_a_veto_of_one_who_does_not_bind_blocks_nothing() -> None:
    assert ended(*YES, replace(VETO, binding=False), declared=result(10))[0] is Stage.ACCEPTED

"""What a count means under a policy at a given time."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from kipflow.domain.differences import find_differences, is_named
from kipflow.domain.policy import Policy, VotingRule
from kipflow.domain.tally import (
    Counts,
    Outcome,
    count,
    depends_on_review,
    find_outcome,
    find_possible_outcomes,
    possible_counts,
)
from kipflow.domain.votes import Ballot, Choice, ClaimedEnd, Declared, EndKind, Vote
from tests.unit.domain.building import START, ballot, poll

POLICY = Policy(version="test", binding_roles=frozenset({"committer"}))
LATER = START + timedelta(days=4)
STRANGERS_CANCEL = ClaimedEnd(
    kind=EndKind.CANCELLED, by="Ola Berg", address="ola@x.example", message_id="<c>", at=START, line="", why="no caller"
)


def vote(plus: int = 0, zero: int = 0, minus: int = 0, *, review: int = 0, root_missing: bool = False) -> Vote:
    cast = [ballot(f"p{n}") for n in range(plus)]
    cast += [ballot(f"z{n}", choice=Choice.ABSTAIN) for n in range(zero)]
    cast += [ballot(f"m{n}", choice=Choice.AGAINST) for n in range(minus)]
    cast += [ballot(f"r{n}", status="review") for n in range(review)]
    return poll(0, *cast, root_missing=root_missing)


@pytest.mark.parametrize(
    ("rule", "quorum", "counts", "outcome"),
    [
        (VotingRule.LAZY_MAJORITY, 3, (3, 0, 0), Outcome.PASSED),
        (VotingRule.LAZY_MAJORITY, 3, (3, 0, 2), Outcome.PASSED),
        (VotingRule.LAZY_MAJORITY, 3, (3, 0, 3), Outcome.CONTESTED),
        (VotingRule.LAZY_MAJORITY, 3, (3, 0, 4), Outcome.FAILED),
        (VotingRule.LAZY_MAJORITY, 3, (2, 5, 0), Outcome.SHORT),
        (VotingRule.LAZY_MAJORITY, 3, (0, 0, 1), Outcome.FAILED),
        (VotingRule.LAZY_CONSENSUS, 0, (0, 0, 0), Outcome.PASSED),
        (VotingRule.LAZY_CONSENSUS, 0, (5, 0, 1), Outcome.FAILED),
        (VotingRule.TWO_THIRDS, 3, (4, 0, 2), Outcome.PASSED),
        (VotingRule.TWO_THIRDS, 3, (4, 0, 3), Outcome.CONTESTED),
        (VotingRule.MAJORITY, 0, (1, 0, 0), Outcome.PASSED),
        (VotingRule.MAJORITY, 0, (1, 0, 2), Outcome.FAILED),
    ],
)
def test_the_outcome_when_the_period_is_over(
    rule: VotingRule, quorum: int, counts: tuple[int, int, int], outcome: Outcome
) -> None:
    policy = replace(POLICY, rule=rule, quorum=quorum)
    assert find_outcome(vote(*counts), policy, LATER) is outcome


@pytest.mark.parametrize(
    ("counts", "outcome"),
    [((0, 0, 0), "open"), ((3, 0, 0), "passing"), ((1, 0, 1), "contested"), ((0, 0, 2), "contested")],
)
def test_the_outcome_while_the_period_runs(counts: tuple[int, int, int], outcome: str) -> None:
    assert find_outcome(vote(*counts), POLICY, START + timedelta(days=2)) == outcome


def test_nothing_is_passed_or_failed_on_partial_data() -> None:
    assert find_outcome(vote(3, root_missing=True), POLICY, LATER) is Outcome.PASSING
    assert find_outcome(vote(0, 0, 3, root_missing=True), POLICY, LATER) is Outcome.CONTESTED


def with_unclear(cast: Vote, *unclear: Ballot) -> Vote:
    return replace(cast, ballots=(*cast.ballots, *unclear))


def test_a_review_item_that_could_turn_a_vote_keeps_it_open() -> None:
    assert depends_on_review(vote(2, review=1), POLICY)
    against = ballot("r0", choice=Choice.AGAINST, status="review")
    assert find_outcome(with_unclear(vote(3, 0, 2), against), POLICY, LATER) is Outcome.PASSING
    assert not depends_on_review(with_unclear(vote(4, 0, 2), against), POLICY)
    assert not depends_on_review(vote(5, review=1), POLICY)
    assert find_outcome(vote(5, review=1), POLICY, LATER) is Outcome.PASSED


def test_an_unclear_ballot_is_what_it_reads_like_or_nothing() -> None:
    known = vote(3, 0, 2)
    against = ballot("r0", choice=Choice.AGAINST, status="review")
    unknown = replace(against, choice=None)
    twice = replace(against, voter="p0")
    assert possible_counts(with_unclear(known, against)) == (Counts(plus=3, minus=3), Counts(plus=3, minus=2))
    assert possible_counts(with_unclear(known, unknown)) == (Counts(plus=3, minus=3), Counts(plus=4, minus=2))
    # p0 has voted +1 before: an unclear -1 that comes to nothing leaves that standing
    assert possible_counts(with_unclear(known, twice)) == (Counts(plus=2, minus=3), Counts(plus=3, minus=2))


def test_only_counted_ballots_are_counted() -> None:
    statuses = ("superseded", "withdrawn", "review", "void")
    assert count(ballot(s, status=s) for s in statuses).binding.as_dict() == {"+1": 0, "0": 0, "-1": 0}


def declared(**stated: object) -> Declared:
    return Declared(by="p0", message_id="<d@x.example>", announced_at=LATER, outcome="passed", **stated)  # type: ignore[arg-type]


def test_an_announcement_is_compared_number_by_number() -> None:
    announced = replace(vote(3), declared=declared(binding={"+1": 4}, total={"+1": 3, "-1": 1}))
    assert find_differences(announced) == ("binding +1: announced 4, counted 3", "in all -1: announced 1, counted 0")


def test_an_announcement_is_compared_name_by_name() -> None:
    announced = replace(vote(2), declared=declared(names={"+1 binding": ("myself", "P9")}))
    assert find_differences(announced) == (
        "binding +1: P9 is announced, no counted ballot",
        "binding +1: P1 is counted, not announced",
    )


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Jun", True),
        ("jun okafor", True),
        ("J. Okafor", True),
        ("jokafor", True),
        ("Juno", False),
        ("J. Okafo", False),
        ("", False),
    ],
)
def test_a_name_in_an_announcement_finds_its_voter(name: str, known: bool) -> None:
    voter = replace(ballot("jokafor"), name="Jun Okafor")
    assert is_named(name, voter) is known


def test_who_writes_with_an_initial_is_found_by_the_name() -> None:
    voter = replace(ballot("jun@x.example"), name="J. Okafor")
    assert is_named("Jun Okafor", voter)
    assert not is_named("Mara Okafor", voter)


@pytest.mark.parametrize(
    ("cast", "at", "possible"),
    [
        (vote(plus=3), LATER, ["passed"]),
        (vote(plus=2, review=1), LATER, ["short", "passed"]),
        (vote(plus=3, review=1), LATER, ["passed"]),
        (vote(plus=2, review=1), START + timedelta(hours=2), ["open", "passing"]),
        (replace(vote(plus=2, review=1), ended_at=START, ended_how="cancelled"), LATER, ["cancelled"]),
        (vote(plus=2, review=1, root_missing=True), LATER, ["short", "passing"]),
        (replace(vote(plus=3), claimed_ends=(STRANGERS_CANCEL,)), LATER, ["cancelled", "passed"]),
        (replace(vote(plus=3), claimed_ends=(replace(STRANGERS_CANCEL, settled_at=START),)), LATER, ["passed"]),
    ],
    ids=[
        *("nothing unclear", "depends on it", "enough without it", "still running", "cancelled", "partial data"),
        *("perhaps called off", "not called off"),
    ],
)
def test_what_a_vote_may_come_to_is_reported_from_its_worst_to_its_best(
    cast: Vote, at: datetime, possible: list[str]
) -> None:
    assert find_possible_outcomes(cast, POLICY, at) == tuple(possible)

"""Counting ballots, and the outcome of a count under a policy at a given time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from kipflow.domain.judging import MAX_SETTLEMENTS, count_settlements, list_settlements, settle_one, states_outcome
from kipflow.domain.ownperiods import find_period_end
from kipflow.domain.people import Doubt
from kipflow.domain.policy import Policy, VotingRule
from kipflow.domain.ruled import find_open_ends
from kipflow.domain.votes import Ballot, BallotStatus, Choice, EndKind, Vote


class Outcome(StrEnum):
    """The outcome of a vote at one moment.

    While the period runs: open, contested (there are binding -1), passing. After it: passed, failed, short (too few
    binding +1), contested (enough +1, no majority), and passing if only a question under review keeps it from passing.
    Cancelled: called off or replaced.
    """

    OPEN = "open"
    SHORT = "short"
    CONTESTED = "contested"
    PASSING = "passing"
    PASSED = "passed"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Ballots by choice."""

    plus: int = 0
    zero: int = 0
    minus: int = 0

    def __str__(self) -> str:
        """ "+3/0/-1"."""
        return f"+{self.plus}/{self.zero}/-{self.minus}"

    def as_dict(self) -> dict[str, int]:
        return {"+1": self.plus, "0": self.zero, "-1": self.minus}

    def with_one(self, choice: Choice | None) -> Counts:
        return Counts(
            plus=self.plus + (choice is Choice.FOR),
            zero=self.zero + (choice is Choice.ABSTAIN),
            minus=self.minus + (choice is Choice.AGAINST),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counted ballots, binding apart from non-binding."""

    binding: Counts = Counts()
    non_binding: Counts = Counts()

    def as_dict(self) -> dict[str, dict[str, int]]:
        return {"binding": self.binding.as_dict(), "non_binding": self.non_binding.as_dict()}


def count(ballots: Iterable[Ballot]) -> Tally:
    """Count the ballots whose status is `counted`; everything else is left out."""
    binding, other = Counts(), Counts()
    for ballot in ballots:
        if ballot.status is not BallotStatus.COUNTED:
            continue
        if ballot.binding:
            binding = binding.with_one(ballot.choice)
        else:
            other = other.with_one(ballot.choice)
    return Tally(binding=binding, non_binding=other)


def is_enough(counts: Counts, policy: Policy) -> bool:
    """Whether these binding counts reach quorum and majority under the policy's rule."""
    if counts.plus < policy.quorum:
        return False
    match policy.rule:
        case VotingRule.LAZY_CONSENSUS:
            return counts.minus == 0
        case VotingRule.TWO_THIRDS:
            return counts.plus > 0 and counts.plus >= 2 * counts.minus
        case VotingRule.LAZY_MAJORITY | VotingRule.MAJORITY:
            return counts.plus > counts.minus


def is_voted_down(counts: Counts, policy: Policy) -> bool:
    """Whether a vote has failed by these counts, and is not only short of votes. A veto can still be withdrawn."""
    if policy.rule is VotingRule.LAZY_CONSENSUS:
        return counts.minus > 0
    return counts.minus > counts.plus


def possible_counts(vote: Vote) -> tuple[Counts, Counts]:
    """The worst and the best binding counts, depending on ballots under review.

    An unclear ballot may be what it seems, or no ballot: then the voter's earlier one counts. If even its choice is
    unknown, it may be any.
    """
    unclear = {b.voter for b in vote.ballots if b.status is BallotStatus.REVIEW and b.binding}
    worst = best = count(b for b in vote.ballots if b.voter not in unclear).binding
    for voter in sorted(unclear):
        readings = _find_readings(b for b in vote.ballots if b.voter == voter)
        worst = worst.with_one(min(readings, key=_weight))
        best = best.with_one(max(readings, key=_weight))
    return worst, best


def _find_readings(ballots: Iterable[Ballot]) -> list[Choice | None]:
    """The possible final choices of one voter with unclear ballots; None: no vote."""
    stands: Choice | None = None
    readings: list[Choice | None] = []
    for ballot in ballots:
        if ballot.status is BallotStatus.COUNTED:
            stands = ballot.choice if ballot.binding else None  # cast before its voter's vote bound
        elif ballot.status is BallotStatus.REVIEW:
            readings += [ballot.choice] if ballot.choice is not None else [Choice.FOR, Choice.AGAINST]
    return [stands, *readings]


def _weight(choice: Choice | None) -> int:
    return {Choice.FOR: 1, Choice.AGAINST: -1}.get(choice or Choice.ABSTAIN, 0)


def find_extremes(vote: Vote, policy: Policy) -> tuple[Counts, Counts]:
    """The worst and the best binding counts, depending on ballots under review and doubts about who is who."""
    if count_settlements(vote) <= MAX_SETTLEMENTS:
        possible = [counts for way in list_settlements(vote) for counts in possible_counts(way)]
    else:  # too many doubts to try: each could reverse one binding ballot
        n, (low, high) = len(vote.doubts), possible_counts(vote)
        low = replace(low, plus=max(0, low.plus - n), minus=low.minus + n)
        possible = [low, replace(high, plus=high.plus + n, minus=max(0, high.minus - n))]

    def rank(counts: Counts) -> tuple[bool, bool, int, int]:
        enough, down = is_enough(counts, policy), is_voted_down(counts, policy)
        return enough, not down, counts.plus - counts.minus, counts.plus

    return min(possible, key=rank), max(possible, key=rank)


def depends_on_review(vote: Vote, policy: Policy) -> bool:
    """Whether settling ballots under review, or who is who, could change the outcome."""
    if vote.crowded or vote.is_held:
        return True
    return is_turned(*find_extremes(vote, policy), policy)


def is_turned(one: Counts, other: Counts, policy: Policy) -> bool:
    """Whether two counts lead to different outcomes."""
    enough, other_enough = is_enough(one, policy), is_enough(other, policy)
    return enough != other_enough or is_voted_down(one, policy) != is_voted_down(other, policy)


def may_have_ended(vote: Vote) -> bool:
    """Whether a mail that is not understood may have ended a vote without any announcement before it."""
    said = vote.declared
    return said is not None and bool(said.unclear) and said.outcome is None and said.before is None


def find_outcome(vote: Vote, policy: Policy, as_of: datetime, *, earliest_close: datetime | None = None) -> Outcome:
    """The outcome of the judged `vote` at `as_of`.

    Never passed or failed if missing mail could change it, nor passed if a mail that is not understood may have ended
    it.
    """
    if vote.is_over(as_of):
        return Outcome.CANCELLED
    sure = not vote.root_missing and not depends_on_review(vote, policy)
    over = as_of >= (earliest_close or find_period_end(vote, policy.voting_period, as_of))
    outcome = _weigh_counts(count(vote.ballots).binding, policy, over=over, sure=sure)
    return Outcome.PASSING if outcome is Outcome.PASSED and may_have_ended(vote) else outcome


def find_possible_outcomes(vote: Vote, policy: Policy, as_of: datetime) -> tuple[Outcome, ...]:
    """The possible outcomes of the judged `vote`, depending on its questions under review: the worst first.

    Only the outcome of `find_outcome` if nothing depends on them.
    """
    stands = find_outcome(vote, policy, as_of)
    over = as_of >= find_period_end(vote, policy.voting_period, as_of)
    unclear_end = may_have_ended(vote) and over and stands is Outcome.PASSING
    is_claimed = not states_outcome(vote.declared) and any(
        end.kind is EndKind.CANCELLED for end in find_open_ends(vote)
    )
    may_be_off = vote.is_held or unclear_end or is_claimed
    if stands is Outcome.CANCELLED or not (may_be_off or depends_on_review(vote, policy)):
        return (stands,)
    ways = find_extremes(vote, policy)
    found = [_weigh_counts(c, policy, over=over, sure=not vote.root_missing) for c in ways]
    return tuple(dict.fromkeys([*([Outcome.CANCELLED] if may_be_off else []), *found]))


def _weigh_counts(counts: Counts, policy: Policy, *, over: bool, sure: bool) -> Outcome:
    """The outcome of binding counts; `over`: the period has ended, `sure`: nothing open can change them."""
    enough, down = is_enough(counts, policy), is_voted_down(counts, policy)
    if enough:
        return Outcome.PASSED if over and sure else Outcome.PASSING
    if down:
        return Outcome.FAILED if over and sure else Outcome.CONTESTED
    if not over:
        return Outcome.CONTESTED if counts.minus else Outcome.OPEN
    return Outcome.SHORT if counts.plus < policy.quorum else Outcome.CONTESTED


def say_counts(counts: Counts, policy: Policy) -> str:
    """The result of these binding counts: "passes with +3 -0"."""
    word = "passes" if is_enough(counts, policy) else "fails" if is_voted_down(counts, policy) else "falls short"
    return f"{word} with +{counts.plus} -{counts.minus}"


def say_ways(vote: Vote, doubt: Doubt, policy: Policy) -> tuple[str, ...]:
    """The results of the judged vote if the doubt is about one person, or two; empty if nothing depends on it."""
    if not doubt.binds or not depends_on_review(vote, policy):
        return ()
    said = []
    for same, lead in ((True, "if one person"), (False, "if two people")):
        way = settle_one(vote, doubt, same=same)
        ends = [say_counts(c, policy) for c in find_extremes(way, policy)]
        said.append(f"{lead}: {' or '.join(dict.fromkeys(ends))}")
    return tuple(said) if said[0].partition(": ")[2] != said[1].partition(": ")[2] else ()

"""A caller's own period: a longer one holds the vote, and where its end is not known a person is asked."""

from __future__ import annotations

from typing import Any

from kipflow.domain.events import Stage
from kipflow.domain.ownperiods import OwnPeriod
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import Choice
from tests.unit.domain.building import POLICY, TALKED, YES, at, ballot, decided, facts, poll, result


def own(said: float, since: float | None = None, until: float | None = None) -> OwnPeriod:
    return OwnPeriod(
        said_at=at(said),
        message_id=f"<said-{said}@x.example>",
        line="I'm extending the vote.",
        since=None if since is None else at(since),
        until=None if until is None else at(until),
    )


def on(day: float, *periods: OwnPeriod, cast: Any = YES, **more: Any) -> tuple[Stage, Outcome, list[str]]:
    """Stage, outcome and the kinds of questions."""
    vote = poll(4, *cast, own_periods=periods, **more)
    decision = decided(facts(**TALKED, votes=(vote,)), POLICY, day)
    return decision.stage, decision.votes[-1].outcome, [item.kind for item in decision.review]


def test_a_vote_passes_when_its_callers_own_period_is_over() -> None:
    two_weeks = own(4, 18, 18)
    assert on(10, two_weeks) == (Stage.VOTE, Outcome.PASSING, [])
    assert on(18.1, two_weeks)[1] is Outcome.PASSED


def test_a_shorter_own_period_changes_nothing() -> None:
    assert on(6.9, own(4, 5, 5))[1] is Outcome.PASSING
    assert on(7.1, own(4, 5, 5))[1] is Outcome.PASSED


def test_an_extension_holds_from_when_it_was_said() -> None:
    assert on(7.1, own(7.5, 12, 13))[1] is Outcome.PASSED
    assert on(7.6, own(7.5, 12, 13))[1] is Outcome.PASSING


def test_a_result_before_the_own_end_takes_hold_then_and_takes_nobodys_vote() -> None:
    early = {"declared": result(8), "cast": (*YES, ballot("dan", 9, Choice.AGAINST))}
    assert on(10, own(4, 18, 18), **early)[:2] == (Stage.VOTE, Outcome.PASSING)
    assert on(18.1, own(4, 18, 18), **early)[:2] == (Stage.ACCEPTED, Outcome.PASSED)


def test_a_result_within_the_day_that_is_named_ends_the_vote() -> None:
    assert on(12.6, own(4, 12, 14), declared=result(12.5))[:2] == (Stage.ACCEPTED, Outcome.PASSED)


def test_an_end_that_is_not_understood_is_asked_about_until_a_result() -> None:
    assert on(6, own(5)) == (Stage.VOTE, Outcome.PASSING, [])
    assert on(20, own(5)) == (Stage.VOTE, Outcome.PASSING, ["result"])
    assert on(20, own(5), declared=result(9)) == (Stage.ACCEPTED, Outcome.PASSED, [])
    assert on(20, own(5), own(6, 9, 10))[1] is Outcome.PASSED

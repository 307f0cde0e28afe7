"""A caller's own period: a longer one holds the vote until an end is announced, a shorter one changes nothing."""

from __future__ import annotations

from typing import Any

from kipflow.domain.events import Stage
from kipflow.domain.ownperiods import OwnPeriod
from kipflow.domain.tally import Outcome
from tests.unit.domain.building import POLICY, TALKED, YES, at, decided, facts, poll, result


def own(said: float, until: float) -> OwnPeriod:
    line = "I'm extending the vote."
    return OwnPeriod(said_at=at(said), until=at(until), message_id=f"<said-{said}@x.example>", line=line)


def on(day: float, *periods: OwnPeriod, **more: Any) -> tuple[Stage, Outcome, str]:
    """Stage, outcome and what is missing."""
    decision = decided(facts(**TALKED, votes=(poll(4, *YES, own_periods=periods, **more),)), POLICY, day)
    return decision.stage, decision.votes[-1].outcome, " / ".join(decision.missing)


def test_a_vote_passes_when_its_callers_own_period_is_over() -> None:
    stage, outcome, missing = on(10, own(4, 18))
    assert (stage, outcome) == (Stage.VOTE, Outcome.PASSING)
    assert 'its caller lets it run until then: "I\'m extending the vote."' in missing
    assert on(18.1, own(4, 18))[1] is Outcome.PASSED


def test_a_shorter_own_period_changes_nothing() -> None:
    assert on(6.9, own(4, 5)) == on(6.9)
    assert on(7.1, own(4, 5))[1] is Outcome.PASSED


def test_an_extension_holds_from_when_it_was_said() -> None:
    assert on(7.1, own(7.5, 13))[1] is Outcome.PASSED
    assert on(7.6, own(7.5, 13))[1] is Outcome.PASSING


def test_a_result_ends_the_vote_before_its_callers_own_end() -> None:
    assert on(8.1, own(4, 18), declared=result(8))[:2] == (Stage.ACCEPTED, Outcome.PASSED)
    assert on(7.9, own(4, 18), declared=result(8))[:2] == (Stage.VOTE, Outcome.PASSING)

"""How a vote ends, by its ballots and its announcement: the guards of the rules that accept and reject.

An announcement that contradicts the ballots, or is not understood, ends nothing: a person must decide.
"""

from __future__ import annotations

from datetime import datetime

from kipflow.domain.clocks import VoteState, after
from kipflow.domain.policy import PageChanges, Policy
from kipflow.domain.stages.state import State
from kipflow.domain.tally import Outcome


def is_announced_passed(state: State, judged: VoteState) -> bool:
    """quorum and majority are reached, nothing unclear could turn it, its care is met; a result says that it passed"""
    return _is_passed(state, judged) and judged.said == "passed"


def is_accepted_by_clock(state: State, judged: VoteState) -> bool:
    """the same, but no outcome is announced, and the policy lets the clock decide"""
    wait = state.policy.clock_after
    is_ripe = wait is not None and state.now >= after(judged.terms.earliest_close, wait)
    return is_ripe and judged.said is None and _is_passed(state, judged)


def is_announced_failed(state: State, judged: VoteState) -> bool:
    """a result says that it failed, and the ballots don't say otherwise"""
    if not _is_over(state, judged) or judged.said != "failed":
        return False
    return judged.outcome is Outcome.FAILED or (
        judged.outcome in {Outcome.SHORT, Outcome.CONTESTED} and not judged.depends_on_review
    )


def is_outvoted(state: State, judged: VoteState) -> bool:
    """by its ballots it failed and is outvoted, and no result says more"""
    if not _is_over(state, judged) or judged.outcome is not Outcome.FAILED or judged.said in {"passed", "failed"}:
        return False
    # a veto blocks, and may be withdrawn: unless outvoted too, the clock leaves such a vote open for a result
    return judged.said is not None or judged.tally.binding.minus > judged.tally.binding.plus


def is_approved(state: State, judged: VoteState) -> bool:
    """a vote opened since then passed, by a result or the clock"""
    return is_announced_passed(state, judged) or is_accepted_by_clock(state, judged)


def is_refused(state: State, judged: VoteState) -> bool:
    """a vote opened since then failed, by a result or its ballots"""
    return is_announced_failed(state, judged) or is_outvoted(state, judged)


def is_text_in_doubt(state: VoteState, policy: Policy) -> bool:
    """Whether a person must first say whether the votes hold for the changed page."""
    return state.terms.late_change is not None and policy.page_changes is PageChanges.ASK


def is_contradicted(state: VoteState, at: datetime) -> bool:
    """Whether, after the period, the announcement says the opposite of the ballots."""
    declared = state.vote.declared
    if declared is None or declared.unclear or at < state.terms.earliest_close:
        return False
    if declared.outcome == "passed":
        return state.outcome is not Outcome.PASSED
    return declared.outcome is not None and state.outcome in {Outcome.PASSED, Outcome.PASSING}


def _is_over(state: State, judged: VoteState) -> bool:
    """Whether the period is over, and no announcement is unclear."""
    declared = judged.vote.declared
    return state.now >= judged.terms.earliest_close and not (declared is not None and declared.unclear)


def _is_passed(state: State, judged: VoteState) -> bool:
    """Whether quorum and majority are reached, no open question could turn it, and the required care is met."""
    is_blocked = bool(judged.terms.reviewers_missing) or is_text_in_doubt(judged, state.policy)
    return _is_over(state, judged) and judged.outcome is Outcome.PASSED and not is_blocked

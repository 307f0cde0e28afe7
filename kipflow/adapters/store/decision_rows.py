"""Decisions as rows."""

from __future__ import annotations

from datetime import datetime

from kipflow.adapters.store.statements import Row, as_row
from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, Transition
from kipflow.domain.proposals import Proposal
from kipflow.domain.records import to_plain
from kipflow.domain.tally import Outcome
from kipflow.domain.version import DECISION_RULES


def transition_row(entry: Transition, position: int, recorded_at: datetime, run_id: str) -> Row:
    return as_row(
        entry,
        id=entry.id,
        position=position,
        recorded_at=recorded_at,
        run_id=run_id,
        decision_rules=DECISION_RULES,
    )


def proposal_row(decision: Decision, about: Proposal, rules: str) -> Row:
    claim = decision.claim
    return {
        **as_row(about, without={"number"}),
        **{name: getattr(decision, name) for name in _OF_DECISION},
        "stage": decision.stage.value,
        "decided_at": decision.as_of,
        "rules": rules,
        "drift": to_plain(decision.drift),
        "drift_count": len(decision.drift),
        "review_count": len(decision.review),
        "claim": claim.kind.value if claim is not None else "",
        "claim_why": claim.why if claim is not None else "",
        "claim_known": claim is not None and claim.is_known,
        "search": f"{about.title}\n{about.author or ''}".casefold(),
    }


_OF_DECISION = ("since", "policy_version", "next_deadline", "warned_at", "last_activity", "missing")


def find_current(decision: Decision) -> VoteState | None:
    """The round that is running: in stage Vote, the newest one that has not ended."""
    if decision.stage is not Stage.VOTE:
        return None
    proper = (s for s in reversed(decision.votes) if s.vote.is_proper)
    return next((s for s in proper if s.outcome is not Outcome.CANCELLED), None)


def vote_row(number: int, position: int, state: VoteState, is_current: bool) -> Row:
    tally = state.tally
    return {
        **as_row(state.vote, without={"proposal", "ballots", "doubts", "before_doubts"}),
        **as_row(state.terms, without={"because", "late_change"}),
        **as_row(state, without={"vote", "terms", "tally"}),
        "number": number,
        "position": position,
        "is_current": is_current,
        "care": state.terms.because,
        "binding_for": tally.binding.plus,
        "binding_abstain": tally.binding.zero,
        "binding_against": tally.binding.minus,
        "other_for": tally.non_binding.plus,
        "other_abstain": tally.non_binding.zero,
        "other_against": tally.non_binding.minus,
    }


def ballot_rows(decision: Decision) -> list[Row]:
    return [
        as_row(found, number=decision.number, vote_position=vote_position, position=position)
        for vote_position, state in enumerate(decision.votes)
        for position, found in enumerate(state.vote.ballots)
    ]


def review_rows(decision: Decision) -> list[Row]:
    return [
        as_row(item, number=decision.number, position=position, affects_outcome=bool(item.outcomes))
        for position, item in enumerate(decision.review)
    ]

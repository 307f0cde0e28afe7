"""How a vote ends: accepted, refused, not yet, or never without a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.arrivals import say_dated
from kipflow.domain.clocks import VoteState, after
from kipflow.domain.events import Actor, Evidence
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.policy import PageChanges, Policy
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import BallotStatus, Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What a vote's end comes to, and which rule of the stage table says so."""

    passes: bool
    rule: str
    actor: Actor
    evidence: tuple[Evidence, ...]
    note: str = ""


def find_closing(state: VoteState, policy: Policy, at: datetime) -> Closing | None:
    """How the vote, judged as of `at`, ends at `at`; None while it does not.

    An announcement that the ballots contradict, or that is not understood, ends nothing: a person must look.
    A veto blocks, and may be withdrawn: unless outvoted too, the clock leaves such a vote open for a result.
    """
    terms, declared = state.terms, state.vote.declared
    if at < terms.earliest_close or (declared is not None and declared.unclear):
        return None
    said = declared.outcome if declared is not None else None
    vetoed = state.tally.binding.minus <= state.tally.binding.plus
    if state.outcome is Outcome.FAILED and said is None and vetoed:
        return None
    if state.outcome is Outcome.FAILED and said != "passed":
        rule, actor = ("result-rejects", Actor.MAIL) if said == "failed" else ("voted-down", Actor.CLOCK)
        return _closing(state, passes=False, rule=rule, actor=actor)
    if said == "failed" and state.outcome in {Outcome.SHORT, Outcome.CONTESTED} and not state.hangs:
        return _closing(state, passes=False, rule="result-rejects", actor=Actor.MAIL)
    if state.outcome is not Outcome.PASSED or terms.reviewers_missing or is_text_in_doubt(state, policy):
        return None
    if said == "passed":
        return _closing(state, passes=True, rule="result-agrees", actor=Actor.MAIL)
    ripe = policy.clock_after is not None and at >= after(terms.earliest_close, policy.clock_after)
    if said is None and ripe:
        return _closing(state, passes=True, rule="clock-accepts", actor=Actor.CLOCK)
    return None


def is_text_in_doubt(state: VoteState, policy: Policy) -> bool:
    """Whether a person must say first that the votes hold for the page as it is now."""
    return state.terms.late_change is not None and policy.page_changes is PageChanges.ASK


def is_contradicted(state: VoteState, at: datetime) -> bool:
    """Whether an announcement says the opposite of what the ballots come to, the period being over."""
    declared = state.vote.declared
    if declared is None or declared.unclear or at < state.terms.earliest_close:
        return False
    if declared.outcome == "passed":
        return state.outcome is not Outcome.PASSED
    return declared.outcome is not None and state.outcome in {Outcome.PASSED, Outcome.PASSING}


def find_ending(vote: Vote, facts: ProposalFacts) -> Evidence:
    """The mail that ended a round, in its own words: a new round's, or the one that called this off."""
    ref = vote.ended_message_id or vote.root_message_id
    message = next((m for m in facts.messages if m.message_id == ref), None)
    if message is not None:
        line = message.cancels if vote.ended_how == "cancelled" else ""
        return Evidence(kind="message", ref=ref, line=line or message.subject, url=message.permalink)
    opened = next((v for v in facts.votes if v.root_message_id == ref), None)
    return Evidence(kind="message", ref=ref, line=opened.subject if opened is not None else "")


def _closing(state: VoteState, *, passes: bool, rule: str, actor: Actor) -> Closing:
    declared = state.vote.declared
    early = (
        declared is not None
        and declared.announced_at is not None
        and declared.announced_at < state.terms.earliest_close
        and not state.vote.root_missing
    )
    notes = ["announced before the period was over"] if early and declared is not None and declared.outcome else []
    if declared is not None and declared.announced_at is not None:
        dated = say_dated(declared.announced_at, state.vote.declared_dated_at)
        notes.extend([f"its announcement {dated}"] if dated else [])
    if declared is not None and declared.revised_at is not None:
        notes.append(f"announcement corrected {declared.revised_at:%Y-%m-%d} by {declared.by}")
    note = "; ".join(notes)
    return Closing(passes=passes, rule=rule, actor=actor, evidence=_find_evidence(state), note=note)


def _find_evidence(state: VoteState) -> tuple[Evidence, ...]:
    declared = state.vote.declared
    leads: list[Evidence] = []
    while declared is not None:  # a correction first, then what it corrects
        leads.append(Evidence(kind="message", ref=declared.message_id, line=declared.line))
        declared = declared.before
    if not leads:
        leads = [Evidence(kind="message", ref=state.vote.root_message_id, line=state.vote.subject)]
    ballots = (
        Evidence(kind="ballot", ref=b.message_id, line=f"{b.name}: {b.line}")
        for b in state.vote.ballots
        if b.binding and b.status is BallotStatus.COUNTED
    )
    return (*leads, *ballots)

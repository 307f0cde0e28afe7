"""The questions about a vote: its ballots and voters, its end, its result, its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kipflow.domain.clocks import VoteState, after, is_covered
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.facts import Ruling
from kipflow.domain.judging import say_doubt
from kipflow.domain.moments import Event
from kipflow.domain.ownpages import LateChange, say_sections
from kipflow.domain.ruled import HOLD, find_open_ends, render_recast, say_end
from kipflow.domain.stages.closing import is_contradicted
from kipflow.domain.stages.state import State, judge
from kipflow.domain.stages.table import find_row
from kipflow.domain.tally import Outcome, find_extremes, say_counts, say_ways
from kipflow.domain.votes import BallotStatus, ClaimedEnd, EndKind


def ask_about_vote(state: State, judged: VoteState) -> Iterator[ReviewItem]:
    if judged.vote.root_message_id in state.closed:
        return  # a person has decided already
    policy = judged.terms.apply_to(state.policy)
    outcomes: tuple[str, ...] = ()
    if judged.depends_on_review:
        worst, best = find_extremes(judged.vote, policy)
        outcomes = f"at worst: {say_counts(worst, policy)}", f"at best: {say_counts(best, policy)}"
    for ballot in judged.vote.ballots:
        if ballot.status is BallotStatus.REVIEW and ballot.message_id not in judged.vote.doubted_mails:
            yield ReviewItem(
                kind="ballot",
                subject=ballot.message_id,
                question=f"{ballot.name}: {ballot.why or 'is this a vote, and which?'}",
                line=ballot.line,
                outcomes=outcomes,
                asked_at=ballot.cast_at,
            )
    cast_at = {ballot.message_id: ballot.cast_at for ballot in judged.vote.ballots}
    for doubt in judged.vote.doubts:
        yield ReviewItem(
            kind=doubt.kind,
            subject=doubt.subject,
            question=say_doubt(doubt),
            outcomes=say_ways(judged.vote, doubt, policy),
            asked_at=min((cast_at[mail] for mail in doubt.mails if mail in cast_at), default=None),
        )
    yield from (_ask_about_end(end, _say_ends(end, judged, state)) for end in find_open_ends(judged.vote))
    if judged.vote.crowded:
        yield ReviewItem(
            kind="crowd",
            subject=judged.vote.root_message_id,
            question=f"{judged.vote.crowded}: settle some of them, or settle its stage",
            line=judged.vote.subject,
            asked_at=judged.vote.opened_at,
        )
    yield from _ask_about_page(state, judged)
    yield from _ask_about_result(state, judged)


def ask_about_contested(state: State, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    """Ask about rounds called while another ran, by somebody not entitled to, and not replaced since."""
    for judged in states:
        vote = judged.vote
        if vote.contested is not None and vote.ended_at is None and vote.root_message_id not in state.closed:
            yield _ask_about_end(vote.contested, _say_ends(vote.contested, judged, state))


def ask_about_cancelled(state: State, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    """Ask about a result of the last round that was announced although the round was called off."""
    last = states[-1] if states else None
    if last is not None and last.vote.ended_how == "cancelled" and last.vote.root_message_id not in state.closed:
        ends = (end for end in find_open_ends(last.vote) if end.kind is EndKind.CLOSED)
        yield from (_ask_about_end(end, _say_ends(end, last, state)) for end in ends)


def _ask_about_end(end: ClaimedEnd, outcomes: tuple[str, ...]) -> ReviewItem:
    return ReviewItem(
        kind="ending",
        subject=end.message_id,
        question=say_end(end),
        line=end.line,
        outcomes=outcomes,
        asked_at=end.at,
    )


def _say_ends(end: ClaimedEnd, judged: VoteState, state: State) -> tuple[str, ...]:
    """What happens to the vote if a person accepts the end, and if they refuse it."""
    comes_to = _say_result(judged, state)
    match end.kind:
        case EndKind.CLOSED:
            closed = _judge_after(state, judged, "ending", end.message_id, {"ending": "accept"})
            return (
                f"if accepted: the vote is closed and {_say_result(closed, state)}; {_say_stage_after(closed, state)}",
                "if refused: the vote stays open, and this mail counts for nothing",
            )
        case EndKind.CANCELLED:
            return "if accepted: it is called off, and its ballots count for nothing", f"if refused: it {comes_to}"
        case EndKind.REPLACED:
            return f"if accepted: it takes the other's place, and {comes_to}", "if refused: the other one goes on"
        case EndKind.CALLED:
            return f"if accepted: it is a vote, and {comes_to}", "if refused: it is none"


def _say_result(judged: VoteState, state: State) -> str:
    return say_counts(judged.tally.binding, judged.terms.apply_to(state.policy))


def _judge_after(state: State, judged: VoteState, kind: str, target: str, value: dict[str, str]) -> VoteState:
    """The vote judged as if this ruling were made now."""
    facts, root = state.facts, judged.vote.root_message_id
    ruling = Ruling(
        id=None,
        number=facts.proposal.number,
        kind=kind,
        target=target,
        value=value,
        author="",
        reason="",
        made_at=state.now,
    )
    known = replace(facts, rulings=(*facts.rulings, ruling))
    vote = next((v for v in facts.votes if v.root_message_id == root), judged.vote)
    return judge(state._replace(facts=known, rulings=(*state.rulings, ruling)), vote)


def _say_stage_after(judged: VoteState, state: State) -> str:
    if state.number_doubt is not None and state.number_doubt.blocks_votes:
        return f"the proposal stays in {state.stage} until its number is settled"
    row = find_row(state, Event.JUDGED, judged)
    if row is not None:
        (stage,) = row.targets
        gap = is_covered(state.facts.coverage, judged.vote.opened_at, state.now)
        return f"the proposal is {stage}" + (" as soon as all mail is held" if gap is not None else "")
    if state.now < judged.terms.earliest_close:
        return f"the proposal stays in {state.stage} until the voting period is over"
    if is_contradicted(judged, state.now) and not judged.depends_on_review:
        return f"its announcement says {judged.said}, so you are asked next for the proposal's stage"
    if judged.depends_on_review:
        return f"the proposal stays in {state.stage} until its other questions are settled"
    return f"the proposal stays in {state.stage}"


def _ask_about_result(state: State, judged: VoteState) -> Iterator[ReviewItem]:
    """Ask about an announcement that is unclear, contradicts the ballots or gives no outcome, or is overdue."""
    declared, earliest = judged.vote.declared, judged.terms.earliest_close
    overdue = after(earliest, state.policy.grace)
    if declared is None:
        if judged.outcome is Outcome.PASSED and state.now >= overdue and not state.waits_for:
            yield ReviewItem(
                kind="unannounced",
                subject=judged.vote.root_message_id,
                question=f"passes by its ballots since {earliest:%Y-%m-%d}, and nobody has announced it: "
                "ask its caller, or settle its stage",
                line=judged.vote.subject,
                asked_at=overdue,
            )
        return
    question = ""
    if declared.unclear:
        before = f" (announced before as {declared.before.outcome})" if declared.before is not None else ""
        question = f"this may end the vote, and is not understood{before}: settle its stage"
        earliest = declared.revised_at or declared.announced_at or earliest
    elif is_contradicted(judged, state.now):
        question = f"announced as {declared.outcome}, but the ballots say {judged.outcome}"
    elif declared.outcome is None and judged.outcome is Outcome.PASSED and state.policy.clock_after is None:
        # if the clock decides, an announcement without an outcome changes nothing
        question = "a result was announced that gives no outcome, and the ballots say passed: settle its stage"
    if question:
        asked_at = max(earliest, declared.announced_at or earliest)
        yield ReviewItem(
            kind="result", subject=declared.message_id, question=question, line=declared.line, asked_at=asked_at
        )


def _ask_about_page(state: State, judged: VoteState) -> Iterator[ReviewItem]:
    change = judged.terms.late_change
    if change is not None:
        voted_on = f"version {change.before.version}, on which people voted"
        yield ReviewItem(
            kind="page",
            subject=change.subject,
            question=f"the page changed in substance since {voted_on} ({say_sections(change.sections)}): "
            "do the votes hold?",
            line=f"version {change.after.version} by {change.after.saved_by}",
            outcomes=_say_votes(state, judged, change),
            asked_at=change.after.saved_at,
        )


def _say_votes(state: State, judged: VoteState, change: LateChange) -> tuple[str, ...]:
    """The results if the votes hold, and if those cast before the change must be cast again; empty if the same."""
    again = render_recast(judged.vote, change.after.saved_at)
    counts, stages = [], []
    for value in ({"votes": HOLD}, again):
        ruled = _judge_after(state, judged, "page", change.subject, value)
        counts.append(_say_result(ruled, state))
        stages.append(_say_stage_after(ruled, state))
    if counts[0] == counts[1] and stages[0] == stages[1]:
        return ()
    return (
        f"if they hold: it {counts[0]}; {stages[0]}",
        f"if they must be cast again: it {counts[1]}, and the voting period begins anew",
    )

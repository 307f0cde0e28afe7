"""The questions for a person after a replay; each names the subject of a ruling that would settle it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.differences import find_late_ballots
from kipflow.domain.events import Stage
from kipflow.domain.judging import find_close
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.domain.ownpages import find_own_page, is_of
from kipflow.domain.proposals import is_jump
from kipflow.domain.ruled import find_choice_of_stage, find_time
from kipflow.domain.stages.quiet import find_silence, find_silence_gap
from kipflow.domain.stages.state import State
from kipflow.domain.stages.table import BY_PERSON
from kipflow.domain.tally import Outcome
from kipflow.domain.texts import list_some
from kipflow.domain.votequestions import ask_about_cancelled, ask_about_contested, ask_about_vote

#: Writers that a question names; more are counted.
_NAMED = 3


def find_questions(state: State, states: Sequence[VoteState], running: VoteState | None) -> tuple[ReviewItem, ...]:
    """All open questions; none about a number that a person refused."""
    if state.number_doubt is not None and state.number_doubt.kind is NumberDoubtKind.REFUSED:
        return ()
    return (
        *_ask_about_number_doubt(state, running),
        *(ask_about_vote(state, running) if running is not None else ()),
        *ask_about_contested(state, states),
        *ask_about_cancelled(state, states),
        *_ask_about_reopening(state, states),
        *_ask_about_decision(state, states),
        *_ask_about_late_ballots(state, states, running),
        *_ask_about_silence(state),
        *_ask_about_number(state),
        *_ask_about_rulings(state),
    )


def _ask_about_reopening(state: State, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    if state.stage not in {Stage.REJECTED, Stage.DISCARDED}:
        return
    last = states[-1].vote if states else None
    if (
        last is not None
        and last.opened_at > max(state.since, state.kept_at or state.since)
        and last.ended_at is None
        and not last.root_missing
        and last.root_message_id not in state.closed
    ):
        yield ReviewItem(
            kind="new-vote",
            subject=last.root_message_id,
            question=f"a vote was opened after the proposal was {state.stage.lower()}: reopen it?",
            line=last.subject,
            asked_at=last.opened_at,
        )
    elif state.reopening is not None:
        yield ReviewItem(
            kind="reopening",
            subject=state.reopening.message_id,
            question=f"a discussion was started after the proposal was {state.stage.lower()}: reopen it?",
            line=state.reopening.subject,
            asked_at=state.reopening.arrived_at,
        )


def _ask_about_decision(state: State, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    """Ask whether a decision stands although a later ruling or correction turned its vote."""
    judged = _find_deciding(state, states)
    if judged is None:
        return
    declared, line = judged.vote.declared, judged.vote.subject
    revised_at = declared.revised_at if declared is not None and declared.unclear else None
    mails = {ballot.message_id for ballot in judged.vote.ballots}
    ruled = [r.made_at for r in state.rulings if r.kind == "ballot" and r.target in mails and r.made_at > state.since]
    kept = state.kept_at is not None and bool(ruled) and state.kept_at >= max(ruled)
    if declared is not None and revised_at is not None and revised_at > max(state.since, state.kept_at or state.since):
        why, line, asked_at = "its announcement was taken back or changed since then", declared.line, revised_at
    elif ruled and not kept and (judged.outcome is Outcome.PASSED) is not (state.stage is Stage.ACCEPTED):
        why, asked_at = f"by a ruling on a ballot since then its vote is {judged.outcome}", max(ruled)
    else:
        return
    yield ReviewItem(
        kind="turned-vote",
        subject=judged.vote.root_message_id,
        question=f"the proposal was {str(state.stage).lower()}, and {why}: does the decision stand?",
        line=line,
        asked_at=asked_at,
    )


def _find_deciding(state: State, states: Sequence[VoteState]) -> VoteState | None:
    """The vote by which the proposal was accepted or rejected; None if a person did that."""
    if state.stage not in {Stage.ACCEPTED, Stage.REJECTED} or state.history[-1].rule in BY_PERSON:
        return None
    closed = (s for s in reversed(states) if s.vote.root_message_id in state.closed)
    return next((s for s in closed if s.vote.opened_at < state.since), None)


def _ask_about_late_ballots(
    state: State, states: Sequence[VoteState], running: VoteState | None
) -> Iterator[ReviewItem]:
    """Ask about ballots dated before the end of the last vote that arrived after it and could turn it."""
    judged = _find_deciding(state, states) or running
    if judged is None or judged.vote.ended_at is not None:
        return
    close = state.since
    if judged is running:
        announced = find_close(judged.vote, state.now, earliest_close=judged.terms.earliest_close)
        if announced is None:
            return
        close = announced
    settled = {r.target for r in state.rulings if r.kind == "ballot"}
    for late in find_late_ballots(judged.vote, close, judged.terms.apply_to(state.policy), settled=settled):
        if state.kept_at is None or state.kept_at < late.ballot.cast_at:
            yield ReviewItem(
                kind="late-ballot",
                subject=late.ballot.message_id,
                question=late.question,
                line=late.ballot.line,
                outcomes=late.outcomes,
                asked_at=late.ballot.cast_at,
            )


def _ask_about_silence(state: State) -> Iterator[ReviewItem]:
    silence = find_silence(state) if state.policy.dormancy_by_person else None
    if silence is None or silence.silent_at > state.now or find_silence_gap(state, silence.silent_at) is not None:
        return
    question = "silent for long: dormant?"
    yield ReviewItem(kind="dormancy", subject=state.facts.key, question=question, asked_at=silence.silent_at)


def _ask_about_number_doubt(state: State, running: VoteState | None) -> Iterator[ReviewItem]:
    """Ask about a doubtful number, unless only strangers use it. It is sent to Slack, so it quotes no mail."""
    facts, doubt = state.facts, state.number_doubt
    if doubt is None or not (doubt.is_known or is_jump(facts.proposal.number, facts.numbering.below)):
        return
    names = [w.name for w in facts.numbering.writers if w.at <= state.now]
    wrote = f"; {list_some(names, _NAMED)} wrote in it" if names else ""
    outcomes: tuple[str, ...] = ()
    if doubt.blocks_votes and running is not None:
        outcomes = (f"accept: its vote is {running.outcome}, and decides", "refuse: nothing comes of its vote")
    yield ReviewItem(
        kind="claimed-number",
        subject=facts.key,
        question=f"{doubt.why}{wrote}: is it a proposal's number?",
        outcomes=outcomes,
        asked_at=doubt.asked_at,
    )


def _ask_about_number(state: State) -> Iterator[ReviewItem]:
    """Ask about two pages with one number; the first one is followed meanwhile."""
    number = state.facts.proposal.number
    if not state.facts.pages:
        return
    known = [p for p in state.facts.pages if p.saved_at <= state.now]
    newest = {p.page_id: p for p in known}
    own = find_own_page(known, number)
    if own is not None and not is_of(newest[own], number):
        yield ReviewItem(
            kind="renumbered",
            subject=own,
            question=f'its page was given another number: it is "{newest[own].title}" now. Was this number given up?',
            line=newest[own].url,
            asked_at=min(p.saved_at for p in known if p.page_id == own and not is_of(p, number)),
        )
    for page_id, page in sorted(newest.items()):
        if page_id != own and own is not None and page.number == number and newest[own].number == number:
            first = min(p.saved_at for p in known if p.page_id == page_id)
            yield ReviewItem(
                kind="number",
                subject=page_id,
                question=f'the number was taken twice: the page "{newest[own].title}" has it, and "{page.title}" too',
                line=page.url,
                asked_at=first,
            )


def _ask_about_rulings(state: State) -> Iterator[ReviewItem]:
    for ruling in state.rulings:
        unusable = (ruling.kind == "snooze" and find_time(ruling.value, "until") is None) or (
            ruling.kind == "stage" and find_choice_of_stage(ruling, ()) is None
        )
        if unusable:
            yield ReviewItem(
                kind="ruling",
                subject=str(ruling.id),
                question=f"ruling {ruling.id} by {ruling.author} says nothing that the rules know: revoke it?",
                line=ruling.reason,
                asked_at=ruling.made_at,
            )

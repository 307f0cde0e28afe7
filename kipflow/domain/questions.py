"""What a person must settle, from a finished replay: each question names what a ruling on it would be about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kipflow.domain.care import find_own_page, is_of
from kipflow.domain.claims import ClaimKind
from kipflow.domain.clocks import VoteState, after, is_covered, judge_vote
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.ends import find_open_ends, say_end
from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling
from kipflow.domain.lateclaims import find_late_claims
from kipflow.domain.moments import Event
from kipflow.domain.namesakes import say_counts, say_ways
from kipflow.domain.numbering import is_jump
from kipflow.domain.pagechanges import say_sections
from kipflow.domain.policy import Policy
from kipflow.domain.ruled import find_choice_of_stage, find_until
from kipflow.domain.stages.closing import is_contradicted
from kipflow.domain.stages.quiet import find_silence_gap, find_silent_at
from kipflow.domain.stages.state import State
from kipflow.domain.stages.table import BY_PERSON, find_row
from kipflow.domain.tally import Outcome, find_extremes
from kipflow.domain.votes import BallotStatus, ClaimedEnd, EndKind, find_close, say_doubt

#: Writers that a question names; more are counted.
_NAMED = 3


def find_questions(state: State, states: Sequence[VoteState], running: VoteState | None) -> tuple[ReviewItem, ...]:
    """Every open question, those on the running vote first; none on a number that a person refused."""
    if state.claim is not None and state.claim.kind is ClaimKind.REFUSED:
        return ()
    return (
        *_ask_of_claim(state, running),
        *(_ask_of_vote(state, running) if running is not None else ()),
        *_ask_of_contested(state, states),
        *_ask_of_reopening(state, states),
        *_ask_of_decision(state, states),
        *_ask_of_late_ballots(state, states, running),
        *_ask_of_silence(state),
        *_ask_of_number(state),
        *_ask_of_rulings(state),
    )


def say_both_ways(judged: VoteState, policy: Policy) -> tuple[str, ...]:
    """The outcome if every unclear ballot is read as ill for the proposal as it may be, and as well."""
    quorum = judged.terms.quorum
    worst, best = find_extremes(judged.vote, policy, quorum=quorum)
    return (
        f"at worst: {say_counts(worst, policy, quorum=quorum)}",
        f"at best: {say_counts(best, policy, quorum=quorum)}",
    )


def _ask_of_vote(state: State, judged: VoteState) -> Iterator[ReviewItem]:
    if judged.vote.root_message_id in state.closed:
        return  # a person has it in hand already
    outcomes = say_both_ways(judged, state.policy) if judged.hangs else ()
    for ballot in judged.vote.ballots:
        if ballot.status is BallotStatus.REVIEW and ballot.message_id not in judged.vote.claimed_mails:
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
            outcomes=say_ways(judged.vote, doubt, state.policy, quorum=judged.terms.quorum),
            asked_at=min((cast_at[mail] for mail in doubt.mails if mail in cast_at), default=None),
        )
    yield from (_ask_of_end(end, _say_ends(end, judged, state)) for end in find_open_ends(judged.vote))
    if judged.vote.crowded:
        yield ReviewItem(
            kind="crowd",
            subject=judged.vote.root_message_id,
            question=f"{judged.vote.crowded}: settle some of them, or settle its stage",
            line=judged.vote.subject,
            asked_at=judged.vote.opened_at,
        )
    yield from _ask_of_page(judged)
    yield from _ask_of_result(state, judged)


def _ask_of_contested(state: State, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    """Rounds that somebody called beside one that ran, and that nobody who may has replaced since."""
    for judged in states:
        vote = judged.vote
        if vote.contested is not None and vote.ended_at is None and vote.root_message_id not in state.closed:
            yield _ask_of_end(vote.contested, _say_ends(vote.contested, judged, state))


def _ask_of_end(end: ClaimedEnd, outcomes: tuple[str, ...]) -> ReviewItem:
    return ReviewItem(
        kind="ending",
        subject=end.message_id,
        question=say_end(end),
        line=end.line,
        outcomes=outcomes,
        asked_at=end.at,
    )


def _say_ends(end: ClaimedEnd, judged: VoteState, state: State) -> tuple[str, ...]:
    """What becomes of the vote if a person accepts the end, and if they refuse it."""
    comes_to = say_counts(judged.tally.binding, state.policy, quorum=judged.terms.quorum)
    match end.kind:
        case EndKind.CLOSED:
            return (
                f"if accepted: {_say_accepted(end, judged, state)}",
                "if refused: the vote stays open, and this mail counts for nothing",
            )
        case EndKind.CANCELLED:
            return "if accepted: it is called off, and its ballots count for nothing", f"if refused: it {comes_to}"
        case EndKind.REPLACED:
            return f"if accepted: it takes the other's place, and {comes_to}", "if refused: the other one goes on"


def _say_accepted(end: ClaimedEnd, judged: VoteState, state: State) -> str:
    """What a vote comes to, and where its proposal stands, once a person accepted its announcement."""
    word = Ruling(
        id=None,
        number=state.facts.proposal.number,
        kind="ending",
        target=end.message_id,
        value={"ending": "accept"},
        author="",
        reason="",
        made_at=state.now,
    )
    vote = next((v for v in state.facts.votes if v.root_message_id == judged.vote.root_message_id), judged.vote)
    accepted = judge_vote(vote, judged.terms, state.policy, (*state.rulings, word), state.now)
    comes_to = say_counts(accepted.tally.binding, state.policy, quorum=judged.terms.quorum)
    return f"the vote is closed and {comes_to}; {_say_stage_after(accepted, state)}"


def _say_stage_after(judged: VoteState, state: State) -> str:
    if state.claim is not None and state.claim.holds:
        return f"the proposal stays in {state.stage} until its number is settled"
    row = find_row(state, Event.JUDGED, judged)
    if row is not None:
        (stage,) = row.targets
        gap = is_covered(state.facts.coverage, judged.vote.opened_at, state.now)
        return f"the proposal is {stage}" + (" as soon as all mail is held" if gap is not None else "")
    if state.now < judged.terms.earliest_close:
        return f"the proposal stays in {state.stage} until the voting period is over"
    if is_contradicted(judged, state.now) and not judged.hangs:
        announced = judged.vote.declared.outcome if judged.vote.declared is not None else None
        return f"its announcement says {announced}, so you are asked next for the proposal's stage"
    return f"the proposal stays in {state.stage} until its other questions are settled"


def _ask_of_result(state: State, judged: VoteState) -> Iterator[ReviewItem]:
    """An announcement that the ballots contradict or that tells nothing, or none where one is overdue."""
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
        # with a clock that decides, an announcement that tells nothing changes nothing
        question = "a result was announced that tells no outcome, and the ballots say passed: settle its stage"
    if question:
        asked_at = max(earliest, declared.announced_at or earliest)
        yield ReviewItem(
            kind="result", subject=declared.message_id, question=question, line=declared.line, asked_at=asked_at
        )


def _ask_of_page(judged: VoteState) -> Iterator[ReviewItem]:
    change = judged.terms.late_change
    if change is not None:
        voted_on = f"version {change.before.version}, on which people voted"
        yield ReviewItem(
            kind="page",
            subject=change.subject,
            question=f"the page changed in substance since {voted_on} ({say_sections(change.sections)}): "
            "do the votes hold?",
            line=f"version {change.after.version} by {change.after.saved_by}",
            asked_at=change.after.saved_at,
        )


def _ask_of_reopening(state: State, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
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


def _ask_of_decision(state: State, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    """A decided vote that a ruling on its ballots or its announcer turned since: does the decision stand?"""
    decided = [s for s in states if s.vote.root_message_id in state.closed and s.vote.opened_at < state.since]
    if state.stage not in {Stage.ACCEPTED, Stage.REJECTED} or state.history[-1].rule in BY_PERSON or not decided:
        return
    judged = decided[-1]
    declared = judged.vote.declared
    revised_at = declared.revised_at if declared is not None and declared.unclear else None
    if revised_at is not None and revised_at > max(state.since, state.kept_at or state.since):
        yield ReviewItem(
            kind="turned-vote",
            subject=judged.vote.root_message_id,
            question=f"the proposal was {state.stage.lower()}, and its announcement was taken back or changed since "
            "then: does the decision stand?",
            line=declared.line if declared is not None else "",
            asked_at=revised_at,
        )
        return
    mails = {ballot.message_id for ballot in judged.vote.ballots}
    ruled = [r.made_at for r in state.rulings if r.kind == "ballot" and r.target in mails and r.made_at > state.since]
    kept = state.kept_at is not None and bool(ruled) and state.kept_at >= max(ruled)
    if not ruled or kept or (judged.outcome is Outcome.PASSED) is (state.stage is Stage.ACCEPTED):
        return
    yield ReviewItem(
        kind="turned-vote",
        subject=judged.vote.root_message_id,
        question=f"the proposal was {state.stage.lower()}, and by a ruling on a ballot since then its vote is "
        f"{judged.outcome}: does the decision stand?",
        line=judged.vote.subject,
        asked_at=max(ruled),
    )


def _ask_of_late_ballots(state: State, states: Sequence[VoteState], running: VoteState | None) -> Iterator[ReviewItem]:
    """Ballots that came after the end of the last vote and claim to be older, as far as they could turn it."""
    decided = [s for s in states if s.vote.root_message_id in state.closed and s.vote.opened_at < state.since]
    by_vote = state.stage in {Stage.ACCEPTED, Stage.REJECTED} and state.history[-1].rule not in BY_PERSON
    judged = decided[-1] if decided and by_vote else running
    if judged is None or judged.vote.ended_at is not None:
        return
    close = state.since
    if judged is running:
        announced = find_close(judged.vote, state.now, earliest_close=judged.terms.earliest_close)
        if announced is None:
            return
        close = announced
    settled = {r.target for r in state.rulings if r.kind == "ballot"}
    for claim in find_late_claims(judged.vote, close, state.policy, quorum=judged.terms.quorum, settled=settled):
        if state.kept_at is None or state.kept_at < claim.ballot.cast_at:
            yield ReviewItem(
                kind="late-ballot",
                subject=claim.ballot.message_id,
                question=claim.question,
                line=claim.ballot.line,
                outcomes=claim.outcomes,
                asked_at=claim.ballot.cast_at,
            )


def _ask_of_silence(state: State) -> Iterator[ReviewItem]:
    silent_at = find_silent_at(state)
    if not state.policy.dormancy_by_person or silent_at is None or silent_at > state.now:
        return
    if find_silence_gap(state, silent_at) is None:
        yield ReviewItem(
            kind="dormancy", subject=state.facts.key, question="silent for long: dormant?", asked_at=silent_at
        )


def _ask_of_claim(state: State, running: VoteState | None) -> Iterator[ReviewItem]:
    """A number that may be none; a stranger's plain claim asks nobody. It quotes no mail: the question goes out."""
    facts, claim = state.facts, state.claim
    if claim is None or not (claim.is_known or is_jump(facts.proposal.number, facts.numbering.below)):
        return
    names = [w.name for w in facts.numbering.writers if w.at <= state.now]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    wrote = f"; {', '.join(names[:_NAMED])}{more} wrote in it" if names else ""
    held = claim.holds and running is not None
    yield ReviewItem(
        kind="claimed-number",
        subject=facts.key,
        question=f"{claim.why}{wrote}: is it a proposal's number?",
        outcomes=(
            f"accept: its vote is {running.outcome}, and decides",
            "refuse: nothing comes of its vote",
        )
        if held and running is not None
        else (),
        asked_at=claim.asked_at,
    )


def _ask_of_number(state: State) -> Iterator[ReviewItem]:
    """Two pages that bear one number: both are told, and the first one is followed until people sort it out."""
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


def _ask_of_rulings(state: State) -> Iterator[ReviewItem]:
    for ruling in state.rulings:
        unusable = (ruling.kind == "snooze" and find_until(ruling) is None) or (
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

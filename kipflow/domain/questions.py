"""What a person must settle, from a finished replay: each question names what a ruling on it would be about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kipflow.domain.care import find_own_page, is_of
from kipflow.domain.claims import ClaimKind
from kipflow.domain.clocks import VoteState, after, is_covered, judge_vote
from kipflow.domain.closing import find_closing, is_contradicted
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.ends import find_open_ends, say_end
from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling
from kipflow.domain.lateclaims import find_late_claims
from kipflow.domain.namesakes import say_counts, say_ways
from kipflow.domain.numbering import is_jump
from kipflow.domain.pagechanges import say_sections
from kipflow.domain.policy import Policy
from kipflow.domain.replaying import Replay
from kipflow.domain.ruled import find_choice_of_stage, find_until
from kipflow.domain.stages import BY_PERSON
from kipflow.domain.tally import Outcome, find_extremes
from kipflow.domain.votes import BallotStatus, ClaimedEnd, EndKind, find_close, say_doubt

#: Writers that a question names; more are counted.
_NAMED = 3


def find_questions(replay: Replay, states: Sequence[VoteState], running: VoteState | None) -> tuple[ReviewItem, ...]:
    """Every open question, those on the running vote first; none on a number that a person refused."""
    if replay.claim is not None and replay.claim.kind is ClaimKind.REFUSED:
        return ()
    return (
        *_ask_of_claim(replay, running),
        *(_ask_of_vote(replay, running) if running is not None else ()),
        *_ask_of_contested(replay, states),
        *_ask_of_reopening(replay, states),
        *_ask_of_decision(replay, states),
        *_ask_of_late_ballots(replay, states, running),
        *_ask_of_silence(replay),
        *_ask_of_number(replay),
        *_ask_of_rulings(replay),
    )


def say_both_ways(state: VoteState, policy: Policy) -> tuple[str, ...]:
    """The outcome if every unclear ballot is read as ill for the proposal as it may be, and as well."""
    quorum = state.terms.quorum
    worst, best = find_extremes(state.vote, policy, quorum=quorum)
    return (
        f"at worst: {say_counts(worst, policy, quorum=quorum)}",
        f"at best: {say_counts(best, policy, quorum=quorum)}",
    )


def _ask_of_vote(replay: Replay, state: VoteState) -> Iterator[ReviewItem]:
    if state.vote.root_message_id in replay.closed:
        return  # a person has it in hand already
    outcomes = say_both_ways(state, replay.policy) if state.hangs else ()
    for ballot in state.vote.ballots:
        if ballot.status is BallotStatus.REVIEW and ballot.message_id not in state.vote.claimed_mails:
            yield ReviewItem(
                kind="ballot",
                subject=ballot.message_id,
                question=f"{ballot.name}: {ballot.why or 'is this a vote, and which?'}",
                line=ballot.line,
                outcomes=outcomes,
                asked_at=ballot.cast_at,
            )
    cast_at = {ballot.message_id: ballot.cast_at for ballot in state.vote.ballots}
    for doubt in state.vote.doubts:
        yield ReviewItem(
            kind=doubt.kind,
            subject=doubt.subject,
            question=say_doubt(doubt),
            outcomes=say_ways(state.vote, doubt, replay.policy, quorum=state.terms.quorum),
            asked_at=min((cast_at[mail] for mail in doubt.mails if mail in cast_at), default=None),
        )
    yield from (_ask_of_end(end, _say_ends(end, state, replay)) for end in find_open_ends(state.vote))
    if state.vote.crowded:
        yield ReviewItem(
            kind="crowd",
            subject=state.vote.root_message_id,
            question=f"{state.vote.crowded}: settle some of them, or settle its stage",
            line=state.vote.subject,
            asked_at=state.vote.opened_at,
        )
    yield from _ask_of_page(state)
    yield from _ask_of_result(replay, state)


def _ask_of_contested(replay: Replay, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    """Rounds that somebody called beside one that ran, and that nobody who may has replaced since."""
    for state in states:
        vote = state.vote
        if vote.contested is not None and vote.ended_at is None and vote.root_message_id not in replay.closed:
            yield _ask_of_end(vote.contested, _say_ends(vote.contested, state, replay))


def _ask_of_end(end: ClaimedEnd, outcomes: tuple[str, ...]) -> ReviewItem:
    return ReviewItem(
        kind="ending",
        subject=end.message_id,
        question=say_end(end),
        line=end.line,
        outcomes=outcomes,
        asked_at=end.at,
    )


def _say_ends(end: ClaimedEnd, state: VoteState, replay: Replay) -> tuple[str, ...]:
    """What becomes of the vote if a person accepts the end, and if they refuse it."""
    comes_to = say_counts(state.tally.binding, replay.policy, quorum=state.terms.quorum)
    match end.kind:
        case EndKind.CLOSED:
            return (
                f"if accepted: {_say_accepted(end, state, replay)}",
                "if refused: the vote stays open, and this mail counts for nothing",
            )
        case EndKind.CANCELLED:
            return "if accepted: it is called off, and its ballots count for nothing", f"if refused: it {comes_to}"
        case EndKind.REPLACED:
            return f"if accepted: it takes the other's place, and {comes_to}", "if refused: the other one goes on"


def _say_accepted(end: ClaimedEnd, state: VoteState, replay: Replay) -> str:
    """What a vote comes to, and where its proposal stands, once a person accepted its announcement."""
    word = Ruling(
        id=None,
        number=replay.facts.proposal.number,
        kind="ending",
        target=end.message_id,
        value={"ending": "accept"},
        author="",
        reason="",
        made_at=replay.now,
    )
    vote = next((v for v in replay.facts.votes if v.root_message_id == state.vote.root_message_id), state.vote)
    accepted = judge_vote(vote, state.terms, replay.policy, (*replay.rulings, word), replay.now)
    comes_to = say_counts(accepted.tally.binding, replay.policy, quorum=state.terms.quorum)
    return f"the vote is closed and {comes_to}; {_say_stage_after(accepted, replay)}"


def _say_stage_after(state: VoteState, replay: Replay) -> str:
    if replay.claim is not None and replay.claim.holds:
        return f"the proposal stays in {replay.stage} until its number is settled"
    closing = find_closing(state, replay.policy, replay.now)
    if closing is not None:
        stage = Stage.ACCEPTED if closing.passes or replay.vote is None else Stage.REJECTED
        gap = is_covered(replay.facts.coverage, state.vote.opened_at, replay.now)
        return f"the proposal is {stage}" + (" as soon as all mail is held" if gap is not None else "")
    if replay.now < state.terms.earliest_close:
        return f"the proposal stays in {replay.stage} until the voting period is over"
    if is_contradicted(state, replay.now) and not state.hangs:
        announced = state.vote.declared.outcome if state.vote.declared is not None else None
        return f"its announcement says {announced}, so you are asked next for the proposal's stage"
    return f"the proposal stays in {replay.stage} until its other questions are settled"


def _ask_of_result(replay: Replay, state: VoteState) -> Iterator[ReviewItem]:
    """An announcement that the ballots contradict or that tells nothing, or none where one is overdue."""
    declared, earliest = state.vote.declared, state.terms.earliest_close
    overdue = after(earliest, replay.policy.grace)
    if declared is None:
        if state.outcome is Outcome.PASSED and replay.now >= overdue and not replay.waits_for:
            yield ReviewItem(
                kind="unannounced",
                subject=state.vote.root_message_id,
                question=f"passes by its ballots since {earliest:%Y-%m-%d}, and nobody has announced it: "
                "ask its caller, or settle its stage",
                line=state.vote.subject,
                asked_at=overdue,
            )
        return
    question = ""
    if declared.unclear:
        before = f" (announced before as {declared.before.outcome})" if declared.before is not None else ""
        question = f"this may end the vote, and is not understood{before}: settle its stage"
        earliest = declared.revised_at or declared.announced_at or earliest
    elif is_contradicted(state, replay.now):
        question = f"announced as {declared.outcome}, but the ballots say {state.outcome}"
    elif declared.outcome is None and state.outcome is Outcome.PASSED and replay.policy.clock_after is None:
        # with a clock that decides, an announcement that tells nothing changes nothing
        question = "a result was announced that tells no outcome, and the ballots say passed: settle its stage"
    if question:
        asked_at = max(earliest, declared.announced_at or earliest)
        yield ReviewItem(
            kind="result", subject=declared.message_id, question=question, line=declared.line, asked_at=asked_at
        )


def _ask_of_page(state: VoteState) -> Iterator[ReviewItem]:
    change = state.terms.late_change
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


def _ask_of_reopening(replay: Replay, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    if replay.stage not in {Stage.REJECTED, Stage.DISCARDED}:
        return
    last = states[-1].vote if states else None
    if (
        last is not None
        and last.opened_at > max(replay.since, replay.kept_at or replay.since)
        and last.ended_at is None
        and not last.root_missing
        and last.root_message_id not in replay.closed
    ):
        yield ReviewItem(
            kind="new-vote",
            subject=last.root_message_id,
            question=f"a vote was opened after the proposal was {replay.stage.lower()}: reopen it?",
            line=last.subject,
            asked_at=last.opened_at,
        )
    elif replay.reopening is not None:
        yield ReviewItem(
            kind="reopening",
            subject=replay.reopening.message_id,
            question=f"a discussion was started after the proposal was {replay.stage.lower()}: reopen it?",
            line=replay.reopening.subject,
            asked_at=replay.reopening.arrived_at,
        )


def _ask_of_decision(replay: Replay, states: Sequence[VoteState]) -> Iterator[ReviewItem]:
    """A decided vote that a ruling on its ballots or its announcer turned since: does the decision stand?"""
    decided = [s for s in states if s.vote.root_message_id in replay.closed and s.vote.opened_at < replay.since]
    if replay.stage not in {Stage.ACCEPTED, Stage.REJECTED} or replay.history[-1].rule in BY_PERSON or not decided:
        return
    state = decided[-1]
    declared = state.vote.declared
    revised_at = declared.revised_at if declared is not None and declared.unclear else None
    if revised_at is not None and revised_at > max(replay.since, replay.kept_at or replay.since):
        yield ReviewItem(
            kind="turned-vote",
            subject=state.vote.root_message_id,
            question=f"the proposal was {replay.stage.lower()}, and its announcement was taken back or changed since "
            "then: does the decision stand?",
            line=declared.line if declared is not None else "",
            asked_at=revised_at,
        )
        return
    mails = {ballot.message_id for ballot in state.vote.ballots}
    ruled = [r.made_at for r in replay.rulings if r.kind == "ballot" and r.target in mails and r.made_at > replay.since]
    kept = replay.kept_at is not None and bool(ruled) and replay.kept_at >= max(ruled)
    if not ruled or kept or (state.outcome is Outcome.PASSED) is (replay.stage is Stage.ACCEPTED):
        return
    yield ReviewItem(
        kind="turned-vote",
        subject=state.vote.root_message_id,
        question=f"the proposal was {replay.stage.lower()}, and by a ruling on a ballot since then its vote is "
        f"{state.outcome}: does the decision stand?",
        line=state.vote.subject,
        asked_at=max(ruled),
    )


def _ask_of_late_ballots(
    replay: Replay, states: Sequence[VoteState], running: VoteState | None
) -> Iterator[ReviewItem]:
    """Ballots that came after the end of the last vote and claim to be older, as far as they could turn it."""
    decided = [s for s in states if s.vote.root_message_id in replay.closed and s.vote.opened_at < replay.since]
    by_vote = replay.stage in {Stage.ACCEPTED, Stage.REJECTED} and replay.history[-1].rule not in BY_PERSON
    state = decided[-1] if decided and by_vote else running
    if state is None or state.vote.ended_at is not None:
        return
    close = replay.since
    if state is running:
        announced = find_close(state.vote, replay.now, earliest_close=state.terms.earliest_close)
        if announced is None:
            return
        close = announced
    settled = {r.target for r in replay.rulings if r.kind == "ballot"}
    for claim in find_late_claims(state.vote, close, replay.policy, quorum=state.terms.quorum, settled=settled):
        if replay.kept_at is None or replay.kept_at < claim.ballot.cast_at:
            yield ReviewItem(
                kind="late-ballot",
                subject=claim.ballot.message_id,
                question=claim.question,
                line=claim.ballot.line,
                outcomes=claim.outcomes,
                asked_at=claim.ballot.cast_at,
            )


def _ask_of_silence(replay: Replay) -> Iterator[ReviewItem]:
    silent_at = replay.silent_at()
    if not replay.policy.dormancy_by_person or silent_at is None or silent_at > replay.now:
        return
    if replay.silence_unproven(silent_at) is None:
        yield ReviewItem(
            kind="dormancy", subject=replay.facts.key, question="silent for long: dormant?", asked_at=silent_at
        )


def _ask_of_claim(replay: Replay, running: VoteState | None) -> Iterator[ReviewItem]:
    """A number that may be none; a stranger's plain claim asks nobody. It quotes no mail: the question goes out."""
    facts, claim = replay.facts, replay.claim
    if claim is None or not (claim.is_known or is_jump(facts.proposal.number, facts.numbering.below)):
        return
    names = [w.name for w in facts.numbering.writers if w.at <= replay.now]
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


def _ask_of_number(replay: Replay) -> Iterator[ReviewItem]:
    """Two pages that bear one number: both are told, and the first one is followed until people sort it out."""
    number = replay.facts.proposal.number
    if not replay.facts.pages:
        return
    known = [p for p in replay.facts.pages if p.saved_at <= replay.now]
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


def _ask_of_rulings(replay: Replay) -> Iterator[ReviewItem]:
    for ruling in replay.rulings:
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

"""What a proposal still lacks, in lines for readers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from kipflow.domain.arrivals import say_dated
from kipflow.domain.clocks import VoteState, after
from kipflow.domain.decisions import Silence
from kipflow.domain.events import Stage
from kipflow.domain.numberdoubts import NumberDoubt, NumberDoubtKind
from kipflow.domain.ownpages import say_sections
from kipflow.domain.ownperiods import say_longer
from kipflow.domain.policy import Policy, VotingRule
from kipflow.domain.ruled import find_recast
from kipflow.domain.stages import quiet
from kipflow.domain.stages.closing import is_contradicted, is_text_in_doubt
from kipflow.domain.stages.state import State, judge
from kipflow.domain.tally import Counts, Outcome, is_enough
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment, say_weekday
from kipflow.domain.votes import BallotStatus, Vote

#: What to do about missing mail.
_READ_ON = "run `kipflow poll`, or `kipflow ingest FILE --complete-through TIME` with that mail"

#: A difference between announcement and count, as a line.
DIFFERS = "the announced result differs: {}"


def say_missing(state: State, running: VoteState | None) -> tuple[str, ...]:
    """The lines for the state after a replay; `running` is the vote whose end is awaited."""
    key = state.facts.key
    lines: list[str] = []
    if state.number_doubt is not None:
        lines.append(_say_number_doubt(state.number_doubt, key))
    if state.stage is Stage.DRAFT:
        lines.append(f"a discussion thread: [DISCUSS] {key}")
    elif state.stage is Stage.DISCUSSION or (state.stage is Stage.VOTE and running is None):
        lines.append(f"a vote: [VOTE] {key}")
    if running is not None:
        mark = "amendment: " if state.vote is None else ""
        lines.extend(f"{mark}{line}" for line in _say_vote(state, running))
    lines.extend(_say_silence(state))
    return tuple(lines)


def _say_number_doubt(doubt: NumberDoubt, key: str) -> str:
    is_waiting = doubt.kind is NumberDoubtKind.CLAIMED and doubt.blocks_votes
    waits = f"; no vote on {key} decides before it has a page or a row, or a person accepts it" if is_waiting else ""
    return f"{doubt.kind}: {doubt.why}{waits}"


def _say_vote(state: State, judged: VoteState) -> Iterator[str]:
    if judged.vote.root_message_id in state.closed:
        yield "an operator put it back to a vote: a new round or a person ends it"
        return
    yield from _say_votes_needed(judged.terms.apply_to(state.policy), judged.tally.binding)
    terms = judged.terms
    if terms.reviewers_missing:
        yield f"needs {say_count(terms.reviewers_missing, 'more reviewer')} (care required: {', '.join(terms.because)})"
    dated = say_dated(judged.vote.opened_at, judged.vote.dated_at)
    if dated:
        yield f"its opening {dated}: the period runs from its arrival"
    if state.now < terms.earliest_close:
        longer = say_longer(judged.vote, terms.earliest_close)
        why = longer or (f"{', '.join(terms.because)}: care required" if terms.because else "")
        yield f"closes no earlier than {say_weekday(terms.earliest_close)}{f' ({why})' if why else ''}"
    if judged.depends_on_review:
        yield from _say_open_questions(judged.vote)
    yield from _say_page(state, judged)
    if judged.vote.root_missing:
        yield "its opening mail is not held: no outcome can be known"
    if state.waits_for is not None:
        # a gap in files names its own command, and there may be no archive to ask
        yield f"waits: {state.waits_for}" + ("" if "`" in state.waits_for else f"; {_READ_ON}")
    elif _can_close(state, judged):
        yield _say_closing(state, judged)
    yield from (DIFFERS.format(d) for d in judged.differences)


def _say_page(state: State, judged: VoteState) -> Iterator[str]:
    recast, change = find_recast(judged.vote, state.rulings), judged.terms.late_change
    if recast is not None:
        yield f"what was cast before {say_weekday(recast.before)} must be cast again: the page changed"
    if change is not None:
        ask = ": a person must say whether the votes hold" if is_text_in_doubt(judged, state.policy) else ""
        yield f"the page changed after votes were cast ({say_sections(change.sections)}){ask}"


def _say_open_questions(vote: Vote) -> Iterator[str]:
    unclear = sum(b.status is BallotStatus.REVIEW and b.message_id not in vote.doubted_mails for b in vote.ballots)
    who = sum(bool(d.binds) for d in vote.doubts)
    asked = [
        *([say_count(unclear, "unclear ballot")] if unclear else []),
        *([say_count(who, "doubt") + " about who is who"] if who else []),
    ]
    if asked:
        yield f"{' and '.join(asked)} could turn it: a person must settle"
    if vote.is_held:
        yield "somebody who may be its caller says that it ended: a person must settle"
    if vote.crowded:
        yield f"{vote.crowded}: a person must settle some of them"


def _can_close(state: State, judged: VoteState) -> bool:
    """Whether a vote has passed and only its announcement, or the clock, is waited for."""
    if judged.terms.reviewers_missing or is_text_in_doubt(judged, state.policy):
        return False
    return judged.outcome is Outcome.PASSED and not (state.number_doubt is not None and state.number_doubt.blocks_votes)


def _say_votes_needed(policy: Policy, counts: Counts) -> Iterator[str]:
    if is_enough(counts, policy):
        return
    if policy.rule is VotingRule.LAZY_CONSENSUS and counts.minus:
        veto = "is a veto" if counts.minus == 1 else "are vetoes"
        yield f"{counts.minus} binding -1 {veto}, until withdrawn or a result ends the vote"
    rules = {VotingRule.TWO_THIRDS: 2 * counts.minus, VotingRule.LAZY_CONSENSUS: 0}
    to_outweigh = rules.get(policy.rule, counts.minus + 1)
    needed = max(policy.quorum, to_outweigh, 1) - counts.plus
    if needed > 0:
        why = f" to outweigh {counts.minus} binding -1" if to_outweigh > policy.quorum else ""
        yield f"needs {needed} more binding +1{why}"


def _say_closing(state: State, judged: VoteState) -> str:
    said = judged.said
    if said not in (None, "passed"):
        return f'passes by its ballots, but was announced as "{said}": a person must settle'
    if said == "passed":
        return "passes, as announced"
    if state.policy.clock_after is None and judged.vote.declared is not None:
        return "passes; its announcement gives no outcome: a person must settle"
    if state.policy.clock_after is None:
        return f"passes; the result is not announced yet: [RESULT] [VOTE] {state.facts.key}"
    at = after(judged.terms.earliest_close, state.policy.clock_after)
    return f"passes; accepted when its result is announced, or by the clock on {say_moment(at)}"


def _say_silence(state: State) -> Iterator[str]:
    silence = quiet.find_silence(state)
    if silence is None or silence.silent_at > state.now:
        return
    days = _span(state.now - silence.quiet_since)
    gap = quiet.find_silence_gap(state, silence.silent_at)
    if gap is not None and silence.warned_at is None:
        # the gap is the same for all proposals: what to do is said once, as a condition
        yield f"no mail held for {days}: nobody is warned while {gap}"
        return
    parts = [f"silent for {days}"]
    if silence.warned_at is not None:
        parts.append(f"warned {_span(state.now - silence.warned_at)} ago")
    yield "; ".join([*parts, *_say_dormancy(state, silence, gap)])


def _say_dormancy(state: State, silence: Silence, gap: str | None) -> Iterator[str]:
    """What must happen before a silent proposal goes dormant."""
    warning, dormant_at = silence.warning, silence.dormant_at
    is_unheard = warning is not None and silence.warned_at is None
    if state.policy.dormancy_by_person:
        yield "a person decides whether it is dormant"
    elif quiet.blocks_dormancy(state):
        announced = state.vote is not None and is_contradicted(judge(state, state.vote), state.now)
        waits = "its announcement is in question, so it waits for a person"
        yield waits if announced else "it passed, so it waits for its announcement"
    elif is_unheard and warning is not None and warning.warned_at <= state.now:
        yield f"nobody was warned yet; dormant {_span(state.policy.grace)} after the warning is delivered"
    elif dormant_at is None or is_unheard:
        yield "nobody has been warned of it yet"
    elif dormant_at > state.now:
        yield f"dormant in {_span(dormant_at - state.now)}"
    elif (gap := gap or quiet.find_silence_gap(state, dormant_at)) is not None:
        yield f"not dormant yet, because {gap}"


def _span(span: timedelta) -> str:
    if span.days:
        return say_count(span.days, "day")
    hours = int(span.total_seconds() // 3600)
    return say_count(hours, "hour") if hours else "less than an hour"

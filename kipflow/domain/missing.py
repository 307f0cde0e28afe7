"""What a proposal still lacks, in lines fit for a reader."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from kipflow.domain.arrivals import say_dated
from kipflow.domain.claims import Claim, ClaimKind
from kipflow.domain.clocks import VoteState, after
from kipflow.domain.closing import is_contradicted, is_text_in_doubt
from kipflow.domain.events import Stage
from kipflow.domain.pagechanges import say_sections
from kipflow.domain.policy import Policy, Rule
from kipflow.domain.replaying import Replay
from kipflow.domain.tally import Outcome, is_enough
from kipflow.domain.votes import BallotStatus

#: What to do where mail is not held.
_READ_ON = "run `kipflow poll`, or `kipflow ingest FILE --complete-through TIME` with that mail"


def say_missing(replay: Replay, running: VoteState | None) -> tuple[str, ...]:
    """The lines for where a finished replay stands; `running` is the poll whose end is awaited."""
    key = replay.facts.key
    lines: list[str] = []
    if replay.claim is not None:
        lines.append(_say_claim(replay.claim, key))
    if replay.stage is Stage.DRAFT:
        lines.append(f"a discussion thread: [DISCUSS] {key}")
    elif replay.stage is Stage.DISCUSSION or (replay.stage is Stage.VOTE and running is None):
        lines.append(f"a vote: [VOTE] {key}")
    if running is not None:
        mark = "amendment: " if replay.vote is None else ""
        lines.extend(f"{mark}{line}" for line in _say_vote(replay, running))
    lines.extend(_say_silence(replay))
    return tuple(lines)


def _say_claim(claim: Claim, key: str) -> str:
    if claim.kind is ClaimKind.CLAIMED and claim.holds:
        return (
            f"{claim.kind}: {claim.why}; no vote on {key} decides before it has a page or a row, or a person accepts it"
        )
    return f"{claim.kind}: {claim.why}"


def _say_vote(replay: Replay, state: VoteState) -> Iterator[str]:
    if state.vote.root_message_id in replay.closed:
        yield "an operator put it back to a vote: a new round or a person ends it"
        return
    yield from _say_votes_needed(replay.policy, state)
    terms = state.terms
    if terms.reviewers_missing:
        yield f"needs {_count(terms.reviewers_missing, 'more reviewer')} (care owed: {', '.join(terms.because)})"
    dated = say_dated(state.vote.opened_at, state.vote.dated_at)
    if dated:
        yield f"its opening {dated}: the period runs from its arrival"
    if replay.now < terms.earliest_close:
        care = f" ({', '.join(terms.because)}: care owed)" if terms.because else ""
        yield f"closes no earlier than {_time(terms.earliest_close)}{care}"
    if state.hangs:
        claimed = state.vote.claimed_mails
        n = sum(b.status is BallotStatus.REVIEW and b.message_id not in claimed for b in state.vote.ballots)
        who = sum(bool(d.binds) for d in state.vote.doubts)
        asked = [
            *([_count(n, "unclear ballot")] if n else []),
            *([_count(who, "doubt") + " who is who"] if who else []),
        ]
        if asked:
            yield f"{' and '.join(asked)} could turn it: a person must settle"
        if state.vote.is_held:
            yield "somebody who may be its caller says that it ended: a person must settle"
        if state.vote.crowded:
            yield f"{state.vote.crowded}: a person must settle some of them"
    if terms.late_change is not None:
        ask = ": a person must say whether the votes hold" if is_text_in_doubt(state, replay.policy) else ""
        yield f"the page changed after votes were cast ({say_sections(terms.late_change.sections)}){ask}"
    if state.vote.root_missing:
        yield "its opening mail is not held: no outcome can be told"
    if replay.waits_for is not None:
        yield f"waits: {replay.waits_for}; {_READ_ON}"
    elif _can_close(replay, state):
        yield _say_closing(replay, state)
    yield from (f"the announced result differs: {d}" for d in state.differences)


def _can_close(replay: Replay, state: VoteState) -> bool:
    """Whether a vote has passed and only its announcement, or the clock, is waited for."""
    if state.terms.reviewers_missing or is_text_in_doubt(state, replay.policy):
        return False
    return state.outcome is Outcome.PASSED and not (replay.claim is not None and replay.claim.holds)


def _say_votes_needed(policy: Policy, state: VoteState) -> Iterator[str]:
    counts = state.tally.binding
    if is_enough(counts, policy, quorum=state.terms.quorum):
        return
    if policy.rule is Rule.LAZY_CONSENSUS and counts.minus:
        veto = "stands against it: a veto" if counts.minus == 1 else "stand against it: vetoes"
        yield f"{counts.minus} binding -1 {veto}, until withdrawn or a result ends the vote"
    to_outweigh = {Rule.TWO_THIRDS: 2 * counts.minus, Rule.LAZY_CONSENSUS: 0}.get(policy.rule, counts.minus + 1)
    needed = max(state.terms.quorum, to_outweigh, 1) - counts.plus
    if needed > 0:
        why = f" to outweigh {counts.minus} binding -1" if to_outweigh > state.terms.quorum else ""
        yield f"needs {needed} more binding +1{why}"


def _say_closing(replay: Replay, state: VoteState) -> str:
    said = state.vote.declared.outcome if state.vote.declared is not None else None
    if said not in (None, "passed"):
        return f'passes by its ballots, but was announced as "{said}": a person must settle'
    if said == "passed":
        return "passes, as announced"
    if replay.policy.clock_after is None and state.vote.declared is not None:
        return "passes; its announcement tells no outcome: a person must settle"
    if replay.policy.clock_after is None:
        return f"passes; the result is not announced yet: [RESULT] [VOTE] {replay.facts.key}"
    at = after(state.terms.earliest_close, replay.policy.clock_after)
    return f"passes; accepted when its result is announced, or by the clock on {at:%Y-%m-%d %H:%M} UTC"


def _say_silence(replay: Replay) -> Iterator[str]:
    silent_at, dormant_at, warning = replay.silent_at(), replay.dormant_at(), replay.warning()
    if silent_at is None or silent_at > replay.now:
        return
    days = _span(replay.now - replay.quiet_since())
    gap = replay.silence_unproven(silent_at)
    warned_at = replay.told_at()
    if gap is not None and warned_at is None:
        yield f"no mail held for {days}, but {gap}: nobody is warned yet; {_READ_ON}"
        return
    parts = [f"silent for {days}"]
    if warned_at is not None:
        parts.append(f"warned {_span(replay.now - warned_at)} ago")
    if dormant_at is not None and dormant_at <= replay.now:
        gap = gap or replay.silence_unproven(dormant_at)
    if replay.policy.dormancy_by_person:
        parts.append("a person decides whether it is dormant")
    elif replay.waits_for_a_word():
        announced = replay.vote is not None and is_contradicted(replay.judge(replay.vote), replay.now)
        waits = "its announcement is in question, so it waits for a person"
        parts.append(waits if announced else "it passed, so it waits for its announcement")
    elif warned_at is None and warning is not None and warning.warned_at <= replay.now:
        parts.append(f"nobody was warned yet; dormant {_span(replay.policy.grace)} after the warning is delivered")
    elif dormant_at is None or (warning is not None and warned_at is None):
        parts.append("nobody has been warned of it yet")
    elif dormant_at > replay.now:
        parts.append(f"dormant in {_span(dormant_at - replay.now)}")
    elif gap is not None:
        parts.append(f"not dormant yet, because {gap}")
    yield "; ".join(parts)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' if n != 1 else ''}"


def _span(span: timedelta) -> str:
    if span.days:
        return _count(span.days, "day")
    hours = int(span.total_seconds() // 3600)
    return _count(hours, "hour") if hours else "less than an hour"


def _time(at: datetime) -> str:
    return f"{at:%a %Y-%m-%d %H:%M} UTC"

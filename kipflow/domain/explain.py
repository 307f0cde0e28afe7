"""What a finished replay means for people: what is missing, what to ask, when to look again."""

from __future__ import annotations

from datetime import datetime, timedelta

from kipflow.domain.clocks import VoteState, judge_vote
from kipflow.domain.decisions import Decision, ReviewItem
from kipflow.domain.drift import find_drift
from kipflow.domain.events import Stage
from kipflow.domain.policy import Policy
from kipflow.domain.replaying import Replay
from kipflow.domain.tally import Counts, Outcome, is_enough, is_voted_down, possible_counts
from kipflow.domain.votes import BallotStatus


def conclude(replay: Replay) -> Decision:
    """Turn the state that a replay reached into a decision."""
    if replay.stage is None:
        raise ValueError("a replay without any fact has nothing to conclude")
    states = tuple(
        judge_vote(v, replay.terms(v), replay.policy, replay.rulings, replay.as_of)
        for v in replay.facts.votes
        if v.opened_at <= replay.as_of
    )
    current = next((s for s in reversed(states) if replay.is_current(s.vote)), None)
    silent_at = replay.silent_at()
    return Decision(
        number=replay.facts.proposal.number,
        as_of=replay.as_of,
        policy_version=replay.policy.version,
        stage=replay.stage,
        since=replay.since,
        history=tuple(replay.history),
        votes=states,
        missing=tuple(_say_missing(replay, current)),
        review=tuple(_find_questions(replay, states, current)),
        drift=find_drift(replay.facts, replay.stage, replay.as_of),
        next_deadline=_find_deadline(replay),
        warned_at=silent_at if silent_at is not None and silent_at <= replay.as_of else None,
        last_activity=replay.last_activity,
    )


def _say_missing(replay: Replay, current: VoteState | None) -> list[str]:
    lines: list[str] = []
    if replay.stage is Stage.DRAFT:
        lines.append(f"a discussion thread: [DISCUSS] {replay.facts.key}")
    elif replay.stage is Stage.DISCUSSION:
        lines.append(f"a vote: [VOTE] {replay.facts.key}")
    elif replay.stage is Stage.VOTE and current is not None:
        lines.extend(_say_missing_of_vote(replay, current))
    silent_at, dormant_at = replay.silent_at(), replay.dormant_at()
    if silent_at is not None and dormant_at is not None and silent_at <= replay.as_of:
        days = _days(replay.as_of - (replay.last_activity or replay.since))
        ahead = (
            "a person decides whether it is dormant"
            if replay.policy.dormancy_by_person
            else f"dormant in {_days(dormant_at - replay.as_of)}"
        )
        lines.append(f"silent for {days}; warned {_days(replay.as_of - silent_at)} ago; {ahead}")
    return lines


def _say_missing_of_vote(replay: Replay, current: VoteState) -> list[str]:
    lines: list[str] = []
    counts, terms = current.tally.binding, current.terms
    if counts.plus < terms.quorum:
        lines.append(f"needs {terms.quorum - counts.plus} more binding +1")
    elif counts.minus >= counts.plus:
        lines.append(f"needs {counts.minus - counts.plus + 1} more binding +1 to outweigh {counts.minus} binding -1")
    if replay.as_of < terms.earliest_close:
        care = f" ({', '.join(terms.because)}: care owed)" if terms.because else ""
        lines.append(f"closes no earlier than {terms.earliest_close:%a %Y-%m-%d %H:%M} UTC{care}")
    if current.hangs:
        n = sum(b.status is BallotStatus.REVIEW for b in current.vote.ballots)
        lines.append(f"{n} unclear ballot{'s' if n != 1 else ''} could turn it: a person must settle")
    if replay.waits_for is not None:
        lines.append(f"waits: {replay.waits_for}")
    elif current.outcome is Outcome.PASSED:
        lines.append(_say_closing(replay, current))
    lines.extend(f"the announced result differs: {d}" for d in current.differences)
    return lines


def _say_closing(replay: Replay, current: VoteState) -> str:
    declared = current.vote.declared
    if declared is not None and declared.outcome not in (None, "passed"):
        return f'passes by its ballots, but was announced as "{declared.outcome}": a person must settle'
    if replay.policy.clock_after is None:
        return f"passes; the result is not announced yet: [RESULT] [VOTE] {replay.facts.key}"
    at = current.terms.earliest_close + replay.policy.clock_after
    return f"passes; accepted when its result is announced, or by the clock on {at:%Y-%m-%d %H:%M} UTC"


def _find_questions(replay: Replay, states: tuple[VoteState, ...], current: VoteState | None) -> list[ReviewItem]:
    items: list[ReviewItem] = []
    if current is not None:
        outcomes = say_both_ways(current, replay.policy) if current.hangs else ()
        for ballot in current.vote.ballots:
            if ballot.status is BallotStatus.REVIEW:
                question = f"{ballot.name}: {ballot.why or 'is this a vote, and which?'}"
                items.append(
                    ReviewItem(
                        kind="ballot",
                        subject=ballot.message_id,
                        question=question,
                        line=ballot.line,
                        outcomes=outcomes,
                    )
                )
        declared = current.vote.declared
        if declared is not None and declared.outcome == "passed" and current.outcome is not Outcome.PASSED:
            items.append(
                ReviewItem(
                    kind="result",
                    subject=declared.message_id,
                    question=f"announced as passed, but the ballots say {current.outcome}",
                    line=declared.line,
                )
            )
    elif states and replay.stage in {Stage.ACCEPTED, Stage.REJECTED, Stage.DISCARDED}:
        last = states[-1]
        if last.vote.opened_at > replay.since and last.vote.ended_at is None:
            items.append(
                ReviewItem(
                    kind="new-vote",
                    subject=last.vote.root_message_id,
                    question=f"a vote was opened after the proposal was {replay.stage.lower()}: reopen it?",
                    line=last.vote.subject,
                )
            )
    silent_at = replay.silent_at()
    if replay.policy.dormancy_by_person and silent_at is not None and silent_at <= replay.as_of:
        items.append(ReviewItem(kind="dormancy", subject=replay.facts.key, question="silent for long: dormant?"))
    return items


def say_both_ways(state: VoteState, policy: Policy) -> tuple[str, ...]:
    """The outcome if every unclear ballot is read as ill for the proposal as it may be, and as well."""
    worst, best = possible_counts(state.vote)

    def word(counts: Counts) -> str:
        if is_enough(counts, policy, quorum=state.terms.quorum):
            return "passes"
        return "fails" if is_voted_down(counts, policy) else "falls short"

    return (
        f"at worst: {word(worst)} with +{worst.plus} -{worst.minus}",
        f"at best: {word(best)} with +{best.plus} -{best.minus}",
    )


def _find_deadline(replay: Replay) -> datetime | None:
    moments = replay.clock_moments()
    silent_at = replay.silent_at()
    if silent_at is not None:
        moments.append(silent_at)
    ahead = [m for m in moments if m > replay.as_of]
    if replay.waits_for is not None:
        return replay.as_of  # ripe, and waiting only for data: look again at every run
    return min(ahead) if ahead else None


def _days(span: timedelta) -> str:
    n = span.days
    return f"{n} day{'s' if n != 1 else ''}"

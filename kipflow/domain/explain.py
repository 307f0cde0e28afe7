"""What a finished replay means for people: what is missing, what to ask, when to look again."""

from __future__ import annotations

from datetime import datetime, timedelta

from kipflow.domain.claims import ClaimKind
from kipflow.domain.clocks import after, judge_vote
from kipflow.domain.decisions import Decision
from kipflow.domain.drift import find_drift
from kipflow.domain.events import Stage
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.missing import say_missing
from kipflow.domain.questions import find_questions
from kipflow.domain.replaying import Replay, is_same
from kipflow.domain.tally import Outcome

#: How often to look whether a warning that nobody got can go out now: sending may have been switched on.
LOOK_AGAIN = timedelta(days=1)


def conclude(replay: Replay) -> Decision:
    """Turn the state that a replay reached into a decision."""
    if replay.stage is None:
        raise ValueError("a replay without any fact has nothing to conclude")
    states = tuple(
        judge_vote(v, replay.terms(v), replay.policy, replay.rulings, replay.now)
        for v in replay.facts.votes
        if v.opened_at <= replay.now
    )
    running = next((s for s in reversed(states) if is_same(s.vote, replay.running())), None)
    awaited: Stage | None = None
    if replay.waits_for is not None and replay.vote is not None and running is not None:
        awaited = Stage.ACCEPTED if running.outcome is Outcome.PASSED else Stage.REJECTED
    refused = replay.claim is not None and replay.claim.kind is ClaimKind.REFUSED
    warning = _find_warning(replay)
    return Decision(
        number=replay.facts.proposal.number,
        as_of=replay.as_of,
        policy_version=replay.policy.version,
        stage=replay.stage,
        since=replay.since,
        history=tuple(replay.history),
        votes=states,
        missing=say_missing(replay, running),
        review=find_questions(replay, states, running),
        drift=() if refused else find_drift(replay.facts, replay.stage, replay.as_of, states, awaited=awaited),
        next_deadline=_find_deadline(replay, warning),
        warned_at=replay.told_at() if warning is not None else None,
        warning=warning,
        unwarned=replay.find_unwarned(),
        last_activity=replay.last_activity,
        claim=replay.claim,
    )


def _find_warning(replay: Replay) -> SilenceWarning | None:
    """The warning of the silence that lasts."""
    silent_at, warning = replay.silent_at(), replay.warning()
    if silent_at is None or silent_at > replay.now or warning is None or warning.warned_at > replay.now:
        return None
    return warning


def _find_deadline(replay: Replay, warning: SilenceWarning | None) -> datetime | None:
    """The next moment at which time alone could change something, `as_of` where only data are waited for."""
    silent_at, dormant_at = replay.silent_at(), replay.dormant_at()
    due = [m for m in (silent_at, dormant_at) if m is not None and m <= replay.now]
    if replay.overtaken or replay.waits_for is not None or any(replay.silence_unproven(m) is not None for m in due):
        return replay.as_of  # ripe, and waiting only for data: look again at every run
    if replay.find_unwarned() is not None:
        return replay.as_of  # whoever records this warns the author, and decides again
    moments = [*replay.clock_moments(), *([silent_at] if silent_at is not None else [])]
    if warning is not None and replay.told_at() is None:
        moments.append(after(replay.as_of, LOOK_AGAIN))
    running = replay.running()
    if running is not None:
        # a passed vote that nobody has announced by then becomes a question
        moments.append(after(replay.terms(running).earliest_close, replay.policy.grace))
    return min((m for m in moments if m > replay.as_of), default=None)

"""The life of a proposal: which stage it is in at a given time, why, and what it still lacks.

`decide` is a pure function of facts, policy and time. It replays the facts in order of time, with the clock between
them (`stages.replaying`, by the rules of `stages.table`), and returns the whole history with what is missing, what to
ask a person, and when to look again. `events.reconcile` compares it with the stored history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from kipflow.domain.clocks import after
from kipflow.domain.decisions import Decision, Drift, Silence
from kipflow.domain.drift import find_drift
from kipflow.domain.events import Stage
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.domain.judging import find_announcements
from kipflow.domain.missing import say_missing
from kipflow.domain.moments import in_order
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.domain.policy import Policy
from kipflow.domain.questions import find_questions
from kipflow.domain.stages import quiet
from kipflow.domain.stages.replaying import find_clock_moments, replay
from kipflow.domain.stages.state import State, find_earliest_close, is_same, judge
from kipflow.domain.tally import Outcome

#: How often to check whether an undelivered warning can go out: sending may have been switched on.
LOOK_AGAIN = timedelta(days=1)


def decide(facts: ProposalFacts, policy: Policy, as_of: datetime) -> Decision | None:
    """The decision on these facts under `policy` at `as_of`; None if nothing had happened by then.

    Total: any facts give a decision. Their order does not matter, and facts later than `as_of` are ignored, except for
    an operator's import, whose rows are dated back.
    """
    state = replay(in_order(facts), policy, as_of)
    if state.stage is None:
        return None
    states = tuple(judge(state, v) for v in state.facts.votes if v.opened_at <= state.now)
    running = next((s for s in reversed(states) if is_same(s.vote, state.running)), None)
    awaited: Stage | None = None
    if state.waits_for is not None and state.vote is not None and running is not None:
        awaited = Stage.ACCEPTED if running.outcome is Outcome.PASSED else Stage.REJECTED
    refused = state.number_doubt is not None and state.number_doubt.kind is NumberDoubtKind.REFUSED
    drift = () if refused else find_drift(state, state.stage, states, awaited)
    silence = quiet.find_silence(state)
    warning = _find_lasting(silence, state.now)
    return Decision(
        number=state.facts.proposal.number,
        as_of=state.as_of,
        policy_version=state.policy.version,
        stage=state.stage,
        since=state.since,
        history=state.history,
        votes=states,
        missing=say_missing(state, running),
        review=find_questions(state, states, running),
        drift=drift,
        next_deadline=_find_deadline(state, silence, drift),
        warned_at=silence.warned_at if silence is not None and warning is not None else None,
        warning=warning,
        unwarned=quiet.find_unwarned(state),
        last_activity=state.last_activity,
        number_doubt=state.number_doubt,
    )


def _find_lasting(silence: Silence | None, now: datetime) -> SilenceWarning | None:
    """The warning of the present silence; None if there is none."""
    if silence is None or silence.silent_at > now or silence.warning is None or silence.warning.warned_at > now:
        return None
    return silence.warning


def _find_deadline(state: State, silence: Silence | None, drift: Sequence[Drift]) -> datetime | None:
    """The next moment at which time alone could change something; `as_of` if only data are missing."""
    silent = [m for m in (silence.silent_at, silence.dormant_at) if m is not None] if silence is not None else []
    due = [m for m in silent if m <= state.now]
    if state.overtaken or state.waits_for is not None or any(quiet.find_silence_gap(state, m) for m in due):
        return state.as_of  # due, and only data are missing: look again at every run
    if quiet.find_unwarned(state) is not None:
        return state.as_of  # recording this decision writes the warning, and decides again
    moments = [*find_clock_moments(state), *silent[:1]]
    if silence is not None and silence.warned_at is None and _find_lasting(silence, state.now) is not None:
        moments.append(after(state.as_of, LOOK_AGAIN))
    moments.extend(each.find_due(state.since) for each in drift)
    if state.running is not None:
        # a passed vote that nobody has announced by then becomes a question
        earliest = find_earliest_close(state, state.running)
        moments.append(after(earliest, state.policy.grace))
    return min((m for m in moments if m > state.as_of), default=None)


def with_known_future(decision: Decision, facts: ProposalFacts) -> Decision:
    """The decision with its deadline no later than the next fact after `as_of`.

    After a decision as of a past date, or with a mail whose sender's clock is ahead, no new fact would put the proposal
    back on the list at that moment.
    """
    ahead = find_next_fact(facts, decision.as_of)
    if ahead is None or (decision.next_deadline is not None and decision.next_deadline <= ahead):
        return decision
    return replace(decision, next_deadline=ahead)


def find_next_fact(facts: ProposalFacts, as_of: datetime) -> datetime | None:
    """The time of the first fact after `as_of`; None if all lie before it."""
    times: list[datetime | None] = [m.arrived_at for m in facts.messages]
    times.extend(p.saved_at for p in facts.pages)
    for entry in facts.index_entries:
        times.extend((entry.seen_at, entry.changed_at, entry.created_at))
    for vote in facts.votes:
        times.extend((vote.opened_at, vote.ended_at, *find_announcements(vote)))
    for ruling in facts.rulings:
        times.extend((ruling.made_at, ruling.revoked_at))
    times.extend(t.seen_at for t in facts.tickets)
    for warning in facts.warnings:
        times.extend((warning.as_of, warning.warned_at, warning.delivered_at))
    return min((t for t in times if t is not None and t > as_of), default=None)

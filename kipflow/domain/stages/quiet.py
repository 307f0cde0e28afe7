"""The present silence of a proposal: since when, who was warned, and when the proposal goes dormant."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from kipflow.domain.clocks import after, is_covered
from kipflow.domain.decisions import Silence
from kipflow.domain.events import Stage
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.policy import Policy
from kipflow.domain.stages.closing import is_contradicted
from kipflow.domain.stages.state import State, judge
from kipflow.domain.tally import Outcome


def find_quiet_since(state: State) -> datetime:
    return max(state.last_activity or state.since, state.since)


def find_silence(state: State) -> Silence | None:
    """The present silence, however short; None in a stage or under a policy without dormancy."""
    policy, quiet_since = state.policy, find_quiet_since(state)
    if state.stage not in {Stage.DISCUSSION, Stage.VOTE} or policy.dormant_after is None:
        return None
    silent_at = max(after(quiet_since, policy.dormant_after), state.snoozed_until or quiet_since)
    followed_since = state.facts.followed_since or state.as_of
    due = after(silent_at, policy.grace)
    silence = Silence(quiet_since=quiet_since, silent_at=silent_at, past=due if due <= followed_since else None)
    warnings = [(w, _find_warned_at(w, policy, followed_since)) for w in state.warnings if _is_of(w, silence, state)]
    if not warnings:
        return replace(silence, dormant_at=silence.past)
    warning, warned_at = min(warnings, key=lambda each: each[1] is None)
    return replace(
        silence,
        warning=warning,
        warned_at=None if warned_at is None or warned_at > state.now else warned_at,
        dormant_at=None if warned_at is None else _find_due(silence, warning, warned_at, policy),
    )


def _is_of(warning: SilenceWarning, silence: Silence, state: State) -> bool:
    """Whether a warning belongs to this silence: written when it was long enough, or after the same activity.

    So a policy that asks for more days warns nobody twice. A warning before the end of a snooze does not count: it
    promised another date. Nor does one written when, as late mail shows, the silence was short.
    """
    if silence.past is not None and warning.as_of >= silence.past:
        return False  # belongs to a later silence
    snoozed = state.snoozed_until is not None and warning.as_of < state.snoozed_until
    return warning.as_of >= silence.silent_at or (warning.quiet_since == silence.quiet_since and not snoozed)


def _find_warned_at(warning: SilenceWarning, policy: Policy, followed_since: datetime) -> datetime | None:
    """When the author learned of it; None: not yet.

    A warning whose date passed before kipflow followed the proposal counts as delivered: as if runs at that time had
    sent it.
    """
    if warning.delivered_at is not None:
        return warning.delivered_at
    due = warning.due_at or after(warning.warned_at, policy.grace)
    return warning.warned_at if due <= followed_since else None


def _find_due(silence: Silence, warning: SilenceWarning, warned_at: datetime, policy: Policy) -> datetime:
    """When a proposal goes dormant after a warning: never before the promised date."""
    due = after(max(silence.silent_at, warned_at), policy.grace)
    return due if warning.due_at is None else max(due, warning.due_at)


def find_dormant_at(state: State) -> datetime | None:
    """When the clock makes the proposal dormant; None if a person decides, or the author must be warned first."""
    silence = None if state.policy.dormancy_by_person else find_silence(state)
    return silence.dormant_at if silence is not None else None


def find_unwarned(state: State) -> Silence | None:
    """The silence that its author must be warned of now: long enough, on complete mail, and leading to dormancy."""
    silence = find_silence(state)
    if silence is None or (state.number_doubt is not None and not state.number_doubt.is_real):
        return None  # no warning about a number that may be made up
    is_ahead = silence.past is None or state.now < silence.past
    if silence.warning is not None or silence.silent_at > state.now or not is_ahead:
        return None
    return None if find_silence_gap(state, silence.silent_at) is not None or blocks_dormancy(state) else silence


def find_silence_gap(state: State, until: datetime) -> str | None:
    """Why it is not certain that nobody wrote until then: mail of that time is missing."""
    return is_covered(state.facts.coverage, find_quiet_since(state), until)


def blocks_dormancy(state: State) -> bool:
    """Whether the vote passed, or its announcement contradicts the ballots: silence ends neither.

    The one needs an announcement, the other a person's ruling (`questions`).
    """
    if state.vote is None:
        return False
    judged = judge(state, state.vote)
    return judged.outcome is Outcome.PASSED or is_contradicted(judged, state.now)

"""The silence that a state is in: since when, who was warned of it, and when it makes dormant."""

from __future__ import annotations

from datetime import datetime

from kipflow.domain.clocks import after, is_covered
from kipflow.domain.events import Stage
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.silence import Silence
from kipflow.domain.stages.closing import is_contradicted
from kipflow.domain.stages.state import State, judge
from kipflow.domain.tally import Outcome


def find_quiet_since(state: State) -> datetime:
    return max(state.last_activity or state.since, state.since)


def find_silent_at(state: State) -> datetime | None:
    """When the silence becomes long enough to warn the author; None where none ever does."""
    if state.stage not in {Stage.DISCUSSION, Stage.VOTE} or state.policy.dormant_after is None:
        return None
    silent = after(find_quiet_since(state), state.policy.dormant_after)
    return silent if state.snoozed_until is None else max(silent, state.snoozed_until)


def find_silence(state: State) -> Silence | None:
    """The silence of this moment, if nothing ends it."""
    silent = find_silent_at(state)
    if silent is None:
        return None
    return Silence(
        quiet_since=find_quiet_since(state),
        silent_at=silent,
        snoozed_until=state.snoozed_until,
        followed_since=state.facts.followed_since or state.as_of,
    )


def find_warning(state: State) -> SilenceWarning | None:
    """The warning of this silence, if one was written."""
    silence = find_silence(state)
    return None if silence is None else silence.find_warning(state.warnings, state.policy)


def find_warned_at(state: State) -> datetime | None:
    """When its author learned of this silence; None: nobody was warned yet."""
    silence, warning = find_silence(state), find_warning(state)
    if silence is None or warning is None:
        return None
    warned_at = silence.find_warned_at(warning, state.policy)
    return None if warned_at is None or warned_at > state.now else warned_at


def find_dormant_at(state: State) -> datetime | None:
    """When this silence makes dormant; None also where its author must be warned first."""
    silence = find_silence(state)
    if silence is None:
        return None
    return silence.find_dormancy(silence.find_warning(state.warnings, state.policy), state.policy)


def find_unwarned(state: State) -> Silence | None:
    """The silence that its author must be warned of now: long enough, proved, and about to end something."""
    silence = find_silence(state)
    if silence is None or (state.claim is not None and not state.claim.is_real):
        return None  # who made a number up is warned of nothing
    if not silence.requires_warning(find_warning(state), state.policy, state.now):
        return None
    return None if find_silence_gap(state, silence.silent_at) is not None or awaits_word(state) else silence


def find_silence_gap(state: State, until: datetime) -> str | None:
    """Why it is not proved that nobody wrote until then: mail is missing, or the silence is not over."""
    return is_covered(state.facts.coverage, find_quiet_since(state), until)


def awaits_word(state: State) -> bool:
    """Whether the vote passed, or its announcement says the opposite of the ballots: silence ends neither.

    What has passed needs its announcement, what was announced otherwise an answer: `questions` asks a person.
    """
    if state.vote is None:
        return False
    judged = judge(state, state.vote)
    return judged.outcome is Outcome.PASSED or is_contradicted(judged, state.now)

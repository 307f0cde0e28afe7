"""What a rule changes besides the stage: pure functions from a state to the next one."""

from __future__ import annotations

from typing import Any

from kipflow.domain.events import SETTLED_STAGES, Stage
from kipflow.domain.facts import Ruling, ThreadMessage
from kipflow.domain.pages import PageVersion
from kipflow.domain.ruled import find_time
from kipflow.domain.stages.guards import find_chosen
from kipflow.domain.stages.state import State, is_contested
from kipflow.domain.votes import Vote


def no_effect(state: State, _what: Any) -> State:
    return state


def note_page(state: State, page: PageVersion) -> State:
    """its state is noted, and counts as activity"""
    return state._replace(last_activity=state.now, page_word=page.status)


def note_reopening(state: State, message: ThreadMessage) -> State:
    """it is noted"""
    return state._replace(reopening=message)


def run_vote(state: State, vote: Vote) -> State:
    """its end is awaited"""
    return state._replace(running=vote)


def wake_vote(state: State, _what: Any) -> State:
    """that vote goes on, its ballots still count"""
    return state._replace(running=state.asleep)


def forget_sleeping(state: State, _what: Any) -> State:
    """that vote is over"""
    return state._replace(asleep=None)


def forget_amendment(state: State, _what: Any) -> State:
    """that vote is over"""
    return state._replace(running=None, waits_for=None)


def close_vote(state: State, _what: Any) -> State:
    """no rule decides that vote again"""
    return state if state.running is None else state._replace(closed=state.closed | {state.running.root_message_id})


def snooze(state: State, ruling: Ruling) -> State:
    """nobody is warned before then"""
    return state._replace(snoozed_until=find_time(ruling.value, "until") or state.snoozed_until)


def keep_stage(state: State, _what: Any) -> State:
    """it counts as activity; what was asked about the stage is answered"""
    return state._replace(last_activity=state.now, kept_at=state.now, reopening=None)


def note_overtaken(state: State, _what: Any) -> State:
    """once that mail is read, the rules may have decided first"""
    return state._replace(overtaken=True)


def apply_stage_ruling(state: State, ruling: Ruling) -> State:
    """it counts as activity; settled, the vote is decided; back in Vote, the newest open one runs"""
    target = find_chosen(state, ruling)
    state = state._replace(last_activity=state.now)
    if target in SETTLED_STAGES and state.vote is not None:
        return close_vote(state, ruling)
    return state._replace(running=find_open_vote(state)) if target is Stage.VOTE else state


def find_open_vote(state: State) -> Vote | None:
    """The newest vote opened by now and neither called off nor replaced, decided or not."""
    for vote in reversed(state.facts.votes):
        if vote.opened_at <= state.now and not vote.is_over(state.now) and not is_contested(state, vote):
            return vote
    return None

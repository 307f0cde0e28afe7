"""One pass over a proposal's facts and clock moments in order of time: each applies its rows of the table."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from kipflow.domain.clocks import after, is_covered
from kipflow.domain.errors import IllegalTransition
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.judging import reopen
from kipflow.domain.moments import Event, find_moments
from kipflow.domain.policy import PageChanges, Policy
from kipflow.domain.ruled import find_accepted, with_ending_rulings
from kipflow.domain.stages.evidence import find_actor, find_evidence, find_note
from kipflow.domain.stages.guards import is_own_page, is_running
from kipflow.domain.stages.quiet import find_dormant_at
from kipflow.domain.stages.state import State, begin, find_earliest_close, is_contested, judge
from kipflow.domain.stages.table import BY_PERSON, ROWS_OF, TABLE, StageRule, find_row
from kipflow.domain.votes import EndKind

#: Events that end a silence, whatever they are about.
_ACTIVITY = frozenset({Event.MESSAGE, Event.VOTE_OPENED, Event.BALLOT, Event.RESULT})


def replay(facts: ProposalFacts, policy: Policy, as_of: datetime) -> State:
    """The state at `as_of` after the facts (`moments.in_order`)."""
    state = begin(facts, policy, as_of)
    pending = sorted(m for m in find_moments(facts) if m.at <= as_of)
    if pending:
        state = state._replace(now=pending[0].at)
    handled: set[datetime] = set()
    for fact in pending:
        # facts come before the clock of the same moment
        state = _pass_time(state, fact.at, handled, inclusive=False)
        state = handle(state, fact.at, fact.event, fact.what)
    return _pass_time(state, as_of, handled, inclusive=True)._replace(now=as_of)


def _pass_time(state: State, until: datetime, handled: set[datetime], *, inclusive: bool) -> State:
    """Apply the clock at each moment before `until` at which time alone may change something."""
    while True:
        due = (t for t in find_clock_moments(state) if t not in handled and state.now <= t)
        clock = next(due, None)
        if clock is None or clock > until or (clock == until and not inclusive):
            return state
        handled.add(clock)
        state = handle(state, clock, Event.CLOCK, None)


def find_clock_moments(state: State) -> list[datetime]:
    """The moments at which time alone may change something, from the state reached so far."""
    moments: list[datetime] = []
    running, policy = state.running, state.policy
    if running is not None and running.root_message_id not in state.closed:
        earliest = find_earliest_close(state, running)
        moments.append(earliest)
        if policy.clock_after is not None:
            moments.append(after(earliest, policy.clock_after))
    dormant_at = find_dormant_at(state)
    if dormant_at is not None:
        moments.append(dormant_at)
    return sorted(moments)


def handle(state: State, at: datetime, event: Event, what: Any) -> State:
    """Apply one event, and close the running vote if all its conditions are then met."""
    state = state._replace(now=at, last_activity=at if event in _ACTIVITY else state.last_activity)
    match event:
        case Event.CLOCK:
            return apply_rows(close_ripe_vote(state), event, what)
        case Event.RULING:
            if what not in state.rulings:
                return state
            return close_ripe_vote(apply_accepted_calls(apply_accepted_ends(apply_rows(state, event, what))))
        case Event.PAGE:
            state = apply_rows(state, event, what)
            # the change that kept the vote open may have been undone
            may_close = state.policy.page_changes is PageChanges.ASK and is_own_page(state, what)
        case Event.BALLOT | Event.RESULT:
            state = apply_rows(state, event, what)
            may_close = is_running(state, what)
        case _:
            return apply_rows(state, event, what)
    return close_ripe_vote(state) if may_close else state


def apply_rows(state: State, event: Event, what: object) -> State:
    """Apply each row of the event that fits, in order."""
    for row in ROWS_OF[event]:
        if row.fits(state, what):
            state = move(state, row, event, what)
    return state


def apply_accepted_ends(state: State) -> State:
    """Apply the claimed ends that a person has accepted by now: cancel, replace, or revive votes."""
    for vote in state.facts.votes:
        for end in find_accepted(with_ending_rulings(vote, state.rulings), state.now):
            revives = end.kind is EndKind.CLOSED and vote.ended_how == "cancelled"
            if (end.kind is EndKind.CLOSED and not revives) or end.message_id in state.applied:
                continue
            state = state._replace(applied=state.applied | {end.message_id})
            if revives:
                state = apply_rows(state, Event.VOTE_OPENED, reopen(vote))
                continue
            ended = replace(vote, ended_how=str(end.kind), ended_message_id=end.message_id)
            state = apply_rows(state, Event.VOTE_ENDED, ended)
            for later in (v for v in state.facts.votes if v.root_message_id == end.message_id):
                state = apply_rows(state._replace(last_activity=state.now), Event.VOTE_OPENED, later)
    return state


def apply_accepted_calls(state: State) -> State:
    """Open the votes whose doubtful opening a person has accepted by now."""
    for vote in state.facts.votes:
        call = vote.contested
        if call is None or call.kind is not EndKind.CALLED or call.message_id in state.applied:
            continue
        if not is_contested(state, vote):
            state = state._replace(applied=state.applied | {call.message_id}, last_activity=state.now)
            state = apply_rows(state, Event.VOTE_OPENED, vote)
    return state


def close_ripe_vote(state: State) -> State:
    """Accept or reject the running vote if every condition for it is met now."""
    vote, doubt = state.running, state.number_doubt
    if vote is None or vote.root_message_id in state.closed or (doubt is not None and doubt.blocks_votes):
        return state
    state = state._replace(waits_for=None)
    if state.now < after(vote.opened_at, state.policy.voting_period):
        return state  # no care shortens the period: within it, thousands of ballots need not be judged one by one
    judged = judge(state, vote)
    row = find_row(state, Event.JUDGED, judged)
    if row is None:
        return state
    gap = is_covered(state.facts.coverage, vote.opened_at, state.now)
    return state._replace(waits_for=gap) if gap is not None else move(state, row, Event.JUDGED, judged)


def move(state: State, row: StageRule, event: Event, what: object) -> State:
    """The state after a row; with an entry in the history if the row has a target stage."""
    if not row.targets:
        return row.effect(state, what)
    target = row.choose(state, what) if row.choose is not None else next(iter(row.targets))
    if target is None or (row.rule not in BY_PERSON and (state.stage, target) not in TABLE[row.rule]):
        number = state.facts.proposal.number
        raise IllegalTransition(number=number, source=state.stage or "nothing", target=target or "nothing")
    entry = Transition(
        number=state.facts.proposal.number,
        source=state.stage,
        target=target,
        at=state.now,
        rule=row.rule,
        actor=find_actor(event, what),
        policy_version=state.policy.version,
        evidence=tuple(find_evidence(state, event, what)),
        note=find_note(state, event, what, target),
    )
    return _enter(row.effect(state, what), entry)


def _enter(state: State, entry: Transition) -> State:
    """The state in its new stage, without what belongs to the old one."""
    target, asleep = entry.target, state.asleep
    if target is not state.stage:
        # a silence in discussion after that ends the sleeping vote for good
        asleep = state.vote if target is Stage.DORMANT else asleep
        state = state._replace(since=state.now, waits_for=None, reopening=None)
    is_sent_back = entry.rule in BY_PERSON and target is Stage.DISCUSSION
    return state._replace(
        stage=target,
        history=(*state.history, entry),
        running=state.running if target is Stage.VOTE else None,
        asleep=asleep if target in {Stage.DORMANT, Stage.DISCUSSION} and not is_sent_back else None,
    )

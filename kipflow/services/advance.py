"""Move proposals: load the facts, let the domain decide, record what is new and what it causes.

Everything about one proposal happens in one transaction: history, projection, effects. A crash leaves
either all of it or nothing, and running again with the same facts adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, Transition
from kipflow.domain.history import reconcile
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.services.effects import EffectRules, find_effects
from kipflow.services.ports import Session, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """What became of one proposal: its stage (None: nothing had happened yet) and what was added."""

    number: int
    stage: Stage | None
    appended: tuple[Transition, ...] = ()
    effects: int = 0
    skipped: str = ""


def find_candidates(store: Store, as_of: datetime) -> list[int]:
    """The proposals with new facts or a deadline that `as_of` has reached, in order of number."""
    with store.begin() as session:
        return sorted(session.load_pending(as_of))


def advance_one(
    store: Store,
    number: int,
    *,
    policy: Policy,
    effects: EffectRules,
    as_of: datetime,
    run_id: str = "",
) -> Advance:
    """Decide proposal `number` at `as_of` and record the outcome.

    A time before the newest recorded decision is left alone: what was true then is in the history
    already, and a projection must not go back.
    """
    with store.begin() as session:
        decided_at = session.load_decided_at(number)
        if decided_at is not None and as_of < decided_at:
            return Advance(number=number, stage=None, skipped=f"decided as of {decided_at:%Y-%m-%d %H:%M} UTC already")
        decision = decide(session.load_facts(number), policy, as_of)
        if decision is None:
            return Advance(number=number, stage=None, skipped="nothing had happened by then")
        return _record(session, decision, effects, run_id)


def preview(store: Store, number: int, *, policy: Policy, as_of: datetime) -> tuple[Decision | None, list[Transition]]:
    """What `advance_one` would record, without recording it."""
    with store.begin() as session:
        decision = decide(session.load_facts(number), policy, as_of)
        stored = session.load_history(number)
    return decision, list(reconcile(stored, decision.history)) if decision else []


def advance_all(
    store: Store,
    *,
    policy: Policy,
    effects: EffectRules,
    as_of: datetime,
    run_id: str = "",
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Advance]:
    """Advance every candidate, one transaction each. `on_progress` hears (done, all)."""
    numbers = find_candidates(store, as_of)
    done: list[Advance] = []
    for number in numbers:
        done.append(advance_one(store, number, policy=policy, effects=effects, as_of=as_of, run_id=run_id))
        on_progress(len(done), len(numbers))
    return done


def _record(session: Session, decision: Decision, effects: EffectRules, run_id: str) -> Advance:
    appended = reconcile(session.load_history(decision.number), decision.history)
    session.append_transitions(appended, recorded_at=decision.as_of, run_id=run_id)
    caused = find_effects(decision, appended, effects)
    added = session.enqueue(caused, now=decision.as_of, status="pending" if effects.sends else "skipped")
    session.save_decision(decision)
    return Advance(number=decision.number, stage=decision.stage, appended=appended, effects=added)

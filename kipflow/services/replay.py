"""Rebuild history from facts and compare it with what is stored, or with another policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, Transition
from kipflow.domain.history import effective
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.services.ports import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One proposal whose rebuilt history is not the stored one, or that ends differently.

    `stored` and `rebuilt` are lines "2026-03-05 09:00 Vote → Accepted (result-agrees)"; the first line that
    differs leads.
    """

    number: int
    stored: str
    rebuilt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    proposals: int
    transitions: int
    differences: tuple[Difference, ...]


def replay(
    store: Store,
    *,
    policy: Policy,
    start: datetime | None,
    end: datetime,
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> ReplayReport:
    """Rebuild every proposal's history up to `end` and compare the part since `start` with the store's."""
    differences: list[Difference] = []
    transitions = 0
    numbers = _numbers(store)
    for done, number in enumerate(numbers, 1):
        with store.begin() as session:
            facts = session.load_facts(number)
            stored = [t for t in effective(session.load_history(number)) if _is_within(t, start, end)]
        decision = decide(facts, policy, end)
        rebuilt = [t for t in decision.history if _is_within(t, start, end)] if decision else []
        transitions += len(rebuilt)
        found = _first_difference(number, stored, rebuilt)
        if found is not None:
            differences.append(found)
        on_progress(done, len(numbers))
    return ReplayReport(proposals=len(numbers), transitions=transitions, differences=tuple(differences))


def compare_policies(store: Store, *, policy: Policy, other: Policy, end: datetime) -> ReplayReport:
    """The proposals that would have come to another stage under `other`; times may differ freely."""
    differences: list[Difference] = []
    numbers = _numbers(store)
    transitions = 0
    for number in numbers:
        with store.begin() as session:
            facts = session.load_facts(number)
        ours, theirs = decide(facts, policy, end), decide(facts, other, end)
        transitions += len(theirs.history) if theirs else 0
        if _stage(ours) is not _stage(theirs):
            differences.append(Difference(number=number, stored=_end(ours), rebuilt=_end(theirs)))
    return ReplayReport(proposals=len(numbers), transitions=transitions, differences=tuple(differences))


def _numbers(store: Store) -> list[int]:
    with store.begin() as session:
        return sorted(session.load_numbers())


def _is_within(transition: Transition, start: datetime | None, end: datetime) -> bool:
    return (start is None or transition.at >= start) and transition.at <= end


def _first_difference(number: int, stored: list[Transition], rebuilt: list[Transition]) -> Difference | None:
    pairs: Iterator[tuple[Transition | None, Transition | None]] = (
        (stored[i] if i < len(stored) else None, rebuilt[i] if i < len(rebuilt) else None)
        for i in range(max(len(stored), len(rebuilt)))
    )
    for ours, theirs in pairs:
        if say(ours) != say(theirs):
            return Difference(number=number, stored=say(ours), rebuilt=say(theirs))
    return None


def say(transition: Transition | None) -> str:
    """A transition as one comparable line."""
    if transition is None:
        return "nothing"
    source = f"{transition.source} → " if transition.source else ""
    return f"{transition.at:%Y-%m-%d %H:%M:%S} {source}{transition.target} ({transition.rule})"


def _stage(decision: Decision | None) -> Stage | None:
    return decision.stage if decision else None


def _end(decision: Decision | None) -> str:
    return say(decision.history[-1]) if decision and decision.history else "nothing"

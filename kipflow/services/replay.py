"""Rebuild history from facts and compare it with the stored one, or with that under other rules.

Everything is read in one read-only transaction: facts and history are of one moment, and no writer has to wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from itertools import zip_longest

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Transition, effective
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.domain.times import say_moment
from kipflow.services.assembly import load_facts
from kipflow.services.ports import Session, Store

NOTHING = "nothing"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One entry of a proposal's history that is stored and rebuilt differently, or one proposal that ends
    differently under other rules.

    `entry` is the entry's place in the effective history, counted from 1; for an end it is "stage" or "date", whichever
    differs. `stored` and `rebuilt` are lines such as "2026-03-05 09:00:00 Vote → Accepted (result-agrees)".
    """

    number: int
    entry: str
    stored: str
    rebuilt: str
    why: str


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
    on_progress: Progress = lambda _done, _all: None,
) -> ReplayReport:
    """Rebuild every proposal's history up to `end` and compare the part since `start` with the store's."""
    differences: list[Difference] = []
    transitions = 0
    with store.read() as session:
        numbers = sorted(session.history.load_numbers())
        waiting = frozenset(session.history.load_pending(end))
        for done, number in enumerate(numbers, 1):
            stored = [t for t in effective(session.history.load(number)) if _is_within(t, start, end)]
            decision = decide(load_facts(session, number), policy, end)
            rebuilt = [t for t in decision.history if _is_within(t, start, end)] if decision else []
            transitions += len(rebuilt)
            unequal = list(_align(stored, rebuilt))
            if unequal:
                why = _explain(session, number, number in waiting, stored, policy)
                differences.extend(
                    Difference(number=number, entry=str(place), stored=say(ours), rebuilt=say(theirs), why=why)
                    for place, ours, theirs in unequal
                )
            on_progress(done, len(numbers))
    return ReplayReport(proposals=len(numbers), transitions=transitions, differences=tuple(differences))


def compare_rules(
    store: Store,
    other: Store,
    *,
    policy: Policy,
    other_policy: Policy,
    start: datetime | None = None,
    end: datetime,
    on_progress: Progress = lambda _done, _all: None,
) -> ReplayReport:
    """The proposals whose stage, or the time of it, would differ under other rules.

    Args:
        store: the facts as read by the community's own rules.
        other: the same facts as read by the other rules, which also decide who binds and how fractions count. start:
        only proposals whose stage began, on either side, at this time or later.
    """
    differences: list[Difference] = []
    transitions = 0
    with store.read() as session, other.read() as other_session:
        numbers = sorted(session.history.load_numbers())
        for done, number in enumerate(numbers, 1):
            ours = decide(_as_if_warned(load_facts(session, number)), policy, end)
            theirs = decide(_as_if_warned(load_facts(other_session, number)), other_policy, end)
            transitions += len(theirs.history) if theirs else 0
            on_progress(done, len(numbers))
            if ours is None or theirs is None or (ours.stage, ours.since) == (theirs.stage, theirs.since):
                continue
            if start is None or max(ours.since, theirs.since) >= start:
                entry = "date" if ours.stage is theirs.stage else "stage"
                why = f"{_say_ground(ours)}; under the other rules: {_say_ground(theirs)}"
                differences.append(
                    Difference(number=number, entry=entry, stored=_say_end(ours), rebuilt=_say_end(theirs), why=why)
                )
    return ReplayReport(proposals=len(numbers), transitions=transitions, differences=tuple(differences))


def say(transition: Transition | None) -> str:
    """A transition as one comparable line."""
    if transition is None:
        return NOTHING
    source = f"{transition.source} → " if transition.source else ""
    return f"{transition.at:%Y-%m-%d %H:%M:%S} {source}{transition.target} ({transition.rule})"


def _as_if_warned(facts: ProposalFacts) -> ProposalFacts:
    """The facts as if the author was warned of every silence in time.

    The stored warnings followed from the community's own rules: under others they would have had other times.
    """
    return replace(facts, warnings=(), followed_since=None)


def _is_within(transition: Transition, start: datetime | None, end: datetime) -> bool:
    return (start is None or transition.at >= start) and transition.at <= end


def _align(
    stored: Sequence[Transition], rebuilt: Sequence[Transition]
) -> Iterator[tuple[int, Transition | None, Transition | None]]:
    """The entries that differ, with their place; None if one side has none."""
    ours, theirs = [t.plain_id for t in stored], [t.plain_id for t in rebuilt]
    if ours == theirs:
        return
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        for i, (left, right) in enumerate(zip_longest(stored[a:b], rebuilt[c:d]) if tag != "equal" else ()):
            yield (a if left is not None else c) + i + 1, left, right


def _explain(session: Session, number: int, waits: bool, stored: Sequence[Transition], policy: Policy) -> str:
    decided_at = session.history.load_decided_at(number)
    if decided_at is None:
        return "never decided: `kipflow advance` has not come to it yet"
    other = sorted({t.policy_version for t in stored} - {policy.version})
    if waits:
        changed = f"decided as of {say_moment(decided_at)}; facts came, rules changed or a deadline passed since"
        return f"{changed}: `kipflow advance` records what follows"
    if other:
        return f"recorded under policy {', '.join(other)}, rebuilt under {policy.version}"
    return "what is stored does not follow from the stored facts: please report it with `kipflow status`'s output"


def _say_end(decision: Decision) -> str:
    rule = f" ({decision.history[-1].rule})" if decision.history else ""
    return f"{decision.stage} since {say_moment(decision.since)}{rule}"


def _say_ground(decision: Decision) -> str:
    """The grounds of the stage in a line: the newest vote's count and terms, and what is missing."""
    parts: list[str] = []
    state = decision.newest_vote
    if state is not None:
        parts.append(
            f"round {state.vote.round} {state.outcome} with binding {state.tally.binding}, "
            f"quorum {state.terms.quorum}, closes no earlier than {state.terms.earliest_close:%Y-%m-%d %H:%M}"
        )
    parts.extend(decision.missing[:2])
    return ", ".join(parts) or "no vote was seen"

"""Append-only history: the entries to add so that the stored history agrees with the facts.

Entries are never edited. Where later evidence (a repaired archive, a revoked ruling) disproves stored entries, a
correction is added that retracts them, and the entries that now follow are added after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.votes import Vote


def effective(stored: Sequence[Transition]) -> tuple[Transition, ...]:
    """The stored entries that are in effect: without corrections and what they retracted."""
    retracted = {entry for correction in stored for entry in correction.retracts}
    return tuple(t for t in stored if not t.retracts and t.id not in retracted)


def find_amendments(history: Sequence[Transition], votes: Iterable[Vote]) -> frozenset[str]:
    """The votes (by their opening mail) that were called when the proposal had been accepted already.

    They are about a change of an accepted proposal, which stays accepted whatever their outcome.
    """
    standing = effective(history)

    def stage_before(at: datetime) -> Stage | None:
        return next((t.target for t in reversed(standing) if t.at < at), None)

    return frozenset(
        vote.root_message_id
        for vote in votes
        if not vote.root_missing and stage_before(vote.opened_at) is Stage.ACCEPTED
    )


def reconcile(stored: Sequence[Transition], derived: Sequence[Transition]) -> tuple[Transition, ...]:
    """The entries to append to `stored` so that its effective part equals `derived`.

    Empty if they agree already. An entry that was retracted and follows again gets a higher `repeat`,
    so that its id is new.
    """
    standing = effective(stored)
    same = 0
    while same < min(len(standing), len(derived)) and standing[same].plain_id == derived[same].plain_id:
        same += 1
    lost, gained = standing[same:], list(derived[same:])
    if not lost:
        return tuple(_distinct(gained, stored))
    source = standing[-1].target
    target = standing[same - 1].target if same else Stage.DRAFT
    latest = derived[-1] if derived else lost[-1]
    correction = Transition(
        number=lost[0].number,
        source=source,
        target=target,
        at=max(t.at for t in (*lost, latest)),
        rule="correction",
        actor=Actor.CLOCK,
        policy_version=latest.policy_version,
        evidence=tuple(Evidence(kind="history", ref=t.id, line=f"{t.rule}: {t.target}") for t in lost),
        note=f"later evidence retracts {len(lost)} entr{'y' if len(lost) == 1 else 'ies'}",
        retracts=tuple(t.id for t in lost),
    )
    return (correction, *_distinct(gained, (*stored, correction)))


def _distinct(gained: Sequence[Transition], stored: Sequence[Transition]) -> list[Transition]:
    taken = {t.id for t in stored}
    fresh: list[Transition] = []
    for entry in gained:
        while entry.id in taken:
            entry = replace(entry, repeat=entry.repeat + 1)
        taken.add(entry.id)
        fresh.append(entry)
    return fresh

"""A store in memory for tests of use cases: what deciding, rulings and their effects need of `services.ports`.

Facts are given as `ProposalRows`; what is decided and planned can be looked at.
`tests/unit/services/test_on_memory.py` holds it against SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from kipflow.domain.decisions import Decision
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.events import Transition
from kipflow.domain.facts import Ruling, SilenceWarning
from kipflow.domain.proposals import Proposal
from kipflow.services.ports import NewFact, ProposalRows, Rules
from kipflow.services.ports.effects import CARD, RETRACTS, Effect, OutboxRow
from tests.memory_facts import MemoryBatches, MemoryMail, MemoryMarks, MemoryPages


@dataclass
class MemoryHistory:
    """`HistoryStore`, as far as one proposal at a time needs it. `new` are the facts that came since, by number."""

    rows: dict[int, ProposalRows]
    given: list[Ruling]
    transitions: list[tuple[datetime, Transition]] = field(default_factory=list)
    decided: dict[int, Decision] = field(default_factory=dict)
    new: dict[int, list[NewFact]] = field(default_factory=dict)
    rules_changed: bool = False

    def load_rows(self, number: int) -> ProposalRows:
        if number not in self.rows:
            raise UnknownProposal(number)
        return replace(self.rows[number], rulings=tuple(r for r in self.given if r.number == number))

    def load_decided_at(self, number: int) -> datetime | None:
        return self.decided[number].as_of if number in self.decided else None

    def load(self, number: int) -> tuple[Transition, ...]:
        return tuple(t for _, t in self.transitions if t.number == number)

    def load_new_facts(self, number: int) -> list[NewFact]:
        return self.new.get(number, [])

    def load_rules_changed(self, _number: int) -> bool:
        return self.rules_changed

    def is_claimed(self, number: int) -> bool:
        return number in self.decided and self.decided[number].number_doubt is not None

    def append(self, transitions: Sequence[Transition], *, recorded_at: datetime, run_id: str = "") -> int:
        known = {t.id for _, t in self.transitions}
        new = [(recorded_at, t) for t in transitions if t.id not in known]
        self.transitions += new
        return len(new)

    def save_warning(self, number: int, warning: SilenceWarning) -> bool:
        known = self.rows[number].warnings
        if any(w.silent_at == warning.silent_at for w in known):
            return False
        self.rows[number] = replace(self.rows[number], warnings=(*known, warning))
        return True

    def save_decision(self, decision: Decision, _about: Proposal) -> None:
        number, known = decision.number, self.rows[decision.number]
        recorded = (at for at, t in self.transitions if t.number == number)
        self.rows[number] = replace(known, followed_since=known.followed_since or next(recorded, None))
        self.decided[number] = decision
        self.new.pop(decision.number, None)


@dataclass
class MemoryRulings:
    """`RulingStore`."""

    given: list[Ruling]

    def save(self, ruling: Ruling) -> int:
        self.given.append(replace(ruling, id=len(self.given) + 1))
        return len(self.given)

    def revoke(self, ruling_id: int, *, at: datetime, by: str, reason: str = "") -> None:
        held = self.given[ruling_id - 1]
        self.given[ruling_id - 1] = replace(held, revoked_at=at, revoked_by=by, revoked_reason=reason)

    def load_all(self) -> tuple[Ruling, ...]:
        return tuple(self.given)


def as_row(effect: Effect, status: str, at: datetime, **more: Any) -> OutboxRow:
    """An effect as the outbox holds it."""
    return OutboxRow(
        key=effect.key,
        number=effect.number,
        channel=effect.channel,
        payload=effect.payload,
        status=status,
        created_at=at,
        next_attempt_at=effect.due_at or at,
        **{"attempts": 0, **more},
    )


@dataclass
class MemoryOutbox:
    """`Outbox`, but for its delivery."""

    held: dict[str, OutboxRow] = field(default_factory=dict)

    def enqueue(self, effects: Iterable[Effect], *, now: datetime, sends: bool = True) -> int:
        new = [e for e in effects if e.key not in self.held]
        for effect in new:
            waits = "held" if effect.approval else "pending"
            self.held[effect.key] = as_row(effect, waits if sends else "skipped", now)
        return len(new)

    def load_status(self, keys: Iterable[str]) -> dict[str, str]:
        return {key: self.held[key].status for key in keys if key in self.held}

    def withdraw(self, keys: Iterable[str], *, why: str) -> int:
        unsent = [key for key in keys if key in self.held and self.held[key].status != "sent"]
        for key in unsent:
            self.held[key] = replace(self.held[key], status="withdrawn", last_error=why)
        return len(unsent)

    def load_cards(self, number: int) -> list[OutboxRow]:
        kept = (row for row in self.held.values() if row.number == number and CARD in row.payload)
        return [row for row in kept if row.status != "withdrawn"]

    def rewrite(self, key: str, payload: Mapping[str, Any], *, now: datetime, approval: bool) -> None:
        row = self.held[key]
        again: dict[str, Any] = {"status": "held" if approval else "pending", "next_attempt_at": now}
        again = again if row.status == "sent" or (approval and row.status == "pending") else {}
        self.held[key] = replace(row, payload=payload, **again)

    def find_waiting_retraction(self, number: int) -> OutboxRow | None:
        waiting = (row for row in self.held.values() if row.number == number and row.payload.get(RETRACTS))
        return next((row for row in waiting if row.status not in {"sent", "withdrawn"}), None)


class MemoryStore:
    """`Store`: the parts above behind transactions that are undone when their block raises."""

    def __init__(self, rules: Rules, *rows: ProposalRows) -> None:
        self.rules = rules
        given: list[Ruling] = []
        self.history = MemoryHistory({r.number: r for r in rows}, given)
        self.rulings = MemoryRulings(given)
        self.outbox = MemoryOutbox()
        self.batches, self.marks = MemoryBatches(), MemoryMarks()
        self.mail = MemoryMail(rules.attribute, self.batches)
        self.pages = MemoryPages(self.batches)

    @contextmanager
    def begin(self) -> Iterator[Any]:
        before = deepcopy(
            {name: part for name, part in vars(self).items() if name != "rules"}, {id(self.rules): self.rules}
        )
        try:
            yield self
        except BaseException:
            vars(self).update(before)
            raise

    read = begin

"""What every kind of effect does: plan what is due, say what that would be, make it, and find what was made.

`services.ports.effects` has where an effect stands, `services.deliver` sends what the kinds have planned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Protocol

from kipflow.domain.errors import KipflowError, Refused
from kipflow.domain.events import Stage
from kipflow.services.board import BoardStore, ProposalView
from kipflow.services.ports import WAITING, Effect, OutboxRow, Report
from kipflow.services.wording import say_payload

#: How long a move is followed up: a first run over years of mail must not rewrite a wiki.
FOLLOWED_UP = timedelta(days=14)
#: Running votes that are looked at; no community has more.
_VOTES = 200


class EffectKind(Protocol):
    """One kind of effect of a community. The outbox calls it by its channel."""

    def plan(self) -> Report:
        """Put what is due into the outbox, and withdraw what waits there and no longer holds."""
        ...

    def preview(self) -> list[str]:
        """What `plan` would add, in lines for a person. Nothing is stored."""
        ...

    def send(self, row: OutboxRow) -> str:
        """Make it; a reference to what was made. After `Refused` and `RateLimited` it certainly was not made, after any
        other error it may be."""
        ...

    def find(self, row: OutboxRow) -> str | None:
        """The reference of what was made of a row since its `tried_at`; None: certainly nothing.
        `DeliveryUnclear`: that can't be seen."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """For what a kind plans. `mode`: "off", "approve", "send"; without `sends` (dry-run) effects are only shown."""

    store: BoardStore
    prefix: str
    mode: str
    sends: bool
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PerProposalKind(ABC):
    """A kind that has one effect for a proposal at a time: it says what is due now, and that is planned here."""

    channel: ClassVar[str]
    scope: Scope

    @abstractmethod
    def find_effect(self, view: ProposalView) -> Effect | None:
        """What is due of a proposal now, or nothing."""

    def plan(self) -> Report:
        """Plan what is due; what waits and is due no more is withdrawn. In mode "off" nothing is due."""
        waiting = self._load_waiting()
        due = list(self._find_due(waiting))
        keys = {effect.key for effect in due}
        with self.scope.store.begin() as session:
            lapsed = [row.key for row in waiting if row.key not in keys]
            withdrawn = session.outbox.withdraw(lapsed, why="no longer due")
            planned = session.outbox.enqueue(due, now=self.scope.now, sends=self.scope.sends)
        return Report(counts={"planned": planned, "withdrawn": withdrawn})

    def preview(self) -> list[str]:
        waiting = self._load_waiting()
        known = {row.key for row in waiting}
        new = (effect for effect in self._find_due(waiting) if effect.key not in known)
        return [line for effect in new for line in render_preview(effect)]

    def refuse_lapsed(self, row: OutboxRow) -> None:
        """Raise `Refused` where an effect is not due any more as it was planned: more happened since."""
        due = (
            self.find_effect(self.scope.store.proposal(row.number, self.scope.now)) if row.number is not None else None
        )
        if due is None or due.key != row.key:
            raise Refused(service=row.channel, url=row.key, why="it is no longer due as it was planned")

    def _load_waiting(self) -> list[OutboxRow]:
        """What may still be withdrawn because it no longer holds: not what a person asked for."""
        with self.scope.store.read() as session:
            rows = session.outbox.load_channel(self.channel, WAITING)
        return [row for row in rows if row.tried_at is None and not row.is_undoing]

    def _find_due(self, waiting: Iterable[OutboxRow]) -> Iterator[Effect]:
        scope = self.scope
        if scope.mode == "off":
            return
        with scope.store.read() as session:
            moved = session.history.load_moved(scope.now - FOLLOWED_UP)
            unreleased = session.outbox.load_unreleased_retractions()
        voting = (row.number for row in scope.store.newest({Stage.VOTE: _VOTES}).get(Stage.VOTE, ()))
        waits = (row.number for row in waiting if row.number is not None)
        for number in sorted({*moved, *voting, *waits} - unreleased):
            view = scope.store.proposal(number, scope.now)
            effect = self.find_effect(view) if not view.claim else None
            if effect is None or any(row.key == effect.key and row.is_refused for row in view.effects):
                continue
            approval = effect.approval or scope.mode == "approve"
            yield replace(effect, channel=self.channel, approval=approval, renews=True)


def plan_all(kinds: Mapping[str, EffectKind]) -> Report:
    """Plan every kind. One that cannot be planned now (its service is away, say) is a warning and holds up no other."""
    warnings: list[str] = []
    for name, kind in kinds.items():
        try:
            kind.plan()
        except KipflowError as error:
            warnings.append(f"{name}: nothing new is planned: {error}")
    return Report(warnings=tuple(warnings))


def render_preview(effect: Effect | OutboxRow) -> list[str]:
    """What an effect would change or say, in lines."""
    return [str(line) for line in effect.payload.get("diff", ())] or [say_payload(effect.payload)]

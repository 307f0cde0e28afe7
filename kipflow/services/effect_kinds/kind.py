"""The interface of a kind of effect: plan what is due, preview it, send it, and find what was sent.

`services.ports.effects` has the states of an effect, `services.deliver` sends what the kinds have planned.
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
from kipflow.services.ports import Report
from kipflow.services.ports.effects import WAITING, Effect, OutboxRow
from kipflow.services.wording import say_payload

#: How long a move has effects: a first run over years of mail must not rewrite a wiki.
FOLLOWED_UP = timedelta(days=14)
#: The most running votes that are checked; no community has more.
_VOTES = 200


class EffectKind(Protocol):
    """One kind of effect of a community; its name is the channel of its outbox rows."""

    def plan(self) -> Report:
        """Put due effects into the outbox, and withdraw waiting ones that no longer hold."""

    def preview(self) -> list[str]:
        """What `plan` would add, in lines for a person, without storing anything."""

    def send(self, row: OutboxRow) -> str:
        """Send it. Returns a reference to the result. After `Refused` and `RateLimited` it certainly was not sent,
        after any other error it may be."""

    def find(self, row: OutboxRow) -> str | None:
        """The reference of what was sent for a row since its `tried_at`; None: certainly nothing. Raises
        `DeliveryUnclear` if that can't be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a kind plans with. `mode`: "off", "approve", "send"; without `sends` (dry-run) effects are only shown."""

    store: BoardStore
    prefix: str
    mode: str
    sends: bool
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PerProposalKind(ABC):
    """A kind with at most one due effect per proposal: subclasses find it, and this class plans it."""

    channel: ClassVar[str]
    scope: Scope

    @abstractmethod
    def find_effect(self, view: ProposalView) -> Effect | None:
        """The effect that is due for a proposal now, or None."""

    def plan(self) -> Report:
        """Plan due effects; withdraw waiting ones that are no longer due. In mode "off" nothing is due."""
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
        """Raise `Refused` if an effect is no longer due as it was planned, because more happened since."""
        store, now = self.scope.store, self.scope.now
        due = self.find_effect(store.proposal(row.number, now)) if row.number is not None else None
        if due is None or due.key != row.key:
            raise Refused(service=row.channel, url=row.key, why="it is no longer due as it was planned")

    def _load_waiting(self) -> list[OutboxRow]:
        """The effects that can be withdrawn: not tried yet, and no rollback that a person asked for."""
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
    """Plan every kind. One that fails gives a warning and does not stop the others."""
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

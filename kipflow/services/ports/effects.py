"""Effects: what leaves the building, and their states.

 planned ─┬─> skipped                                      dry-run: shown, never sent
          ├─> held ───┬─> pending ──> claimed ─┬─> sent     approved (or no approval needed), due, in hand, delivered
          └───────────┘      ^                 ├─> failed   given up: a person looks
                             └── put back <────┴─> unsure   it may have gone out: a person looks

A waiting effect (`WAITING`) is withdrawn if it no longer holds or a person refuses it; a refused one can be held again.
Each kind of effect is planned and delivered by one module of `services.effect_kinds`; a community's file sets each kind
to "off", "approve" or "send".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

#: States of an effect that can be withdrawn, unless it was tried already.
WAITING = frozenset({"pending", "held", "failed"})
#: States that only a person ends.
STOPPED = frozenset({"held", "failed", "unsure"})
#: States of an effect that people may have read, so that a correction must be announced.
OUT = frozenset({"sent", "unsure"})
#: States of an effect that will be sent, or may have been.
ON_ITS_WAY = frozenset({"pending", "claimed", "failed", "unsure"})
#: States of an effect that is never sent: it can be planned again.
GONE = frozenset({"skipped", "withdrawn"})

#: Kinds of effect that edit pages: a saved edit can be rolled back.
EDITS = frozenset({"index", "page"})

#: In a payload: the effect retracts an acceptance. Until a person releases it, the index keeps the row.
RETRACTS = "retracts_acceptance"
#: In a payload: the silence that the effect warns the author of (its `silent_at`). Sending it delivers the warning.
WARNS = "warns_of_silence"
#: In a payload: the index rows that somebody moved back, each as (number, its section, its right section).
#: Until a person releases it, the index keeps them.
MOVED_BACK = "moved_back"
#: In a payload: the rows of the index whose release or "(WIP)" an edit sets, each as (number, release, in progress).
MARKS = "marks"
#: In a payload: the version of the page that a rollback reverts.
TAKES_BACK = "takes_back"
#: In a payload: the data to rewrite the message of a vote, which is kept up to date in place.
CARD = "vote_card"
#: In a payload: the key of the vote's message in whose thread this one goes.
BELOW = "below"
#: In a payload: what the message asks, as the kind and subject of a question or as `DRIFT` and a side.
ASKS, DRIFT = "asks", "drift"
#: In a payload: the mail addresses of the person who gets it as a direct message.
DIRECT = "direct"
#: How the reason of a withdrawal begins if a person refused the effect.
REFUSED_BY = "refused by"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something to do outside. `key` makes it happen once: "932/passed/3f2c…/slack".

    `channel` is a kind of effect: "slack", "index", "page", "result", "handover", "ticket". `approval`: a person must
    release it first. `renews`: it replaces one with the same key that was only shown in dry-run, or withdrawn. `due_at`
    is when it may go out at the earliest; None: at once.
    """

    key: str
    number: int | None
    channel: str
    payload: Mapping[str, Any]
    approval: bool = False
    renews: bool = False
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectAct:
    """What a person did with an effect, and why. `act` is the name of the act."""

    act: str
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A stored effect. `status`: pending, claimed (somebody delivers it), held (awaits approval), sent, failed (gave
    up), unsure (it may have gone out, and a person must look), skipped (dry-run), withdrawn (refused, or
    corrected before it was sent).

    `released_by` released it, or confirmed that it went out. `tried_at` is since when it may have gone out, by the
    community's clock; None: it certainly has not. `words` is what people did with it, oldest first.
    """

    key: str
    number: int | None
    channel: str
    payload: Mapping[str, Any]
    status: str
    attempts: int
    created_at: datetime
    next_attempt_at: datetime
    sent_at: datetime | None = None
    external_ref: str | None = None
    last_error: str | None = None
    released_by: str | None = None
    tried_at: datetime | None = None
    words: tuple[EffectAct, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether a person refused it."""
        return self.status == "withdrawn" and (self.last_error or "").startswith(REFUSED_BY)

    @property
    def is_out(self) -> bool:
        """Whether it went out, or may have."""
        return self.tried_at is not None or self.status in {*OUT, "claimed"}

    @property
    def is_undoing(self) -> bool:
        """Whether it is a rollback of an edit."""
        return TAKES_BACK in self.payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A lease on an effect: who delivers it, and until when by the database's clock."""

    by: str
    until: datetime


class Outbox(Protocol):
    """Effects, from planned to delivered."""

    def enqueue(self, effects: Iterable[Effect], *, now: datetime, sends: bool = True) -> int:
        """Add the effects whose key is new. Returns how many. Without `sends` (dry-run) they are only shown."""

    def find_lease(self, channel: str) -> Lease | None:
        """The unexpired lease on an effect of this channel, if there is one."""

    def claim(
        self, channel: str, *, by: str, now: datetime, lease: timedelta, ended: str | None = None
    ) -> OutboxRow | None:
        """Claim the next due effect of a channel, in order; None if there is none for `by`.

        Nobody else gets one of that channel until it is sent or put back, or the lease expires. `ended` is a lease
        holder that is known to have ended. The row's `tried_at` is that before this claim.
        """

    def renew_lease(self, key: str, *, by: str, lease: timedelta) -> bool:
        """Extend a lease; False if somebody else has it by now."""

    def find_thread(self, number: int, channel: str) -> str | None:
        """The reference of the first message on a proposal that was sent to `channel`: the root of its thread."""

    def load_cards(self, number: int) -> list[OutboxRow]:
        """The messages of the proposal's votes (`CARD`) that nobody refused, oldest first."""

    def rewrite(self, key: str, payload: Mapping[str, Any], *, now: datetime, approval: bool) -> None:
        """Replace a message's payload. A sent message is pending again, as an update in place.

        With `approval` a person must release it, even if its earlier text was released.
        """

    def mark_sent(self, key: str, *, at: datetime, external_ref: str, payload: Mapping[str, Any] | None = None) -> None:
        """Note that an effect went out. One that warns of a silence is the delivery of that warning.

        `payload` is what was sent: if the message was rewritten meanwhile, it is pending again. None: its present
        payload.
        """

    def mark_failed(
        self, key: str, *, error: str, next_attempt_at: datetime | None, tried_at: datetime | None = None
    ) -> None:
        """Count an attempt. `next_attempt_at` None gives up; `tried_at`: it may have gone out since then."""

    def confirm_sent(self, key: str, *, by: str, at: datetime) -> bool:
        """Confirm that an unsure effect went out; False if it is not unsure."""

    def find(self, key: str) -> OutboxRow | None: ...
    def find_message(self, reference: str) -> OutboxRow | None:
        """The message that went out to the chat as `reference`."""

    def load_status(self, keys: Iterable[str]) -> dict[str, str]:
        """Key → status, of the effects that exist; "unsure" for every one that may have gone out."""

    def withdraw(self, keys: Iterable[str], *, why: str, updates: bool = False) -> int:
        """Withdraw unsent effects. Returns how many. What may have gone out stays.

        With `updates` also sent messages that wait to be updated: they stay as they are, for good.
        """

    def load_channel(self, channel: str, status: Collection[str] = ()) -> tuple[OutboxRow, ...]:
        """The effects of a channel, oldest first: those of these states, or all."""

    def load_unreleased_retractions(self) -> frozenset[int]:
        """The proposals with a retracted acceptance that no person has released yet."""

    def find_waiting_retraction(self, number: int) -> OutboxRow | None:
        """The unsent effect that retracts the proposal's acceptance."""

    def is_retraction_released(self, number: int) -> bool:
        """Whether a person released the retraction of the proposal's acceptance."""

    def hold(self, key: str, *, why: str, at: datetime) -> bool:
        """Make an effect wait for approval, even if it was approved or refused; False if it is neither about to be sent
        nor refused, or may have gone out."""

    def note_act(self, key: str, act: EffectAct) -> None:
        """Store what a person did with an effect."""

    def release(self, key: str, *, by: str, at: datetime) -> bool:
        """A person's approval: a held or failed effect becomes pending. So does an unsure one, which the person did not
        find."""

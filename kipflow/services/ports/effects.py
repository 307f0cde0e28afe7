"""Effects: what leaves the building, and where each one stands.

 planned ─┬─> skipped                                      dry-run: shown, never sent
          ├─> held ───┬─> pending ──> claimed ─┬─> sent     approved (or no approval needed), due, in hand, delivered
          └───────────┘      ^                 ├─> failed   given up: a person looks
                             └── put back <────┴─> unsure   it may have gone out: a person looks

What waits (`WAITING`) is withdrawn where it no longer holds or a person refuses it; what was refused can be held again.
Each kind of effect is planned and
delivered by one module of `services.kinds`; a community's file says of each kind "off", "approve" or "send".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

#: States of an effect that has not gone out, where it was not tried either: it can be withdrawn.
WAITING = frozenset({"pending", "held", "failed"})
#: States that only a person ends.
STOPPED = frozenset({"held", "failed", "unsure"})
#: States of one that people may have read: they must hear that it no longer holds.
OUT = frozenset({"sent", "unsure"})
#: States of one that nobody holds up, or that may have gone out.
ON_ITS_WAY = frozenset({"pending", "claimed", "failed", "unsure"})
#: States of one that never goes out: it can be planned anew.
GONE = frozenset({"skipped", "withdrawn"})

#: Kinds of effect that edit pages: what was saved can be taken back.
EDITS = frozenset({"index", "page"})

#: In a payload: the effect says that an acceptance does not hold. Until a person releases it, the index keeps the row.
RETRACTS = "retracts_acceptance"
#: In a payload: the silence that the effect warns the author of (its `silent_at`). Sent, it is the warning's delivery.
WARNS = "warns_of_silence"
#: In a payload: the rows of the index that somebody moved back, each as (number, where it stands, where it should).
#: Until a person releases it, the index keeps them.
MOVED_BACK = "moved_back"
#: In a payload: the rows of the index whose release or "(WIP)" an edit sets, each as (number, release, in progress).
MARKS = "marks"
#: In a payload: the version of the page that an edit takes back.
TAKES_BACK = "takes_back"
#: In a payload: the message of a vote, which is kept up to date in place: what it takes to write it again.
CARD = "vote_card"
#: In a payload: the key of the message of a vote in whose thread this one goes.
BELOW = "below"
#: In a payload: what the message asks, as the kind and subject of a question or as `DRIFT` and a side.
ASKS, DRIFT = "asks", "drift"
#: In a payload: the mail addresses of the one person who gets it, by direct message.
DIRECT = "direct"
#: How the reason begins for which an effect was withdrawn because a person refused it.
REFUSED_BY = "refused by"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something to do outside. `key` makes it happen once: "932/passed/3f2c…/slack".

    `channel` is a kind of effect: "slack", "index", "page", "result", "handover", "ticket". `approval` says that a
    person must release it first. `renews`: it takes the place of one that was only shown in dry-run, or withdrawn.
    `due_at` is when it may go out at the earliest; None: at once.
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

    `released_by` let it go, or said that it went out. `tried_at` is since when it may have gone out, by the community's
    clock; None: it certainly has not. `words` is what people did with it, oldest first.
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
        """Whether a person said that it is not to be sent."""
        return self.status == "withdrawn" and (self.last_error or "").startswith(REFUSED_BY)

    @property
    def is_out(self) -> bool:
        """Whether it went out, or may have."""
        return self.tried_at is not None or self.status in {*OUT, "claimed"}

    @property
    def is_undoing(self) -> bool:
        """Whether it takes back an edit that a person wants taken back."""
        return TAKES_BACK in self.payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """An effect in somebody's hands: who delivers it, and until when by the database's clock."""

    by: str
    until: datetime


class Outbox(Protocol):
    """Effects, from planned to delivered."""

    def enqueue(self, effects: Iterable[Effect], *, now: datetime, sends: bool = True) -> int:
        """Add the effects whose key is new; how many. Without `sends` (dry-run) they are only shown."""
        ...

    def find_lease(self, channel: str) -> Lease | None:
        """The claim on an effect of this channel whose lease runs."""
        ...

    def claim(
        self, channel: str, *, by: str, now: datetime, lease: timedelta, ended: str | None = None
    ) -> OutboxRow | None:
        """Take the next due effect of a channel into one's hands, in order; None where there is none for `by`.

        Nobody else gets one of that channel until it is sent or put back, or the lease has run out. `ended` is a
        claimant that is known to be gone. The row's `tried_at` is what it was before this claim.
        """
        ...

    def renew_lease(self, key: str, *, by: str, lease: timedelta) -> bool:
        """False where it is in somebody else's hands by now."""
        ...

    def find_thread(self, number: int, channel: str) -> str | None:
        """The reference of the first message on a proposal that was sent to `channel`: the root of its thread."""
        ...

    def load_cards(self, number: int) -> list[OutboxRow]:
        """The messages of the proposal's votes (`CARD`) that nobody refused, oldest first."""
        ...

    def rewrite(self, key: str, payload: Mapping[str, Any], *, now: datetime, approval: bool) -> None:
        """Give a message another payload. One that went out is pending again, as an update in its place.

        With `approval` a person must release that, and what was released in other words.
        """
        ...

    def mark_sent(self, key: str, *, at: datetime, external_ref: str, payload: Mapping[str, Any] | None = None) -> None:
        """Note that an effect went out. One that warns of a silence is the delivery of that warning.

        `payload` is what was sent of the message of a vote: rewritten meanwhile, it is pending again. None: what it
        holds.
        """
        ...

    def mark_failed(
        self, key: str, *, error: str, next_attempt_at: datetime | None, tried_at: datetime | None = None
    ) -> None:
        """Count an attempt. `next_attempt_at` None gives up; `tried_at`: it may have gone out since then."""
        ...

    def confirm_sent(self, key: str, *, by: str, at: datetime) -> bool:
        """A person's word that an effect whose delivery was not known did go out; False if it is none of these."""
        ...

    def find(self, key: str) -> OutboxRow | None: ...
    def find_message(self, reference: str) -> OutboxRow | None:
        """The message that went out to the chat as `reference`."""
        ...

    def load_status(self, keys: Iterable[str]) -> dict[str, str]:
        """Key → status, of the effects that exist; "unsure" for every one that may have gone out."""
        ...

    def withdraw(self, keys: Iterable[str], *, why: str, updates: bool = False) -> int:
        """Take back what has not been sent yet; how many. What may have gone out stays.

        With `updates` also what went out and waits to be updated: it stays as it is, for good.
        """
        ...

    def load_channel(self, channel: str, status: Collection[str] = ()) -> tuple[OutboxRow, ...]:
        """The effects of a channel, oldest first: those of these states, or all."""
        ...

    def load_unreleased_retractions(self) -> frozenset[int]:
        """The proposals whose acceptance was retracted while no person let that be known yet."""
        ...

    def find_waiting_retraction(self, number: int) -> OutboxRow | None:
        """The effect, not sent yet, that says that the proposal's acceptance does not hold."""
        ...

    def is_retraction_released(self, number: int) -> bool:
        """Whether a person let it be known that the proposal's acceptance does not hold."""
        ...

    def hold(self, key: str, *, why: str, at: datetime) -> bool:
        """Let an effect wait for approval, again if it had that or was refused; False if it is neither about to be sent
        nor refused, or may be out."""
        ...

    def note_act(self, key: str, act: EffectAct) -> None:
        """Keep what a person did with an effect."""
        ...

    def release(self, key: str, *, by: str, at: datetime) -> bool:
        """A person's approval: held becomes pending, as does what was given up. An unsure one is not there: the
        person looked."""
        ...

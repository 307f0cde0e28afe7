"""Where decisions are kept: their history, the effects that follow from them, and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Transition
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.proposals import Proposal
from kipflow.services.ports.records import Claim, Effect, IndexRow, MetricRow, NewFact, OutboxRow, ProposalRows


class HistoryStore(Protocol):
    """Which proposals are due, what is known of each, what was decided, and the history that only grows."""

    def load_pending(self, as_of: datetime) -> list[int]:
        """Proposals with facts newer than their last decision, or a deadline that `as_of` has reached."""
        ...

    def mark_all_pending(self) -> int: ...
    def load_numbers(self) -> list[int]: ...
    def is_claimed(self, number: int) -> bool:
        """Whether by the newest decision only mail names the proposal's number, or a person refused it."""
        ...

    def load_rows(self, number: int) -> ProposalRows:
        """All that is stored of a proposal, which is locked until the transaction ends unless that only reads.

        Raises `UnknownProposal`.
        """
        ...

    def load_fresh(self, numbers: Sequence[int]) -> list[ProposalRows]:
        """The rows of those of these that were never decided and are known from rows of an index only."""
        ...

    def save_first_decisions(
        self, decisions: Sequence[tuple[Decision, Proposal]], *, recorded_at: datetime, run_id: str = ""
    ) -> None:
        """Keep the first decisions on proposals that `load_fresh` gave, each with what it is and its history."""
        ...

    def load_decided_at(self, number: int) -> datetime | None:
        """The `as_of` of the newest stored decision on the proposal."""
        ...

    def load_index_rows(self) -> list[IndexRow]:
        """Every decided proposal whose number is more than claimed, in order of number."""
        ...

    def load(self, number: int) -> tuple[Transition, ...]: ...
    def load_first_recorded(self, number: int) -> datetime | None:
        """When the proposal's first entry was recorded: since then kipflow follows it."""
        ...

    def load_new_facts(self, number: int) -> list[NewFact]:
        """What came since the proposal's newest decision, oldest first."""
        ...

    def load_rules_changed(self, number: int) -> bool:
        """Whether policy or roster are others than at the proposal's newest decision."""
        ...

    def append(self, transitions: Sequence[Transition], *, recorded_at: datetime, run_id: str = "") -> int: ...
    def save_warning(self, number: int, warning: SilenceWarning) -> bool:
        """Keep a warning that was written; False if there is one of that silence already."""
        ...

    def save_decision(self, decision: Decision, about: Proposal) -> None:
        """Replace what the board shows of the proposal, and take it off the pending list.

        Load its rows, decide and save within one transaction: else newer facts could be taken off the list.
        """
        ...


class Outbox(Protocol):
    """Effects, from planned to delivered."""

    def enqueue(self, effects: Iterable[Effect], *, now: datetime, status: str = "pending") -> int: ...
    def find_claim(self, channel: str) -> Claim | None:
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

    def renew_claim(self, key: str, *, by: str, lease: timedelta) -> bool:
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
        """A person's word that an effect of which nobody could tell did go out; False if it is none of these."""
        ...

    def find(self, key: str) -> OutboxRow | None: ...
    def load_status(self, keys: Iterable[str]) -> dict[str, str]:
        """Key → status, of the effects that exist; "unsure" for every one that may have gone out."""
        ...

    def withdraw(self, keys: Iterable[str], *, why: str, updates: bool = False) -> int:
        """Take back what has not been sent yet; how many. What may have gone out stays.

        With `updates` also what went out and waits to be updated: it stays as it is, for good.
        """
        ...

    def load_channel(self, channel: str) -> tuple[OutboxRow, ...]:
        """All effects of a channel, oldest first."""
        ...

    def load_unreleased_retractions(self) -> frozenset[int]:
        """The proposals whose acceptance was retracted while no person let that be known yet."""
        ...

    def find_waiting_retraction(self, number: int) -> OutboxRow | None:
        """The effect, not sent yet, that tells that the proposal's acceptance does not hold."""
        ...

    def is_retraction_released(self, number: int) -> bool:
        """Whether a person let it be known that the proposal's acceptance does not hold."""
        ...

    def release(self, key: str, *, by: str, at: datetime) -> bool:
        """A person's approval: held becomes pending, as does what was given up. An unsure one is not there: the
        person looked."""
        ...


class MetricStore(Protocol):
    """Rows for export, and the figures that come back."""

    def iter_rows(self, table: str, columns: Sequence[str] | None = None) -> Iterator[list[dict[str, Any]]]:
        """Batches of plain rows of "transition", "vote", "ballot", "proposal" or "proposal_message".

        All of their columns, or those named.
        """
        ...

    def save(self, rows: Iterable[MetricRow], *, as_of: datetime, run_id: str) -> int: ...
    def load(self) -> list[MetricRow]:
        """The newest metrics."""
        ...

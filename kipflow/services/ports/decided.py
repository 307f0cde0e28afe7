"""The stores of decisions, history and metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Protocol

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Transition
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.proposals import Proposal
from kipflow.services.ports.records import IndexRow, MetricRow, NewFact, ProposalRows


class HistoryStore(Protocol):
    """Pending proposals, their rows, their decisions, and their append-only history."""

    def load_pending(self, as_of: datetime) -> list[int]:
        """Proposals with facts newer than their last decision, or a deadline that `as_of` has reached."""
        ...

    def load_numbers(self) -> list[int]: ...
    def is_claimed(self, number: int) -> bool:
        """Whether, by the newest decision, the proposal's number is only claimed in mail, or refused."""
        ...

    def load_rows(self, number: int) -> ProposalRows:
        """All stored rows of a proposal. Locks it until the transaction ends, unless that is read-only.

        Raises `UnknownProposal`.
        """
        ...

    def load_fresh(self, numbers: Sequence[int]) -> list[ProposalRows]:
        """The rows of those of these proposals that were never decided and are known only from index rows."""
        ...

    def save_first_decisions(
        self, decisions: Sequence[tuple[Decision, Proposal]], *, recorded_at: datetime, run_id: str = ""
    ) -> None:
        """Store the first decisions on proposals from `load_fresh`, with their history."""
        ...

    def load_decided_at(self, number: int) -> datetime | None:
        """The `as_of` of the newest stored decision on the proposal."""
        ...

    def load_index_rows(self) -> list[IndexRow]:
        """Every decided proposal whose number is not only claimed, in order of number."""
        ...

    def load(self, number: int) -> tuple[Transition, ...]: ...
    def load_moved(self, since: datetime) -> list[int]:
        """The proposals with a move at or after `since`, in order of number."""
        ...

    def load_new_facts(self, number: int) -> list[NewFact]:
        """The facts that came since the proposal's newest decision, oldest first."""
        ...

    def load_rules_changed(self, number: int) -> bool:
        """Whether policy or roster changed since the proposal's newest decision."""
        ...

    def append(self, transitions: Sequence[Transition], *, recorded_at: datetime, run_id: str = "") -> int: ...
    def save_warning(self, number: int, warning: SilenceWarning) -> bool:
        """Store a warning; False if that silence has one already."""
        ...

    def forget_decision(self, number: int) -> None:
        """Stop showing the proposal: only its history is left."""
        ...

    def save_decision(self, decision: Decision, about: Proposal) -> None:
        """Replace what the board shows of the proposal, and take it off the pending list.

        Load its rows, decide and save within one transaction: else newer facts could be missed.
        """
        ...


class HistoryRows(Protocol):
    """The rows for export."""

    def iter_rows(self, table: str, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
        """Batches of plain rows of "transition", "vote", "proposal" or "proposal_message", with the columns named."""
        ...


class MetricStore(HistoryRows, Protocol):
    """Rows for export, and the metrics computed from them."""

    def save(self, rows: Iterable[MetricRow], *, as_of: datetime, run_id: str) -> int: ...

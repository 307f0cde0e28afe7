"""Where decisions are kept: their history, and figures."""

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
    """Which proposals are due, what is known of each, what was decided, and the history that only grows."""

    def load_pending(self, as_of: datetime) -> list[int]:
        """Proposals with facts newer than their last decision, or a deadline that `as_of` has reached."""
        ...

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
    def load_moved(self, since: datetime) -> list[int]:
        """The proposals of which something became true since then, in order of number."""
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

    def forget_decision(self, number: int) -> None:
        """Show the proposal no more: nothing is left of it but its history."""
        ...

    def save_decision(self, decision: Decision, about: Proposal) -> None:
        """Replace what the board shows of the proposal, and take it off the pending list.

        Load its rows, decide and save within one transaction: else newer facts could be taken off the list.
        """
        ...


class HistoryRows(Protocol):
    """What is exported."""

    def iter_rows(self, table: str, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
        """Batches of plain rows of "transition", "vote", "proposal" or "proposal_message", with the columns named."""
        ...


class MetricStore(HistoryRows, Protocol):
    """Rows for export, and the figures that come back."""

    def save(self, rows: Iterable[MetricRow], *, as_of: datetime, run_id: str) -> int: ...

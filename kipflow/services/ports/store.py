"""The store for the use cases: small Protocols, implemented by the database and by fakes in memory.

All times are aware UTC. Nothing here reads a clock: `now` and `as_of` are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Transition
from kipflow.domain.facts import Message, ProposalFacts, SilenceWarning
from kipflow.domain.proposals import Proposal
from kipflow.domain.roster import Roster
from kipflow.services.ports.effects import Outbox
from kipflow.services.ports.facts import Batches, MailStore, Marks, PageStore, RulingStore
from kipflow.services.ports.records import IndexRow, MetricRow, NewFact, ProposalRows


class Session(Protocol):
    """One transaction of the store: all or nothing."""

    @property
    def mail(self) -> MailStore: ...
    @property
    def pages(self) -> PageStore: ...
    @property
    def rulings(self) -> RulingStore: ...
    @property
    def history(self) -> HistoryStore: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def metrics(self) -> MetricStore: ...
    @property
    def batches(self) -> Batches: ...
    @property
    def marks(self) -> Marks: ...
    @property
    def rules(self) -> Rules:
        """How what is stored is read."""


class Rules(Protocol):
    """How a community's mail and pages are read: by its policy, roster and names. `name` changes with any of them,
    which marks earlier decisions as out of date."""

    @property
    def name(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def roster(self) -> Roster: ...
    @property
    def aside(self) -> frozenset[str]:
        """Lists on which no vote can be called; a mail that is also on another list counts there."""

    @property
    def lists(self) -> frozenset[str]:
        """The community's lists, whose mail must be held; none: every list that has any."""

    @property
    def has_wiki(self) -> bool:
        """Whether numbers come from a wiki, also before that was read."""

    def with_roster(self, roster: Roster) -> Rules:
        """These rules with another roster."""

    def attribute(self, messages: Sequence[Message]) -> Mapping[str, tuple[int, ...]]:
        """Message id → the proposals that the mail belongs to."""

    def assemble(self, rows: ProposalRows) -> ProposalFacts:
        """The facts for a decision, the votes in its mails among them."""

    def render_permalink(self, message_id: str) -> str:
        """Where a mail can be read; empty for a mail that no archive has (it came without a Message-ID)."""


class Store(Protocol):
    def begin(self) -> AbstractContextManager[Session]:
        """Open a transaction; it commits when the block ends and rolls back when it raises."""

    def read(self) -> AbstractContextManager[Session]:
        """Open a read-only transaction: it sees one moment, and neither waits nor blocks others."""


# -- decisions, history and metrics -------------------------------------------------------------------
class HistoryStore(Protocol):
    """Pending proposals, their rows, their decisions, and their append-only history."""

    def load_pending(self, as_of: datetime) -> list[int]:
        """Proposals with facts newer than their last decision, or a deadline that `as_of` has reached."""

    def load_numbers(self) -> list[int]: ...
    def is_claimed(self, number: int) -> bool:
        """Whether, by the newest decision, the proposal's number is only claimed in mail, or refused."""

    def load_rows(self, number: int) -> ProposalRows:
        """All stored rows of a proposal. Locks it until the transaction ends, unless that is read-only.

        Raises `UnknownProposal`.
        """

    def load_decided_at(self, number: int) -> datetime | None:
        """The `as_of` of the newest stored decision on the proposal."""

    def load_index_rows(self) -> list[IndexRow]:
        """Every decided proposal whose number is not only claimed, in order of number."""

    def load(self, number: int) -> tuple[Transition, ...]: ...
    def load_moved(self, since: datetime) -> list[int]:
        """The proposals with a move at or after `since`, in order of number."""

    def load_new_facts(self, number: int) -> list[NewFact]:
        """The facts that came since the proposal's newest decision, oldest first."""

    def load_rules_changed(self, number: int) -> bool:
        """Whether policy or roster changed since the proposal's newest decision."""

    def append(self, transitions: Sequence[Transition], *, recorded_at: datetime, run_id: str = "") -> int: ...
    def save_warning(self, number: int, warning: SilenceWarning) -> bool:
        """Store a warning; False if that silence has one already."""

    def forget_decision(self, number: int) -> None:
        """Stop showing the proposal: only its history is left."""

    def save_decision(self, decision: Decision, about: Proposal) -> None:
        """Replace what the board shows of the proposal, and take it off the pending list.

        Load its rows, decide and save within one transaction: else newer facts could be missed.
        """


class HistoryRows(Protocol):
    """The rows for export."""

    def iter_rows(self, table: str, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
        """Batches of plain rows of "transition", "vote", "proposal" or "proposal_message", with the columns named."""


class MetricStore(HistoryRows, Protocol):
    """Rows for export, and the metrics computed from them."""

    def save(self, rows: Iterable[MetricRow], *, as_of: datetime, run_id: str) -> int: ...

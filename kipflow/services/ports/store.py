"""The store for the use cases: small Protocols, implemented by the database and by fakes in memory.

All times are aware UTC. Nothing here reads a clock: `now` and `as_of` are arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from kipflow.domain.facts import Message, ProposalFacts
from kipflow.domain.roster import Roster
from kipflow.services.ports.decided import HistoryStore, MetricStore
from kipflow.services.ports.effects import Outbox
from kipflow.services.ports.facts import Batches, MailStore, Marks, PageStore, RulingStore
from kipflow.services.ports.records import ProposalRows


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
        ...


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
        ...

    @property
    def lists(self) -> frozenset[str]:
        """The community's lists, whose mail must be held; none: every list that has any."""
        ...

    @property
    def has_wiki(self) -> bool:
        """Whether numbers come from a wiki, also before that was read."""
        ...

    def with_roster(self, roster: Roster) -> Rules:
        """These rules with another roster."""
        ...

    def attribute(self, messages: Sequence[Message]) -> Mapping[str, tuple[int, ...]]:
        """Message id → the proposals that the mail belongs to."""
        ...

    def assemble(self, rows: ProposalRows) -> ProposalFacts:
        """The facts for a decision, the votes in its mails among them."""
        ...

    def render_permalink(self, message_id: str) -> str:
        """Where a mail can be read; empty for a mail that no archive has (it came without a Message-ID)."""
        ...


class Store(Protocol):
    def begin(self) -> AbstractContextManager[Session]:
        """Open a transaction; it commits when the block ends and rolls back when it raises."""
        ...

    def read(self) -> AbstractContextManager[Session]:
        """Open a read-only transaction: it sees one moment, and neither waits nor blocks others."""
        ...

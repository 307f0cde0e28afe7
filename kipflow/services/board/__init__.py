"""What the board, the CLI and reports read: frozen views and the `Board` Protocol that gives them.

The store fulfils `Board` by SQL, with a number of queries that does not depend on the number of rows.
Everything shown is what the last decision on each proposal *recorded* (`decided_at`); nothing is judged
anew here, so the board never shows a stage that the history doesn't hold. `as_of` only bounds what is
shown: nothing recorded later than it. All times are aware UTC; texts are raw and must be escaped where
they are shown.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from datetime import datetime
from typing import Protocol

from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling, VoteMail
from kipflow.services.board.lists import (
    BoardRow,
    Metrics,
    MissingVoters,
    MonthCoverage,
    Overview,
    PageOf,
    RecentTransition,
    RowQuery,
    Sort,
    VoteClock,
    Waiting,
)
from kipflow.services.board.people import PeopleView, PersonView
from kipflow.services.board.proposal import (
    DriftRow,
    ProposalView,
    RecordedTransition,
    ReviewRow,
    SenderBallot,
    SenderRow,
    ThreadCount,
    UnreadableRow,
    VoterRow,
)
from kipflow.services.ports import Batch, OutboxRow, Store


class Board(Protocol):
    """The read side. Every method is one short read-only transaction and safe from any thread."""

    def version(self) -> Hashable:
        """Changes whenever anything that is read here changes."""

    def overview(self, as_of: datetime) -> Overview:
        """Counts, coverage, outbox, the newest metrics, and the 12 newest transitions of those recorded by `as_of`."""

    def rows(self, query: RowQuery) -> PageOf[BoardRow]:
        """The proposals that `query` asks for, in a fixed number of queries whatever the limit."""

    def newest(self, limits: Mapping[Stage, int]) -> Mapping[Stage, tuple[BoardRow, ...]]:
        """At most so many proposals of each of these stages, latest activity first."""

    def proposal(self, number: int, as_of: datetime) -> ProposalView:
        """One proposal. Raises `UnknownProposal`, also if it was never decided."""

    def absent(self, as_of: datetime, numbers: Collection[int]) -> Mapping[int, MissingVoters]:
        """Number of each of these proposals in a vote → who still has to vote, of the people with a binding ballot in
        the last half year."""

    def voters(self) -> tuple[VoterRow, ...]:
        """Everybody who cast a ballot, once for each proposal and address."""

    def vote_mails(self, number: int, as_of: datetime) -> tuple[VoteMail, ...]:
        """The newest 500 mails on votes on a proposal, oldest first."""

    def page_body(self, page_id: str, version: int) -> str | None:
        """The storage format of one version of a page; None if it is not held."""

    def review(self, limit: int | None = None) -> tuple[ReviewRow, ...]:
        """Every open question, those that an outcome depends on first, then by number; at most `limit` of them."""

    def senders(self) -> tuple[SenderRow, ...]:
        """Every sender in question, once for each person whom it may be, the oldest question first."""

    def identities(self) -> tuple[Ruling, ...]:
        """The rulings on who is who that are in force, newest first."""

    def drift(self) -> tuple[DriftRow, ...]:
        """Every disagreement, highest number first."""

    def unreadable(self, *, offset: int = 0, limit: int = 50) -> PageOf[UnreadableRow]: ...

    def people(self, as_of: datetime) -> PeopleView:
        """Everybody of the roster, who voted most within a year first."""

    def find_person(self, person_id: str, as_of: datetime) -> PersonView | None:
        """The person of this id in the roster, if it has one."""

    def batches(self) -> tuple[Batch, ...]:
        """What ingests and imports brought, the oldest first."""

    def effects(self, *, status: str = "", offset: int = 0, limit: int | None = 50) -> PageOf[OutboxRow]:
        """Outbox rows of one status ("" means all), newest first; without a `limit` all of them."""

    def edits(self) -> tuple[OutboxRow, ...]:
        """Edits of the wiki's pages and index that wait to be sent or released."""


class BoardStore(Store, Board, Protocol):
    """A store that is also the board's read side, so that stored changes show at once."""

"""The store itself: opens transactions on a database that `migrate` has prepared."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store import batches, board, board_proposal, pages, people, published, rulings, senders, voters
from kipflow.adapters.store.board_rows import load_newest, load_rows
from kipflow.adapters.store.engine import open_engine, transaction
from kipflow.adapters.store.migrations import migrate_engine
from kipflow.adapters.store.session import SqlSession
from kipflow.adapters.store.versions import read_version
from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling
from kipflow.domain.votemails import VoteMail
from kipflow.services import board as views
from kipflow.services.people import PeopleView, PersonView
from kipflow.services.ports import Batch, OutboxRow, Rules


class SqlStore:
    """Implements `services.ports.Store`, `services.board.Board` and `services.people.People` on SQLite or PostgreSQL.

    Safe to share between threads. Nothing is connected before it is used.
    """

    def __init__(self, engine: sa.Engine, rules: Rules) -> None:
        self._engine = engine
        self.rules = rules

    @contextmanager
    def begin(self) -> Iterator[SqlSession]:
        """One transaction: kept when the block ends, undone when it raises. On SQLite it is the only writer.

        Raises:
            ServiceUnavailable: the database can't be reached or has no tables yet.
        """
        with transaction(self._engine) as connection:
            yield SqlSession(connection, self.rules)

    @contextmanager
    def read(self) -> Iterator[SqlSession]:
        """A transaction that only reads, all at one moment: it neither waits for a writer nor keeps one waiting."""
        with transaction(self._engine, reads=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield SqlSession(connection, self.rules, reads=True)

    # -- the board: each method is one transaction that only reads --------------------------------
    def version(self) -> Hashable:
        with transaction(self._engine, reads=True) as connection:
            return read_version(connection)

    def overview(self, as_of: datetime) -> views.Overview:
        with transaction(self._engine, reads=True) as connection:
            return board.load_overview(connection, self.rules, as_of)

    def rows(self, query: views.RowQuery) -> views.PageOf[views.BoardRow]:
        with transaction(self._engine, reads=True) as connection:
            return load_rows(connection, self.rules, query)

    def newest(self, limits: Mapping[Stage, int]) -> Mapping[Stage, tuple[views.BoardRow, ...]]:
        with transaction(self._engine, reads=True) as connection:
            return load_newest(connection, self.rules, limits)

    def proposal(self, number: int, as_of: datetime) -> views.ProposalView:
        with transaction(self._engine, reads=True) as connection:
            return board_proposal.load_proposal(connection, self.rules, number, as_of)

    def published(self, as_of: datetime) -> tuple[views.ProposalView, ...]:
        with transaction(self._engine, reads=True) as connection:
            return published.load_published(connection, self.rules, as_of)

    def absent(self, as_of: datetime, numbers: Collection[int]) -> Mapping[int, tuple[str, ...]]:
        with transaction(self._engine, reads=True) as connection:
            return voters.load_absent(connection, self.rules, as_of, numbers)

    def vote_mails(self, number: int, as_of: datetime) -> tuple[VoteMail, ...]:
        with transaction(self._engine, reads=True) as connection:
            return board_proposal.load_vote_mails(connection, self.rules, number, as_of)

    def page_body(self, page_id: str, version: int) -> str | None:
        with transaction(self._engine, reads=True) as connection:
            return pages.find_body(connection, page_id, version)

    def review(self, limit: int | None = None) -> tuple[views.ReviewRow, ...]:
        with transaction(self._engine, reads=True) as connection:
            return board.load_review(connection, self.rules, limit)

    def senders(self) -> tuple[views.SenderRow, ...]:
        with transaction(self._engine, reads=True) as connection:
            return senders.load_senders(connection, board.load_review(connection, self.rules), self.rules.roster)

    def identities(self) -> tuple[Ruling, ...]:
        with transaction(self._engine, reads=True) as connection:
            found = rulings.load_identities(connection)
        return tuple(r for r in reversed(found) if r.revoked_at is None)

    def drift(self) -> tuple[views.DriftRow, ...]:
        with transaction(self._engine, reads=True) as connection:
            return board.load_drift(connection, self.rules)

    def unreadable(self, *, offset: int = 0, limit: int = 50) -> views.PageOf[views.UnreadableRow]:
        with transaction(self._engine, reads=True) as connection:
            return board.load_unreadable(connection, offset=offset, limit=limit)

    def batches(self) -> tuple[Batch, ...]:
        with transaction(self._engine, reads=True) as connection:
            return batches.load_batches(connection)

    def effects(self, *, status: str = "", offset: int = 0, limit: int = 50) -> views.PageOf[OutboxRow]:
        with transaction(self._engine, reads=True) as connection:
            return board.load_effects(connection, status=status, offset=offset, limit=limit)

    def people(self, as_of: datetime) -> PeopleView:
        with transaction(self._engine, reads=True) as connection:
            return people.load_people(connection, self.rules, as_of)

    def find_person(self, person_id: str, as_of: datetime) -> PersonView | None:
        with transaction(self._engine, reads=True) as connection:
            return people.find_person(connection, self.rules, person_id, as_of)

    def with_rules(self, rules: Rules) -> SqlStore:
        """The same database read under other rules; it has an engine of its own, to be closed."""
        return SqlStore(open_engine(self._engine.url), rules)

    # -- upkeep ------------------------------------------------------------------------------------
    def migrate(self) -> None:
        """Bring this store's tables up to date."""
        migrate_engine(self._engine)

    def close(self) -> None:
        """Close every pooled connection."""
        self._engine.dispose()


def open_store(url: str | sa.URL, rules: Rules) -> SqlStore:
    """The store at `url`, of a community with these rules. Connects when it is first used.

    The URL has SQLAlchemy's form, "sqlite:///FILE" or "postgresql://…"; a `URL` keeps its password to itself.
    """
    return SqlStore(open_engine(url), rules)

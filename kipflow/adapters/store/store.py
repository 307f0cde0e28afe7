"""The store itself: opens transactions on a database that `migrate` has prepared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import sqlalchemy as sa

from kipflow.adapters.store import batches, board, board_proposal, pages, rulings, senders, voters
from kipflow.adapters.store.binding import method, ruled
from kipflow.adapters.store.board_rows import load_newest, load_rows
from kipflow.adapters.store.engine import open_engine, transaction
from kipflow.adapters.store.migrations import migrate
from kipflow.adapters.store.parts import SqlSession
from kipflow.adapters.store.people import find_person, load_people
from kipflow.adapters.store.statements import read_version
from kipflow.services.ports import Rules


class SqlStore:
    """Implements `services.ports.Store` and `services.board.Board` on SQLite or PostgreSQL.

    Safe to share between threads. Nothing is connected before it is used.
    """

    def __init__(self, engine: sa.Engine, rules: Rules) -> None:
        self._engine = engine
        self.rules = rules

    @contextmanager
    def begin(self) -> Iterator[SqlSession]:
        """One transaction, as `engine.transaction` opens it. On SQLite it is the only writer."""
        with transaction(self._engine) as connection:
            yield SqlSession(connection, self.rules)

    @contextmanager
    def read(self) -> Iterator[SqlSession]:
        with transaction(self._engine, reads=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield SqlSession(connection, self.rules, reads=True)

    # -- the board: each answer is one transaction that only reads ---------------------------------
    def connect(self) -> AbstractContextManager[sa.Connection]:
        return transaction(self._engine, reads=True)

    version = method(read_version)
    overview = ruled(board.load_overview)
    rows = ruled(load_rows)
    newest = ruled(load_newest)
    proposal = ruled(board_proposal.load_proposal)
    published = ruled(board_proposal.load_published)
    absent = ruled(voters.load_absent)
    voters = method(voters.load_voters)
    vote_mails = ruled(board_proposal.load_vote_mails)
    page_body = method(pages.find_body)
    review = ruled(board.load_review)
    senders = ruled(senders.load_senders)
    identities = method(rulings.load_standing_identities)
    drift = ruled(board.load_drift)
    unreadable = method(board.load_unreadable)
    batches = method(batches.load_batches)
    effects = method(board.load_effects)
    edits = method(board.load_edits)
    people = ruled(load_people)
    find_person = ruled(find_person)

    def with_rules(self, rules: Rules) -> SqlStore:
        """The same database read under other rules; it has an engine of its own, to be closed."""
        return SqlStore(open_engine(self._engine.url), rules)

    # -- upkeep ------------------------------------------------------------------------------------
    def migrate(self) -> None:
        migrate(self._engine)

    def close(self) -> None:
        """Close every pooled connection."""
        self._engine.dispose()


def open_store(url: str | sa.URL, rules: Rules) -> SqlStore:
    """The store at `url`, of a community with these rules. Connects when it is first used.

    The URL has SQLAlchemy's form, "sqlite:///FILE" or "postgresql://…"; a `URL` keeps its password to itself.
    """
    return SqlStore(open_engine(url), rules)

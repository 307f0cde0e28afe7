"""The store itself: transactions on a database that `migrate` has prepared, and the parts of each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa

from kipflow.adapters.store.batches import SqlBatches
from kipflow.adapters.store.board import OverviewQueries
from kipflow.adapters.store.board_proposal import ProposalQueries
from kipflow.adapters.store.board_rows import ListQueries
from kipflow.adapters.store.engine import open_engine, transaction
from kipflow.adapters.store.exports import SqlMetrics
from kipflow.adapters.store.history import SqlHistory
from kipflow.adapters.store.messages import SqlMail
from kipflow.adapters.store.migrations import migrate
from kipflow.adapters.store.outbox import SqlOutbox
from kipflow.adapters.store.pages import SqlPages
from kipflow.adapters.store.part import Part, read_version
from kipflow.adapters.store.people import PeopleQueries
from kipflow.adapters.store.rulings import SqlRulings
from kipflow.adapters.store.senders import SenderQueries
from kipflow.services import ports

P = ParamSpec("P")
R = TypeVar("R")
Queries = TypeVar("Queries", bound=Part)


def _answer(
    queries: type[Queries], query: Callable[Concatenate[Queries, P], R]
) -> Callable[Concatenate[SqlStore, P], R]:
    """A query as a method of the store, which runs it in a transaction that only reads."""

    @wraps(query)
    def answer(store: SqlStore, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with store.connect() as connection:
            return query(queries(connection, store.rules), *args, **kwargs)

    return answer


class SqlMarks(Part):
    """`services.ports.Marks`."""

    load, save = Part.load_mark, Part.save_mark


class SqlSession:
    """`services.ports.Session`. Made by `SqlStore.begin`, and with `reads` by `SqlStore.read`."""

    def __init__(self, connection: sa.Connection, rules: ports.Rules, *, reads: bool = False) -> None:
        self.connection, self.rules = connection, rules
        self.mail, pages = SqlMail(connection, rules), SqlPages(connection, rules)
        self.pages: ports.PageStore = pages
        self.rulings: ports.RulingStore = SqlRulings(connection, rules)
        self.history: ports.HistoryStore = SqlHistory(connection, rules, self.mail, pages, locks=not reads)
        self.outbox: ports.Outbox = SqlOutbox(connection, rules)
        self.metrics: ports.MetricStore = SqlMetrics(connection, rules)
        self.batches: ports.Batches = SqlBatches(connection, rules)
        self.marks: ports.Marks = SqlMarks(connection, rules)


class SqlStore:
    """Implements `services.ports.Store` and `services.board.Board` on SQLite or PostgreSQL.

    Safe to share between threads. It connects at first use.
    """

    def __init__(self, engine: sa.Engine, rules: ports.Rules) -> None:
        self._engine = engine
        self.rules = rules

    @contextmanager
    def begin(self) -> Iterator[SqlSession]:
        """One transaction (see `engine.transaction`). On SQLite it is the only writer."""
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

    def version(self) -> Hashable:
        with self.connect() as connection:
            return read_version(connection)

    overview = _answer(OverviewQueries, OverviewQueries.load_overview)
    review = _answer(OverviewQueries, OverviewQueries.load_review)
    drift = _answer(OverviewQueries, OverviewQueries.load_drift)
    unreadable = _answer(OverviewQueries, OverviewQueries.load_unreadable)
    effects = _answer(OverviewQueries, OverviewQueries.load_effects)
    edits = _answer(OverviewQueries, OverviewQueries.load_edits)
    rows = _answer(ListQueries, ListQueries.load_rows)
    newest = _answer(ListQueries, ListQueries.load_newest)
    proposal = _answer(ProposalQueries, ProposalQueries.load_proposal)
    published = _answer(ProposalQueries, ProposalQueries.load_published)
    vote_mails = _answer(ProposalQueries, ProposalQueries.load_vote_mails)
    people = _answer(PeopleQueries, PeopleQueries.load_people)
    find_person = _answer(PeopleQueries, PeopleQueries.find_person)
    absent = _answer(PeopleQueries, PeopleQueries.load_absent)
    voters = _answer(PeopleQueries, PeopleQueries.load_voters)
    senders = _answer(SenderQueries, SenderQueries.load_senders)
    identities = _answer(SqlRulings, SqlRulings.load_standing_identities)
    batches = _answer(SqlBatches, SqlBatches.load_all)
    page_body = _answer(SqlPages, SqlPages.find_body)

    def with_rules(self, rules: ports.Rules) -> SqlStore:
        """The same database under other rules. It has its own engine, which must be closed."""
        return SqlStore(open_engine(self._engine.url), rules)

    # -- upkeep ------------------------------------------------------------------------------------
    def migrate(self) -> None:
        migrate(self._engine)

    def close(self) -> None:
        """Close every pooled connection."""
        self._engine.dispose()


def open_store(url: str | sa.URL, rules: ports.Rules) -> SqlStore:
    """The store at `url` for a community with these rules. It connects at first use.

    The URL has SQLAlchemy's form, "sqlite:///FILE" or "postgresql://…"; a `URL` hides its password when printed.
    """
    return SqlStore(open_engine(url), rules)

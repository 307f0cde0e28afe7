"""A part of a session: a class whose methods are the queries of one port (`services.ports`). What all parts share."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, date, datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.tables.decisions import mark, pending, proposal
from kipflow.domain.records import from_plain, to_plain
from kipflow.services.ports import Rules

T = TypeVar("T")
Other = TypeVar("Other", bound="Part")
Row = dict[str, Any]
Selected = sa.Select[*tuple[Any, ...]]

#: Name of the mark with the number of stored mails.
MESSAGES_MARK = "count/messages"
#: Advisory lock for storing mail: attribution must see all mail stored before.
MAIL_LOCK = 0x6B69_7066
#: Advisory lock for rulings: whether a ruling is valid depends on the earlier ones.
RULING_LOCK = 0x6B69_7267


class Part:
    """Queries on an open connection, for a community with these rules, and bookkeeping."""

    def __init__(self, connection: sa.Connection, rules: Rules) -> None:
        self._connection, self.rules = connection, rules

    def part(self, kind: type[Other]) -> Other:
        """Another part of the same session."""
        return kind(self._connection, self.rules)

    # -- rows --------------------------------------------------------------------------------------------

    def insert_all(self, table: sa.Table, rows: Sequence[Row]) -> None:
        if rows:
            self._connection.execute(sa.insert(table), rows)

    def insert_new(self, table: sa.Table, rows: Sequence[Row]) -> None:
        """Insert the rows whose key does not exist yet."""
        if rows:
            self._connection.execute(_insert(self._connection, table).on_conflict_do_nothing(), rows)

    def count_new(self, table: sa.Table, rows: Iterable[Row]) -> int:
        """`insert_new` that returns how many rows were new. Slower, because PostgreSQL must return their keys."""
        key = next(iter(table.primary_key.columns))
        statement = _insert(self._connection, table).on_conflict_do_nothing().returning(key)
        return sum(len(self._connection.execute(statement, chunk).all()) for chunk in chunks(rows))

    def upsert(self, table: sa.Table, rows: Sequence[Row], *, update: Iterable[str] | None = None) -> None:
        """Insert the rows; if a key exists, set its `update` columns (None: all of them)."""
        if not rows:
            return
        statement, keys = _insert(self._connection, table), list(table.primary_key.columns)
        names = [column.name for column in table.c if column not in keys] if update is None else update
        columns: Mapping[str, Any] = {name: statement.excluded[name] for name in names}
        self._connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=columns), rows)

    def count_rows(self, table: sa.Table, *where: sa.ColumnElement[bool]) -> int:
        return int(self._connection.scalar(sa.select(sa.func.count()).select_from(table).where(*where)) or 0)

    def load_records(self, kind: type[T], statement: Selected) -> tuple[T, ...]:
        """The selected rows as records of this kind."""
        return tuple(from_row(kind, row) for row in self._connection.execute(statement))

    def find_record(self, kind: type[T], statement: Selected) -> T | None:
        """The first selected row as a record of this kind; None if there is none."""
        row = self._connection.execute(statement).first()
        return None if row is None else from_row(kind, row)

    def iter_matching(
        self, statement: Selected, column: sa.ColumnElement[Any], values: Iterable[Any]
    ) -> Iterator[sa.Row[*tuple[Any, ...]]]:
        """The selected rows whose `column` has one of `values`, however many there are."""
        for chunk in chunks(sorted(values)):
            yield from self._connection.execute(statement.where(column.in_(chunk)))

    # -- marks, and which proposals have new facts -------------------------------------------------------

    def load_mark(self, name: str) -> str | None:
        return self._connection.scalar(sa.select(mark.c.value).where(mark.c.name == name))

    def save_mark(self, name: str, value: str) -> None:
        self.upsert(mark, [{"name": name, "value": value}])

    def count_mails(self, more: int) -> None:
        """Add to the number of stored mails."""
        self.save_mark(MESSAGES_MARK, str(int(self.load_mark(MESSAGES_MARK) or 0) + more))

    def is_known(self, number: int) -> bool:
        """Whether the proposal has a row."""
        return self._connection.scalar(sa.select(proposal.c.number).where(proposal.c.number == number)) is not None

    def add_proposals(self, numbers: Iterable[int]) -> None:
        """Make sure that each number has a row, to which its facts can refer."""
        for chunk in chunks(sorted(set(numbers))):
            known = set(self._connection.scalars(sa.select(proposal.c.number).where(proposal.c.number.in_(chunk))))
            self.insert_new(proposal, [{"number": n} for n in chunk if n not in known])

    def mark_pending(self, numbers: Iterable[int], since: datetime | None) -> None:
        """Note that these proposals have facts newer than their decision.

        In order of number, so that two writers cannot deadlock.
        """
        token = secrets.token_hex(8)
        for chunk in chunks(sorted(set(numbers))):
            rows = [{"number": n, "since": since, "token": token} for n in chunk]
            self.upsert(pending, rows, update=["token"])


def _insert(connection: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that can say what happens if a key exists."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def read_clock(connection: sa.Connection) -> datetime:
    """The time by the database's own clock, which all its clients share."""
    if connection.dialect.name == "postgresql":
        moment: datetime = connection.execute(sa.text("SELECT clock_timestamp()")).scalar_one()
        return moment.astimezone(UTC)
    text = connection.exec_driver_sql("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')").scalar_one()
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def read_version(connection: sa.Connection) -> Hashable:
    """A value that changes whenever the data may have changed. On SQLite it also differs between connections.

    PostgreSQL's snapshot names the visible transactions. SQLite has counters for commits of others and for changes of
    this connection; each connection counts from another start.
    """
    if connection.dialect.name == "postgresql":
        return str(connection.scalar(sa.text("SELECT CAST(pg_current_snapshot() AS text)")))
    mark = connection.info.setdefault("kipflow_version", object())
    others = connection.exec_driver_sql("PRAGMA data_version").scalar()
    return mark, others, connection.exec_driver_sql("SELECT total_changes()").scalar()


def lock(connection: sa.Connection, number: int) -> None:
    """Take an advisory lock of PostgreSQL until the transaction ends. SQLite has only one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))


def as_row(record: Any, *, without: Collection[str] = (), **more: Any) -> Row:
    """The record's fields by name, in the form that columns accept, and `more` columns."""
    values = ((f.name, getattr(record, f.name)) for f in fields(record) if f.name not in without)
    return {**{name: value if isinstance(value, date) else to_plain(value) for name, value in values}, **more}


def from_row(kind: type[T], row: sa.Row[*tuple[Any, ...]], **given: Any) -> T:
    """A record of this kind from the row's columns; `given` are fields that are not taken from a column."""
    return from_plain(kind, row._asdict(), **given)

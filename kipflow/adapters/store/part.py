"""A part of a session: a class whose methods are the queries of one port (`services.ports`)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.statements import Row, Selected, from_row, insert
from kipflow.adapters.store.tables.decisions import mark, pending, proposal
from kipflow.services.ports import Rules

T = TypeVar("T")
Other = TypeVar("Other", bound="Part")

#: Name of the mark with the number of stored mails.
MESSAGES_MARK = "count/messages"


class Part:
    """Queries on an open connection, for a community with these rules, and the bookkeeping that all parts share."""

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
            self._connection.execute(insert(self._connection, table).on_conflict_do_nothing(), rows)

    def count_new(self, table: sa.Table, rows: Iterable[Row]) -> int:
        """`insert_new` that returns how many rows were new. Slower, because PostgreSQL must return their keys."""
        key = next(iter(table.primary_key.columns))
        statement = insert(self._connection, table).on_conflict_do_nothing().returning(key)
        return sum(len(self._connection.execute(statement, chunk).all()) for chunk in chunks(rows))

    def upsert(self, table: sa.Table, rows: Sequence[Row], *, update: Iterable[str] | None = None) -> None:
        """Insert the rows; if a key exists, set its `update` columns (None: all of them)."""
        if not rows:
            return
        statement, keys = insert(self._connection, table), list(table.primary_key.columns)
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

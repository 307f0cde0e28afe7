"""Statements whose form differs between databases, and rows as records."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import fields
from datetime import UTC, date, datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from kipflow.domain.records import from_plain, to_plain

T = TypeVar("T")
Row = dict[str, Any]
Selected = sa.Select[*tuple[Any, ...]]

#: Advisory lock for storing mail: attribution must see all mail stored before.
MAIL_LOCK = 0x6B69_7066
#: Advisory lock for rulings: whether a ruling is valid depends on the earlier ones.
RULING_LOCK = 0x6B69_7267


def insert(connection: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
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

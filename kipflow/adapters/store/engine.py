"""Engines: one way to open SQLite and PostgreSQL so that several processes may write at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import StaticPool

from kipflow.adapters.store.columns import dump_json
from kipflow.domain.errors import ServiceUnavailable

#: How long a writer waits for another one, in seconds. A batch of mail is stored in well under one.
BUSY_TIMEOUT = 60
#: PostgreSQL's code for a table that is not there.
UNDEFINED_TABLE = "42P01"
#: Execution option of a connection that only reads.
READS = "kipflow_reads"


def make_database_url(url: str | sa.URL) -> sa.URL:
    """The URL with the driver that kipflow uses. Takes the `postgres://` of other tools too."""
    parsed = sa.make_url(url)
    if parsed.drivername in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def open_engine(url: str | sa.URL) -> sa.Engine:
    """An engine that has not connected yet. Its representation hides the password."""
    target = make_database_url(url)
    # parameters hold people's mail: they stay out of error texts and thus out of logs
    options: dict[str, Any] = {"json_serializer": dump_json, "hide_parameters": True}
    if target.get_backend_name() != "sqlite":
        return sa.create_engine(target, pool_pre_ping=True, **options)
    if target.database in {None, "", ":memory:"}:
        # one connection for all: a second one would see an empty database
        options["poolclass"] = StaticPool
        options["connect_args"] = {"check_same_thread": False, "timeout": BUSY_TIMEOUT}
    else:
        options["connect_args"] = {"timeout": BUSY_TIMEOUT}
    engine = sa.create_engine(target, **options)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # transactions are begun by `_begin_sqlite`, not by the driver, which would begin them too late
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # a power cut may undo the last commits, whole; what they held is then fetched and decided again
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    # A transaction that starts by reading and writes later fails at once with "database is locked" when
    # another process has written in between, whatever the timeout. Asking for the write lock first waits.
    reads = connection.get_execution_options().get(READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


@contextmanager
def transaction(engine: sa.Engine, *, reads: bool = False) -> Iterator[sa.Connection]:
    """One transaction: committed when the block ends, rolled back when it raises.

    Raises:
        ServiceUnavailable: the database can't be reached, has no tables yet, or stayed locked.
    """
    try:
        with engine.connect() as connection:
            if reads:
                connection = connection.execution_options(**{READS: True})
            with connection.begin():
                yield connection
    except (sa.exc.OperationalError, sa.exc.ProgrammingError) as error:
        why = str(error.orig).strip().splitlines()[0]
        no_tables = "no such table" in why or getattr(error.orig, "sqlstate", None) == UNDEFINED_TABLE
        if isinstance(error, sa.exc.ProgrammingError) and not no_tables:
            raise  # a fault of ours, not of the database
        address = engine.url.render_as_string(hide_password=True)
        hint = " (its tables are not there yet: apply the migrations)" if no_tables else ""
        raise ServiceUnavailable(service="database", url=address, why=why + hint) from error

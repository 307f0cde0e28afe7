"""Opens SQLite and PostgreSQL so that several processes may write at the same time."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import StaticPool

from kipflow.adapters.store.columns import dump_json
from kipflow.config.databaseurl import BadDatabaseUrl, UnsupportedDatabase, is_ambiguous
from kipflow.domain.errors import ServiceUnavailable

#: How long a writer waits for another one, in seconds. Storing a batch of mail takes well under one second.
BUSY_TIMEOUT = 60
_SUPPORTED = frozenset({"sqlite", "postgresql"})
#: PostgreSQL's code for a missing table.
UNDEFINED_TABLE = "42P01"
#: Execution option of a connection that only reads.
READS = "kipflow_reads"


def make_database_url(url: str | sa.URL) -> sa.URL:
    """The URL with the driver that kipflow uses. `postgres://` is accepted too, and / : ? # in a password.

    Raises:
        BadDatabaseUrl: it cannot be parsed, or a password in it is ambiguous.
        UnsupportedDatabase: it is neither SQLite nor PostgreSQL.
    """
    if isinstance(url, str) and is_ambiguous(url):
        raise BadDatabaseUrl
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):  # a port that is no number
        raise BadDatabaseUrl from None
    if parsed.drivername in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in _SUPPORTED:
        raise UnsupportedDatabase(parsed.get_backend_name())
    return parsed


def find_file(url: sa.URL) -> Path | None:
    """The file of a SQLite database; None for one in memory or for another database."""
    name = url.database
    if url.get_backend_name() != "sqlite" or name in {None, "", ":memory:"} or str(name).startswith("file:"):
        return None
    return Path(str(name)).absolute()


def open_engine(url: str | sa.URL) -> sa.Engine:
    """An engine that is not connected yet. Its representation hides the password."""
    target = make_database_url(url)
    # parameters contain people's mail, so error texts and logs must not show them
    options: dict[str, Any] = {"json_serializer": dump_json, "hide_parameters": True}
    if target.get_backend_name() != "sqlite":
        return sa.create_engine(target, pool_pre_ping=True, **options)
    path = find_file(target)
    if path is None:
        # a single connection: a second one would see an empty database
        options["poolclass"] = StaticPool
        options["connect_args"] = {"check_same_thread": False, "timeout": BUSY_TIMEOUT}
    else:
        # LIFO: successive readers use the same connection, and see one version of the store
        options |= {"creator": _opener(path), "pool_use_lifo": True}
    engine = sa.create_engine(target, **options)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    if path is not None:
        _File(path).watch(engine)
    return engine


def _opener(path: Path) -> Callable[[], sqlite3.Connection]:
    """Opens only an existing file. By default, SQLite would replace a deleted file by a new, empty one."""
    address = f"file:{quote(str(path))}?mode=rw"
    return lambda: sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT, check_same_thread=False)


class _File:
    """The file of an engine. If it is deleted or replaced while open, SQLite would continue in the old file, which
    nobody sees any more, without an error. So each transaction checks it."""

    _KEY = "kipflow_file"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first: tuple[int, int] | None = None

    def watch(self, engine: sa.Engine) -> None:
        event.listen(engine, "connect", self._note)
        event.listen(engine, "checkout", self._renew)
        for name in ("begin", "commit"):
            event.listen(engine, name, self._check)

    def _note(self, _connection: Any, record: Any) -> None:
        record.info[self._KEY] = self._identify()
        self._first = self._first or record.info[self._KEY]

    def _renew(self, _connection: Any, record: Any, _proxy: Any) -> None:
        if record.info.get(self._KEY) != self._identify():
            raise sa.exc.DisconnectionError  # the pool opens the present file

    def _check(self, connection: sa.Connection) -> None:
        now = self._identify()
        reads = connection.get_execution_options().get(READS, False)
        if now is None or now != connection.info.get(self._KEY) or (now != self._first and not reads):
            raise ServiceUnavailable(service="database", url=f"sqlite:///{self._path}", why=_describe_loss(self._path))

    def _identify(self) -> tuple[int, int] | None:
        try:
            seen = os.stat(self._path)
        except OSError:
            return None
        return seen.st_dev, seen.st_ino


def _describe_loss(path: Path) -> str:
    if path.exists():
        return "its file was replaced while this ran; start again"
    return "its file is gone: put it back (where it was never made, apply the migrations)"


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # `_begin_sqlite` begins transactions; the driver would begin them too late
    connection.isolation_level = None
    cursor = connection.cursor()
    use_wal(cursor)
    # a power failure may undo the last commits as a whole; their data are then fetched and decided again
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def use_wal(cursor: Any) -> None:
    """Switch the file to WAL for good: readers and the writer do not wait for each other."""
    # if two processes switch a new file at once, one fails immediately, whatever the timeout
    until = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: sa.Connection) -> None:
    # A transaction that reads first and writes later fails at once with "database is locked" if another process has
    # written in between, whatever the timeout. BEGIN IMMEDIATE waits for the write lock instead.
    reads = connection.get_execution_options().get(READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


@contextmanager
def transaction(engine: sa.Engine, *, reads: bool = False) -> Iterator[sa.Connection]:
    """One transaction: committed when the block ends, rolled back when it raises.

    Raises:
        ServiceUnavailable: the database is unreachable, has no tables yet, or stayed locked.
    """
    try:
        with engine.connect() as connection:
            if reads:
                connection = connection.execution_options(**{READS: True})
            with connection.begin():
                yield connection
    except (sa.exc.OperationalError, sa.exc.ProgrammingError) as error:
        path = find_file(engine.url)
        why = str(error.orig).strip().splitlines()[0] if path is None or path.exists() else _describe_loss(path)
        no_tables = "no such table" in why or getattr(error.orig, "sqlstate", None) == UNDEFINED_TABLE
        if isinstance(error, sa.exc.ProgrammingError) and not no_tables:
            raise  # our own defect, not the database's
        address = engine.url.render_as_string(hide_password=True)
        hint = " (its tables are not there yet: apply the migrations)" if no_tables else ""
        raise ServiceUnavailable(service="database", url=address, why=why + hint) from error

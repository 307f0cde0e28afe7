"""A migrated, empty database of each kind: SQLite, and PostgreSQL in a cluster of its own on a spare port."""

from __future__ import annotations

import atexit
import functools
import glob
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import migrations
from kipflow.adapters.store.engine import open_engine
from tests.ports import find_free_port

_counter = itertools.count()


def migrate(url: str | sa.URL) -> None:
    """Bring the database at `url` up to date, and let go of it."""
    engine = open_engine(url)
    try:
        migrations.migrate(engine)
    finally:
        engine.dispose()


def _find_programs() -> str | None:
    """The folder of PostgreSQL's server programs; Debian keeps them off the path."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return os.path.dirname(on_path)
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(found[-1]) if found else None


def _find_user() -> str | None:
    """Whom to run the server as: it refuses to run as root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[sa.URL]:
    """A running cluster with a migrated database to copy; gone afterwards."""
    programs = _find_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server programs are not installed")
    folder = Path(tempfile.mkdtemp(prefix="kipflow-pg-"))
    user = _find_user()
    if user is not None:
        shutil.chown(folder, user)

    def run(program: str, *arguments: str) -> None:
        command = [f"{programs}/{program}", "-D", str(folder / "data"), *arguments]
        done = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")

    port = find_free_port()
    try:
        run("initdb", "-A", "trust", "-U", "kipflow", "--no-sync", "-E", "UTF8", "--locale=C")
        # this role's password is asked for, everybody else is trusted
        rules = folder / "data" / "pg_hba.conf"
        rules.write_text(f"host all careful 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
        # what the server cleans up by itself would be a transaction that no test has begun
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c autovacuum=off"
        # a log file, because a server that keeps our pipe open would never let `run` return
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        url = sa.URL.create("postgresql+psycopg", "kipflow", "seCret-Word", "127.0.0.1", port, "postgres")
        run_sql(url, "CREATE DATABASE template_kipflow")
        migrate(url.set(database="template_kipflow"))
        try:
            yield url
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _make_template() -> Path:
    """A folder with a migrated SQLite file and what goes with it, to copy: to migrate takes a fifth of a second."""
    folder = Path(tempfile.mkdtemp(prefix="kipflow-sqlite-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    migrate(f"sqlite:///{folder / 'x.db'}")
    return folder


def copy_database(file: Path) -> None:
    """A migrated, empty database at `file`."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # as kipflow makes it
    for made in _make_template().iterdir():
        shutil.copy(made, file.with_name(made.name.replace("x.db", file.name)))


def run_sql(url: sa.URL, statement: str) -> None:
    """Run one statement outside of any transaction."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


def copy_template(cluster: sa.URL, name: str) -> None:
    """A migrated, empty database of this name; by its files where the server can (15 on): half the work of its log."""
    engine = sa.create_engine(cluster, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        by_files = (connection.dialect.server_version_info or ()) >= (15,)
        strategy = "STRATEGY file_copy" if by_files else ""
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE template_kipflow {strategy}")
    engine.dispose()


KINDS = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.URL]:
    """A migrated, empty database of each kind."""
    yield from make_database(request, tmp_path)


def make_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.URL]:
    """A migrated, empty database of the kind that a test's parameter names; gone afterwards."""
    if request.param == "sqlite":
        copy_database(tmp_path / "kipflow.db")
        yield sa.make_url(f"sqlite:///{tmp_path / 'kipflow.db'}")
        return
    cluster: sa.URL = request.getfixturevalue("postgres_cluster")
    name = f"test_{next(_counter)}"
    copy_template(cluster, name)
    yield cluster.set(database=name)
    run_sql(cluster, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

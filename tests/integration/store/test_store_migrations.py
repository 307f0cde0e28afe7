"""Migrations make the tables that the code knows, quietly, and as often as they are asked to."""

from __future__ import annotations

import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from kipflow.adapters.store import engine as engines
from kipflow.adapters.store import migrations
from kipflow.adapters.store.tables import metadata
from kipflow.domain.errors import KipflowError
from tests.databases import migrate


def find_schema(url: str | sa.URL) -> tuple[str | None, set[str]]:
    """The revision a database is at, and its tables and views."""
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            names = sa.inspect(connection)
            made = {*names.get_table_names(), *names.get_view_names()}
            return MigrationContext.configure(connection).get_current_revision(), made
    finally:
        engine.dispose()


def test_migrations_make_the_tables_that_the_code_knows(database_url: sa.URL) -> None:
    engine = sa.create_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_migrating_again_changes_nothing(database_url: sa.URL) -> None:
    migrate(database_url)
    once = find_schema(database_url)
    migrate(database_url)
    assert find_schema(database_url) == once
    assert once[0] is not None


def test_a_database_of_another_version_is_left_as_it_is(database_url: sa.URL) -> None:
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0020'"))
    engine.dispose()
    before = find_schema(database_url)
    with pytest.raises(KipflowError, match=r"at revision 0020, which this version does not know; .* CHANGELOG\.md"):
        migrate(database_url)
    assert find_schema(database_url) == before


def test_processes_that_migrate_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new' / 'kipflow.db'}"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(migrate, [url] * 4))
    revision, made = find_schema(url)
    assert revision is not None
    assert made >= set(metadata.tables)


def test_a_database_that_another_process_makes_right_now_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kipflow.db"
    looked_for = Path.exists

    def make_meanwhile(path: Path) -> bool:
        found = looked_for(path)
        if path.parent == tmp_path:
            file.touch()
            (tmp_path / ".kipflow.db.made").touch()
        return found

    monkeypatch.setattr(Path, "exists", make_meanwhile)
    migrate(f"sqlite:///{file}")
    monkeypatch.undo()
    assert find_schema(f"sqlite:///{file}")[0] is not None


def test_a_file_that_another_process_switches_to_wal_right_now_is_waited_for() -> None:
    class Busy:
        refusals = 2

        def execute(self, statement: str) -> None:
            if self.refusals:
                self.refusals -= 1
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error

    cursor = Busy()
    engines.use_wal(cursor)
    assert cursor.refusals == 0


@pytest.mark.postgres
def test_a_password_is_never_printed(
    postgres_cluster: sa.URL, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        migrate(postgres_cluster)  # into the server's own, empty database
    printed = "".join(capfd.readouterr()) + caplog.text
    assert "0001" in printed
    assert str(postgres_cluster.password) not in printed


def test_a_migration_that_fails_leaves_no_half_made_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'kipflow.db'}"
    monkeypatch.setattr(migrations, "VIEWS", ("no_such_view",))
    with pytest.raises(FileNotFoundError):
        migrate(url)
    engine = sa.create_engine(url)
    assert sa.inspect(engine).get_table_names() == []
    engine.dispose()


def test_every_view_file_is_made_into_a_view(database_url: sa.URL) -> None:
    files = {path.stem for path in migrations.VIEW_FILES.glob("*.sql")}
    engine = sa.create_engine(database_url)
    assert set(sa.inspect(engine).get_view_names()) == files
    engine.dispose()

"""Upgrades a database: Alembic's scripts under `sql/migrations`, then the views under `sql/views`.

Everything happens in one transaction. The views depend on the tables, so they are dropped before an upgrade and created
again after it; they contain no data. To change one, add an empty revision.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from kipflow.adapters.private import make_private_file
from kipflow.adapters.store.engine import find_file, transaction
from kipflow.adapters.store.part import lock
from kipflow.domain.errors import KipflowError, ServiceUnavailable

_SQL = Path(__file__).resolve().parents[3] / "sql"
VIEW_FILES = _SQL / "views"
#: The views, in the order of their dependencies.
VIEWS = ("proposals_by_stage", "open_votes", "ballots", "standing_transitions", "stage_durations")
#: Advisory lock: one migration at a time.
MIGRATION_LOCK = 0x6B69_7067

#: Expressions that differ between databases: pattern in a view's file → its form on SQLite and on PostgreSQL.
_DIALECT_WORDS = {
    r"HOURS_BETWEEN\((\w+), (\w+)\)": {
        "sqlite": r"((julianday(\2) - julianday(\1)) * 24.0)",
        "postgresql": r"(extract(epoch FROM (\2 - \1)) / 3600.0)",
    },
    r"TEXTS_OF\(([\w.]+)\)": {
        "sqlite": r"json_each(\1) AS texts",
        "postgresql": r"jsonb_array_elements_text(\1) AS texts(value)",
    },
}


def migrate(engine: sa.Engine) -> None:
    """Apply the missing migrations, if any. Creates the folder of a SQLite file.

    Raises:
        ServiceUnavailable: the database is unreachable.
        KipflowError: the database is at a revision that these scripts do not have.
    """
    file = find_file(engine.url)
    if file is not None:
        _make_once(file)
    with transaction(engine) as connection:
        lock(connection, MIGRATION_LOCK)
        found = set(MigrationContext.configure(connection).get_current_heads())
        if found == set(_load_scripts().get_heads()):
            return
        if strange := sorted(found - {script.revision for script in _load_scripts().walk_revisions()}):
            why = "another version made it: run that one, or see CHANGELOG.md for how to upgrade"
            raise KipflowError(f"the database is at revision {strange[0]}, which this version does not know; {why}")
        for name in reversed(VIEWS):
            connection.exec_driver_sql(f"DROP VIEW IF EXISTS {name}")
        # Alembic gets the connection, not the URL: it would keep the password and might print it
        config = _configure()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        for name in VIEWS:
            connection.exec_driver_sql(f"CREATE VIEW {name} AS\n{_read_view(name, connection.dialect.name)}")


def _configure() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SQL / "migrations").replace("%", "%%"))
    return config


@functools.cache
def _load_scripts() -> ScriptDirectory:
    """Alembic's scripts, loaded once per process because every command needs the newest revision."""
    return ScriptDirectory.from_config(_configure())


def _make_once(file: Path) -> None:
    """Create the file of a new database, and a marker next to it that shows later that a missing file was lost.

    Raises:
        ServiceUnavailable: it was created before, and is gone.
    """
    made = file.with_name(f".{file.name}.made")
    # in this order, because another process that creates both creates the file first
    if made.exists() and not file.exists():
        why = f"its file is gone; put it back, or delete {made} too to begin anew"
        raise ServiceUnavailable(service="database", url=f"sqlite:///{file}", why=why)
    make_private_file(file)
    make_private_file(made)


def _read_view(name: str, dialect: str) -> str:
    text = (VIEW_FILES / f"{name}.sql").read_text(encoding="utf-8")
    for word, forms in _DIALECT_WORDS.items():
        text = re.sub(word, forms[dialect], text)
    return text

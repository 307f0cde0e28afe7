"""Bring a database up to date: Alembic's scripts under `sql/migrations`, run in one transaction."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from kipflow.adapters.store.engine import open_engine, transaction

SCRIPTS = Path(__file__).resolve().parents[3] / "sql" / "migrations"
#: PostgreSQL advisory lock of whoever migrates.
MIGRATION_LOCK = 0x6B69_7067


def migrate(url: str | sa.URL) -> None:
    """Apply what is missing of the schema at `url`; harmless when nothing is. The folder of a SQLite file is made.

    Raises:
        ServiceUnavailable: the database can't be reached.
    """
    engine = open_engine(url)
    try:
        migrate_engine(engine)
    finally:
        engine.dispose()


def migrate_engine(engine: sa.Engine) -> None:
    """The same on an engine that is open already."""
    file = engine.url.database
    if engine.dialect.name == "sqlite" and file and file != ":memory:" and not file.startswith("file:"):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    with transaction(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        # the connection is handed over, never the URL: Alembic would keep and may print its password
        config = Config()
        config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

"""Prepare a deployment (docker-compose.yaml): both databases, and the users' passwords.

Creates Airflow's database if it is missing, migrates the application's database, and writes the passwords
file of Airflow's simple auth manager, which must be able to open it for writing. Reads
`KIPFLOW_DATABASE_URL`, `KIPFLOW_ADMIN_PASSWORD`, `KIPFLOW_VIEWER_PASSWORD` and Airflow's own variables. A
local run (`kipflow up`) does all this itself.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import sqlalchemy
from sqlalchemy.exc import SQLAlchemyError

from kipflow.adapters.private import write_private
from kipflow.adapters.store.engine import open_engine
from kipflow.adapters.store.migrations import migrate
from kipflow.config.settings import read_settings
from kipflow.domain.errors import KipflowError
from kipflow.launcher.layout import ADMIN, VIEWER


def main() -> int:
    """Returns the exit code."""
    try:
        create_database(sqlalchemy.make_url(os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"]))
        migrate(open_engine(read_settings().database_url))
        users = {user: os.environ[f"KIPFLOW_{user.upper()}_PASSWORD"] for user in (ADMIN, VIEWER)}
        write_private(Path(os.environ["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"]), json.dumps(users).encode())
    except KeyError as error:
        print(f"the variable {error} is not set", file=sys.stderr)
    except (SQLAlchemyError, KipflowError, OSError) as error:
        print(f"the deployment could not be prepared: {str(error).splitlines()[0]}", file=sys.stderr)
    else:
        return 0
    return 1


def create_database(url: sqlalchemy.URL) -> None:
    """Create the PostgreSQL database of `url` on its server, unless it exists."""
    if url.get_backend_name() != "postgresql":
        return
    engine = sqlalchemy.create_engine(url.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        named = sqlalchemy.text("SELECT 1 FROM pg_database WHERE datname = :name")
        if connection.execute(named, {"name": url.database}).first() is None:
            quoted = engine.dialect.identifier_preparer.quote(url.database or "")
            connection.execute(sqlalchemy.text(f"CREATE DATABASE {quoted}"))
    engine.dispose()


if __name__ == "__main__":
    sys.exit(main())

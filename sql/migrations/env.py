"""Alembic's entry: runs on the connection that `kipflow.adapters.store.migrations` hands over."""

from __future__ import annotations

from alembic import context

from kipflow.adapters.store.tables import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise SystemExit("run migrations through kipflow, not through the alembic program")

context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transactional_ddl=True,
)
# the caller's transaction holds it all: a schema is never half migrated
context.run_migrations()

"""Alembic's entry point: uses the connection that `kipflow.adapters.store.migrations` passes."""

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
# all within the caller's transaction: a schema is never half migrated
context.run_migrations()

"""Keep what each ingest or import stored, so that it can be undone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    document = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    op.create_table(
        "batch",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("sources", document, nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.Column("months", document, nullable=False),
        sa.Column("undone_at", moment),
        sa.Column("undone_by", sa.String(), nullable=False, server_default=""),
        sa.Column("reason", sa.String(), nullable=False, server_default=""),
        sa.Column("numbers", document, nullable=False),
    )
    op.create_table(
        "batch_item",
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("ref", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("batch_id", "ref", name=op.f("pk_batch_item")),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name=op.f("fk_batch_item_batch_id")),
    )
    op.create_index(op.f("ix_batch_item_ref"), "batch_item", ["ref"])

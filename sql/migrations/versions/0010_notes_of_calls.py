"""Keep what was noted on proposals in recorded calls."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "call_note",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("call", sa.String(), nullable=False),
        sa.Column("held_on", sa.Date()),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", "digest", name=op.f("pk_call_note")),
    )

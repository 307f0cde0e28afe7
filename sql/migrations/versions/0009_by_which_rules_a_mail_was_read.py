"""Keep by which version of the reading rules a mail was read, and what older ones read in it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    # 0: by rules older than the first version that was noted; such mails are read again
    op.add_column("message", sa.Column("reading_rules", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "earlier_reading",
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("reading_rules", sa.Integer(), nullable=False),
        sa.Column("replaced_by", sa.Integer(), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reading", DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["message_id"], ["message.message_id"], name="fk_earlier_reading_message_id"),
        sa.PrimaryKeyConstraint("message_id", "replaced_by", name="pk_earlier_reading"),
    )

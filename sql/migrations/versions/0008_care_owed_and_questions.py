"""Keep the lines that make care owed, who reviewed for it, since when a question is open, and unreleased versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("page_version", sa.Column("touches", DOCUMENT, nullable=False, server_default="[]"))
    op.add_column("vote", sa.Column("reviewers", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("vote", sa.Column("reviewed_by", DOCUMENT, nullable=False, server_default="[]"))
    op.add_column("review_item", sa.Column("asked_at", MOMENT))
    op.add_column("ticket", sa.Column("unreleased", DOCUMENT, nullable=False, server_default="[]"))

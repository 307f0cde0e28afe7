"""Keep by what each ballot's sender is known, and the ends of votes that nobody entitled announced."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0019"
branch_labels = None
depends_on = None

DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("ballot", sa.Column("known_by", sa.String(), nullable=False, server_default="unknown"))
    op.add_column("vote", sa.Column("claimed_ends", DOCUMENT, nullable=False, server_default="[]"))
    op.add_column("vote", sa.Column("contested", DOCUMENT))
    op.add_column("vote", sa.Column("crowded", sa.String(), nullable=False, server_default=""))

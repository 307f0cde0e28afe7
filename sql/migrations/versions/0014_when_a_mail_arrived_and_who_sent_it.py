"""Keep when a mail arrived beside when its sender says so, how its author is known, and what was not read of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("message", "sent_at", new_column_name="arrived_at")
    op.alter_column("message", "sent_at_from", new_column_name="arrived_from")
    op.add_column("message", sa.Column("dated_at", sa.DateTime(timezone=True)))
    op.add_column("message", sa.Column("address_source", sa.String(), nullable=False, server_default="from"))
    op.add_column("message", sa.Column("authentication", sa.String(), nullable=False, server_default="unknown"))
    op.add_column("message", sa.Column("unread", sa.String(), nullable=False, server_default=""))

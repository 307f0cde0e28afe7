"""Keep with ballots and votes what says when they arrived, and when their senders say that they were written."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ballot", sa.Column("dated_at", sa.DateTime(timezone=True)))
    op.add_column("ballot", sa.Column("arrived_from", sa.String(), nullable=False, server_default=""))
    op.add_column("ballot", sa.Column("is_ruled", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("vote", sa.Column("opened_from", sa.String(), nullable=False, server_default=""))
    op.add_column("vote", sa.Column("dated_at", sa.DateTime(timezone=True)))
    op.add_column("vote", sa.Column("declared_dated_at", sa.DateTime(timezone=True)))

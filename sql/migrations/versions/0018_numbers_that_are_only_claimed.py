"""Keep with a proposal what is doubtful about its number: one that only mail names, or far beyond all others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("proposal", sa.Column("claim", sa.String(), nullable=False, server_default=""))
    op.add_column("proposal", sa.Column("claim_why", sa.String(), nullable=False, server_default=""))
    # a claim that somebody known wrote in keeps its number from being given to another
    op.add_column("proposal", sa.Column("claim_known", sa.Boolean(), nullable=False, server_default=sa.false()))

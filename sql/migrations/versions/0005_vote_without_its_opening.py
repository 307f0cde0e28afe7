"""Note of a vote that its opening mail is not held."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vote", sa.Column("root_missing", sa.Boolean(), nullable=False, server_default=sa.false()))

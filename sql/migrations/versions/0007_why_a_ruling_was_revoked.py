"""Keep why a ruling was taken back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ruling", sa.Column("revoked_reason", sa.String(), nullable=True))

"""Drop the time of a vote's last mail, which nothing read."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("vote", "last_message_at")

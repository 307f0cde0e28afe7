"""Keep who delivers an effect, until when, and since when it may have gone out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.add_column("outbox", sa.Column("claimed_by", sa.String()))
    op.add_column("outbox", sa.Column("claimed_until", moment))
    op.add_column("outbox", sa.Column("tried_at", moment))

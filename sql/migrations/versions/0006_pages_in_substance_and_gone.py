"""Keep what each version of a page says in substance, its labels, and when a page could not be had.

Versions stored before this have neither: between them no change of substance is told.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    for name in ("substance", "labels"):
        op.add_column("page_version", sa.Column(name, DOCUMENT, nullable=False, server_default="[]"))
    op.create_table(
        "page_absence",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("page_id", "since", name=op.f("pk_page_absence")),
    )

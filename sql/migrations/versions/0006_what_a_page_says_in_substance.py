"""Keep what each version of a page says in substance, and its labels.

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

DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    for name in ("substance", "labels"):
        op.add_column("page_version", sa.Column(name, DOCUMENT, nullable=False, server_default="[]"))

"""Name columns and keys by the words of the field: a fix, an outcome that depends on review, a retraction."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

COLUMNS = (
    ("page_fault", "mend", "fix"),
    ("vote", "hangs", "depends_on_review"),
    ("review_item", "hangs", "affects_outcome"),
)
KEYS = (("proposal", "drift", "mend", "fix"), ("outbox", "payload", "acceptance_falls", "retracts_acceptance"))


def upgrade() -> None:
    for table, old, new in COLUMNS:
        op.alter_column(table, old, new_column_name=new)
    document = sa.Text().with_variant(postgresql.JSONB(), "postgresql")
    for table, column, old, new in KEYS:
        # inside a string of JSON a quotation mark is escaped: what matches is a key
        text = sa.cast(sa.column(column), sa.Text)
        renamed = sa.cast(sa.func.replace(text, f'"{old}":', f'"{new}":'), document)
        rows = sa.table(table, sa.column(column))
        op.execute(sa.update(rows).where(text.contains(f'"{old}":')).values({column: renamed}))

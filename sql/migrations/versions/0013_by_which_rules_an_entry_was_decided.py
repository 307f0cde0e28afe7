"""Keep by which version of the deciding rules an entry of the history came to be; for older ones it is not known."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transition", sa.Column("decision_rules", sa.Integer()))

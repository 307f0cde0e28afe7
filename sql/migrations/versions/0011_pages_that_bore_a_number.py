"""Find the pages that bore a number once."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(op.f("ix_page_version_number"), "page_version", ["number"])

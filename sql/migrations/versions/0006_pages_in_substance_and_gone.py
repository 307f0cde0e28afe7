"""Keep what each version of a page says in substance, its labels and faults, and when a page could not be had.

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
    _create_page_check()
    op.create_table(
        "page_absence",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("page_id", "since", name=op.f("pk_page_absence")),
    )


def _create_page_check() -> None:
    op.create_table(
        "page_check",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("around", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_page_check")),
    )
    op.create_table(
        "page_fault",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("mend", sa.String(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.PrimaryKeyConstraint("page_id", "code", "place", name=op.f("pk_page_fault")),
    )
    op.create_index(op.f("ix_page_fault_number"), "page_fault", ["number"])

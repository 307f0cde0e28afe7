"""The other facts: pages, index rows, tickets, notes of calls, rulings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    _create_page()
    _create_page_version()
    _create_page_check()
    _create_page_fault()
    _create_page_absence()
    _create_index_entry()
    _create_ticket()
    _create_call_note()
    _create_ruling()


def _create_page() -> None:
    op.create_table(
        "page",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("jira", sa.String()),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_page_number"),
        sa.PrimaryKeyConstraint("page_id", name="pk_page"),
    )
    op.create_index("ix_page_jira", "page", ["jira"])
    op.create_index("ix_page_number", "page", ["number"])


def _create_page_version() -> None:
    op.create_table(
        "page_version",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("saved_at", MOMENT, nullable=False),
        sa.Column("saved_by", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("status_text", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("jira", sa.String()),
        sa.Column("discussion_link", sa.String()),
        sa.Column("interfaces", DOCUMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("substance", DOCUMENT, server_default="[]", nullable=False),
        sa.Column("labels", DOCUMENT, server_default="[]", nullable=False),
        sa.Column("touches", DOCUMENT, server_default="[]", nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["page.page_id"], name="fk_page_version_page_id"),
        sa.PrimaryKeyConstraint("page_id", "version", name="pk_page_version"),
    )
    op.create_index("ix_page_version_number", "page_version", ["number"])


def _create_page_check() -> None:
    op.create_table(
        "page_check",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("around", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("page_id", name="pk_page_check"),
    )


def _create_page_fault() -> None:
    op.create_table(
        "page_fault",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("fix", sa.String(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.PrimaryKeyConstraint("page_id", "code", "place", name="pk_page_fault"),
    )
    op.create_index("ix_page_fault_number", "page_fault", ["number"])


def _create_page_absence() -> None:
    op.create_table(
        "page_absence",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("until", MOMENT),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("page_id", "since", name="pk_page_absence"),
    )


def _create_index_entry() -> None:
    op.create_table(
        "index_entry",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("section", sa.String(), nullable=False),
        sa.Column("release", sa.String()),
        sa.Column("in_progress", sa.Boolean(), nullable=False),
        sa.Column("author", sa.String()),
        sa.Column("created_at", MOMENT),
        sa.Column("changed_at", MOMENT),
        sa.Column("url", sa.String()),
        sa.Column("jira", sa.String()),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_index_entry_number"),
        sa.PrimaryKeyConstraint("number", "origin", "seen_at", "digest", name="pk_index_entry"),
    )
    op.create_index("ix_index_entry_jira", "index_entry", ["jira"])


def _create_ticket() -> None:
    op.create_table(
        "ticket",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("resolution", sa.String()),
        sa.Column("fix_versions", DOCUMENT, nullable=False),
        sa.Column("unreleased", DOCUMENT, server_default="[]", nullable=False),
        sa.PrimaryKeyConstraint("key", "seen_at", name="pk_ticket"),
    )


def _create_call_note() -> None:
    op.create_table(
        "call_note",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("call", sa.String(), nullable=False),
        sa.Column("held_on", sa.Date()),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("number", "digest", name="pk_call_note"),
    )


def _create_ruling() -> None:
    op.create_table(
        "ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("value", DOCUMENT, nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("revoked_at", MOMENT),
        sa.Column("revoked_by", sa.String()),
        sa.Column("revoked_reason", sa.String()),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_ruling_number"),
        sa.PrimaryKeyConstraint("id", name="pk_ruling"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ruling_number", "ruling", ["number"])
    op.create_index("ix_ruling_target", "ruling", ["target"])

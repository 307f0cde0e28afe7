"""Facts: mails, pages, index rows, tickets, rulings, and the proposals that they mention."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    _create_proposal()
    _create_message()
    _create_message_reference()
    _create_message_proposal()
    _create_unreadable()
    _create_archive_month()
    _create_page()
    _create_page_version()
    _create_index_entry()
    _create_ticket()
    _create_ruling()


def _create_proposal() -> None:
    op.create_table(
        "proposal",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("stage", sa.String()),
        sa.Column("since", MOMENT),
        sa.Column("decided_at", MOMENT),
        sa.Column("policy_version", sa.String()),
        sa.Column("rules", sa.String()),
        sa.Column("title", sa.String(), server_default="", nullable=False),
        sa.Column("author", sa.String()),
        sa.Column("created_at", MOMENT),
        sa.Column("page_id", sa.String()),
        sa.Column("page_url", sa.String()),
        sa.Column("jira", sa.String()),
        sa.Column("release", sa.String()),
        sa.Column("in_progress", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("next_deadline", MOMENT),
        sa.Column("warned_at", MOMENT),
        sa.Column("last_activity", MOMENT),
        sa.Column("missing", DOCUMENT),
        sa.Column("drift", DOCUMENT),
        sa.Column("drift_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("review_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("search", sa.String(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_proposal"),
    )
    op.create_index("ix_proposal_next_deadline", "proposal", ["next_deadline"])
    op.create_index("ix_proposal_rules", "proposal", ["rules"])
    op.create_index("ix_proposal_stage", "proposal", ["stage"])


def _create_message() -> None:
    op.create_table(
        "message",
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("list_id", sa.String(), nullable=False),
        sa.Column("month", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("sent_at", MOMENT),
        sa.Column("sent_at_from", sa.String(), nullable=False),
        sa.Column("author_name", sa.String(), nullable=False),
        sa.Column("author_address", sa.String(), nullable=False),
        sa.Column("raw_from", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("is_reply", sa.Boolean(), nullable=False),
        sa.Column("is_forward", sa.Boolean(), nullable=False),
        sa.Column("numbers", DOCUMENT, nullable=False),
        sa.Column("numbered", sa.Boolean(), nullable=False),
        sa.Column("round", sa.Integer()),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("topic_key", sa.String()),
        sa.Column("in_reply_to", sa.String()),
        sa.Column("refs", DOCUMENT, nullable=False),
        sa.Column("cancels", sa.String()),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("expressions", DOCUMENT, nullable=False),
        sa.Column("declared", DOCUMENT),
        sa.Column("own_text", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_message"),
    )
    op.create_index("ix_message_topic_key_numbered", "message", ["topic_key", "numbered"])


def _create_message_reference() -> None:
    op.create_table(
        "message_reference",
        sa.Column("ref", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["message_id"], ["message.message_id"], name="fk_message_reference_message_id"),
        sa.PrimaryKeyConstraint("ref", "message_id", name="pk_message_reference"),
        sqlite_with_rowid=False,
    )


def _create_message_proposal() -> None:
    op.create_table(
        "message_proposal",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["message_id"], ["message.message_id"], name="fk_message_proposal_message_id"),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_message_proposal_number"),
        sa.PrimaryKeyConstraint("number", "message_id", name="pk_message_proposal"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_message_proposal_message_id", "message_proposal", ["message_id"])


def _create_unreadable() -> None:
    op.create_table(
        "unreadable",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("list_id", sa.String(), nullable=False),
        sa.Column("month", sa.String(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_unreadable"),
    )
    op.create_index("ix_unreadable_list_id_month", "unreadable", ["list_id", "month"])
    op.create_index("ix_unreadable_seen_at", "unreadable", ["seen_at"])


def _create_archive_month() -> None:
    op.create_table(
        "archive_month",
        sa.Column("list_id", sa.String(), nullable=False),
        sa.Column("month", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("fetched_at", MOMENT, nullable=False),
        sa.Column("mails", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.String()),
        sa.Column("last_modified", sa.String()),
        sa.Column("digest", sa.String()),
        sa.Column("path", sa.String()),
        sa.Column("why", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("list_id", "month", name="pk_archive_month"),
    )


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
        sa.ForeignKeyConstraint(["page_id"], ["page.page_id"], name="fk_page_version_page_id"),
        sa.PrimaryKeyConstraint("page_id", "version", name="pk_page_version"),
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
        sa.PrimaryKeyConstraint("key", "seen_at", name="pk_ticket"),
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
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_ruling_number"),
        sa.PrimaryKeyConstraint("id", name="pk_ruling"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ruling_number", "ruling", ["number"])
    op.create_index("ix_ruling_target", "ruling", ["target"])

"""Proposals, and the facts of mails that mention them."""

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
    _create_earlier_reading()
    _create_message_reference()
    _create_message_proposal()
    _create_unreadable()
    _create_archive_month()
    _create_batch()
    _create_batch_item()


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
        sa.Column("followed_since", MOMENT),
        sa.Column("claim", sa.String(), server_default="", nullable=False),
        sa.Column("claim_why", sa.String(), server_default="", nullable=False),
        # a claim that somebody known wrote in keeps its number from being given to another
        sa.Column("claim_known", sa.Boolean(), server_default=sa.false(), nullable=False),
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
        sa.Column("arrived_at", MOMENT),
        sa.Column("arrived_from", sa.String(), nullable=False),
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
        sa.Column("reading_rules", sa.Integer(), server_default="0", nullable=False),
        sa.Column("dated_at", MOMENT),
        sa.Column("address_source", sa.String(), server_default="from", nullable=False),
        sa.Column("authentication", sa.String(), server_default="unknown", nullable=False),
        sa.Column("unread", sa.String(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_message"),
    )
    op.create_index("ix_message_topic_key_numbered", "message", ["topic_key", "numbered"])


def _create_earlier_reading() -> None:
    op.create_table(
        "earlier_reading",
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("reading_rules", sa.Integer(), nullable=False),
        sa.Column("replaced_by", sa.Integer(), nullable=False),
        sa.Column("replaced_at", MOMENT, nullable=False),
        sa.Column("reading", DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["message_id"], ["message.message_id"], name="fk_earlier_reading_message_id"),
        sa.PrimaryKeyConstraint("message_id", "replaced_by", name="pk_earlier_reading"),
    )


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


def _create_batch() -> None:
    op.create_table(
        "batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("sources", DOCUMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("months", DOCUMENT, nullable=False),
        sa.Column("undone_at", MOMENT),
        sa.Column("undone_by", sa.String(), server_default="", nullable=False),
        sa.Column("reason", sa.String(), server_default="", nullable=False),
        sa.Column("numbers", DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_batch"),
    )


def _create_batch_item() -> None:
    op.create_table(
        "batch_item",
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("ref", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name="fk_batch_item_batch_id"),
        sa.PrimaryKeyConstraint("batch_id", "ref", name="pk_batch_item"),
    )
    op.create_index("ix_batch_item_ref", "batch_item", ["ref"])

"""Decisions and effects: history, projection, pending list, outbox, marks, metrics."""

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
    _create_transition()
    _create_vote()
    _create_ballot()
    _create_review_item()
    _create_pending()
    _create_outbox()
    _create_mark()
    _create_metric()


def _create_transition() -> None:
    op.create_table(
        "transition",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source", sa.String()),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("policy_version", sa.String(), nullable=False),
        sa.Column("evidence", DOCUMENT, nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("retracts", DOCUMENT, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_transition_number"),
        sa.PrimaryKeyConstraint("id", name="pk_transition"),
        sa.UniqueConstraint("number", "position", name="uq_transition_number_position"),
    )
    op.create_index("ix_transition_recorded_at", "transition", ["recorded_at"])


def _create_vote() -> None:
    op.create_table(
        "vote",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("list_id", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("root_message_id", sa.String(), nullable=False),
        sa.Column("opened_by", sa.String(), nullable=False),
        sa.Column("opened_by_address", sa.String(), nullable=False),
        sa.Column("opened_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT),
        sa.Column("ended_how", sa.String()),
        sa.Column("ended_message_id", sa.String()),
        sa.Column("last_message_at", MOMENT),
        sa.Column("declared", DOCUMENT),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.Column("quorum", sa.Integer(), nullable=False),
        sa.Column("earliest_close", MOMENT, nullable=False),
        sa.Column("care", DOCUMENT, nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("hangs", sa.Boolean(), nullable=False),
        sa.Column("binding_for", sa.Integer(), nullable=False),
        sa.Column("binding_abstain", sa.Integer(), nullable=False),
        sa.Column("binding_against", sa.Integer(), nullable=False),
        sa.Column("other_for", sa.Integer(), nullable=False),
        sa.Column("other_abstain", sa.Integer(), nullable=False),
        sa.Column("other_against", sa.Integer(), nullable=False),
        sa.Column("differences", DOCUMENT, nullable=False),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_vote_number"),
        sa.PrimaryKeyConstraint("number", "position", name="pk_vote"),
    )


def _create_ballot() -> None:
    op.create_table(
        "ballot",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("vote_position", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("voter", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("choice", sa.String()),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("binding", sa.Boolean(), nullable=False),
        sa.Column("claimed_binding", sa.Boolean()),
        sa.Column("cast_at", MOMENT, nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["number", "vote_position"],
            ["vote.number", "vote.position"],
            name="fk_ballot_number_vote_position",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", "vote_position", "position", name="pk_ballot"),
    )


def _create_review_item() -> None:
    op.create_table(
        "review_item",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("outcomes", DOCUMENT, nullable=False),
        sa.Column("hangs", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_review_item_number"),
        sa.PrimaryKeyConstraint("number", "position", name="pk_review_item"),
    )


def _create_pending() -> None:
    op.create_table(
        "pending",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("since", MOMENT),
        sa.Column("token", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_pending_number"),
        sa.PrimaryKeyConstraint("number", name="pk_pending"),
    )


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("payload", DOCUMENT, nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("next_attempt_at", MOMENT, nullable=False),
        sa.Column("sent_at", MOMENT),
        sa.Column("external_ref", sa.String()),
        sa.Column("last_error", sa.String()),
        sa.Column("released_by", sa.String()),
        sa.Column("released_at", MOMENT),
        sa.PrimaryKeyConstraint("key", name="pk_outbox"),
    )
    op.create_index("ix_outbox_created_at", "outbox", ["created_at"])
    op.create_index("ix_outbox_number", "outbox", ["number"])
    op.create_index("ix_outbox_status_next_attempt_at", "outbox", ["status", "next_attempt_at"])


def _create_mark() -> None:
    op.create_table(
        "mark",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_mark"),
    )


def _create_metric() -> None:
    op.create_table(
        "metric",
        sa.Column("as_of", MOMENT, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("as_of", "name", "dimension", name="pk_metric"),
    )

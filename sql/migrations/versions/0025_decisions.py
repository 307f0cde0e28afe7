"""Decisions and effects: history, warnings, projection, pending list, outbox, marks, metrics."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0002"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    _create_transition()
    _create_warning()
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
        sa.Column("decision_rules", sa.Integer()),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_transition_number"),
        sa.PrimaryKeyConstraint("id", name="pk_transition"),
        sa.UniqueConstraint("number", "position", name="uq_transition_number_position"),
    )
    op.create_index("ix_transition_recorded_at", "transition", ["recorded_at"])
    _refuse_changes("transition", "refuse_history_change", "history is append-only: correct it by a new entry")


def _create_warning() -> None:
    op.create_table(
        "warning",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("silent_at", MOMENT, nullable=False),
        sa.Column("quiet_since", MOMENT, nullable=False),
        sa.Column("as_of", MOMENT, nullable=False),
        sa.Column("warned_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["number"], ["proposal.number"], name="fk_warning_number"),
        sa.PrimaryKeyConstraint("number", "silent_at", name="pk_warning"),
    )
    why = "a warning was given or it was not: the record is append-only"
    _refuse_changes("warning", "refuse_warning_change", why)
    op.create_table(
        "warning_delivery",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("silent_at", MOMENT, nullable=False),
        sa.Column("delivered_at", MOMENT, nullable=False),
        sa.Column("key", sa.String()),
        sa.ForeignKeyConstraint(
            ["number", "silent_at"], ["warning.number", "warning.silent_at"], name="fk_warning_delivery_number"
        ),
        sa.PrimaryKeyConstraint("number", "silent_at", name="pk_warning_delivery"),
    )
    why = "a warning was delivered or it was not: the record is append-only"
    _refuse_changes("warning_delivery", "refuse_delivery_change", why)


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
        sa.Column("declared", DOCUMENT),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.Column("quorum", sa.Integer(), nullable=False),
        sa.Column("earliest_close", MOMENT, nullable=False),
        sa.Column("care", DOCUMENT, nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("depends_on_review", sa.Boolean(), nullable=False),
        *(
            sa.Column(f"{side}_{choice}", sa.Integer(), nullable=False)
            for side in ("binding", "other")
            for choice in ("for", "abstain", "against")
        ),
        sa.Column("differences", DOCUMENT, nullable=False),
        sa.Column("root_missing", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("reviewers", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reviewed_by", DOCUMENT, server_default="[]", nullable=False),
        sa.Column("claimed_ends", DOCUMENT, server_default="[]", nullable=False),
        sa.Column("contested", DOCUMENT),
        sa.Column("crowded", sa.String(), server_default="", nullable=False),
        sa.Column("opened_from", sa.String(), server_default="", nullable=False),
        sa.Column("dated_at", MOMENT),
        sa.Column("declared_dated_at", MOMENT),
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
        sa.Column("known_by", sa.String(), server_default="unknown", nullable=False),
        sa.Column("dated_at", MOMENT),
        sa.Column("arrived_from", sa.String(), server_default="", nullable=False),
        sa.Column("is_ruled", sa.Boolean(), server_default=sa.false(), nullable=False),
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
        sa.Column("affects_outcome", sa.Boolean(), nullable=False),
        sa.Column("asked_at", MOMENT),
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
        sa.Column("claimed_by", sa.String()),
        sa.Column("claimed_until", MOMENT),
        sa.Column("tried_at", MOMENT),
        sa.Column("words", DOCUMENT, server_default="[]", nullable=False),
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


def _refuse_changes(table: str, function: str, why: str) -> None:
    """Let the database itself refuse to change or remove rows."""
    if op.get_bind().dialect.name == "postgresql":
        refusal = f"BEGIN RAISE EXCEPTION '{why}'; END"
        op.execute(f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ {refusal} $$")
        when = f"BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW"
        op.execute(f"CREATE TRIGGER {table}_is_append_only {when} EXECUTE FUNCTION {function}()")
        return
    for change in ("UPDATE", "DELETE"):
        refusal = f"BEGIN SELECT RAISE(ABORT, '{why}'); END"
        op.execute(f"CREATE TRIGGER {table}_refuses_{change.lower()} BEFORE {change} ON {table} {refusal}")

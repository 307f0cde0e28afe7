"""Keep when a warning of dormancy was delivered: the grace counts from there.

Dormancy that was decided while a warning counted from when it was written stays as it is. Of the others those count as
delivered whose message was sent; nobody was warned by what was held, given up or only shown.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0016"
branch_labels = None
depends_on = None

_WHY = "a warning was delivered or it was not: the record is append-only"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "warning_delivery",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("silent_at", moment, nullable=False),
        sa.Column("delivered_at", moment, nullable=False),
        sa.Column("key", sa.String()),
        sa.PrimaryKeyConstraint("number", "silent_at", name=op.f("pk_warning_delivery")),
        sa.ForeignKeyConstraint(
            ["number", "silent_at"],
            ["warning.number", "warning.silent_at"],
            name=op.f("fk_warning_delivery_number"),
        ),
    )
    _keep_decided()
    _keep_sent()
    _refuse_changes()


def _keep_decided() -> None:
    op.execute(
        """
        INSERT INTO warning_delivery (number, silent_at, delivered_at)
        SELECT w.number, w.silent_at, w.warned_at FROM warning w JOIN proposal p ON p.number = w.number
        WHERE w.due_at <= p.decided_at
        """
    )


def _keep_sent() -> None:
    """The key of a warning's message names the silence to the second."""
    second = "substr(w.silent_at, 1, 19)"
    if op.get_bind().dialect.name == "postgresql":
        second = "to_char(w.silent_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
    op.execute(
        f"""
        INSERT INTO warning_delivery (number, silent_at, delivered_at, key)
        SELECT w.number, w.silent_at, max(o.sent_at), max(o.key) FROM warning w JOIN outbox o ON o.number = w.number
        WHERE o.status = 'sent' AND o.key LIKE '%/warning/' || replace({second}, ' ', 'T') || '/slack'
        AND NOT EXISTS (SELECT 1 FROM warning_delivery d WHERE d.number = w.number AND d.silent_at = w.silent_at)
        GROUP BY w.number, w.silent_at
        """  # noqa: S608 - our own words
    )


def _refuse_changes() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"""
            CREATE FUNCTION refuse_delivery_change() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{_WHY}'; END $$
            """
        )
        op.execute(
            """
            CREATE TRIGGER warning_delivery_is_append_only BEFORE UPDATE OR DELETE ON warning_delivery
            FOR EACH ROW EXECUTE FUNCTION refuse_delivery_change()
            """
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"""
            CREATE TRIGGER warning_delivery_refuses_{change.lower()} BEFORE {change} ON warning_delivery
            BEGIN SELECT RAISE(ABORT, '{_WHY}'); END
            """
        )

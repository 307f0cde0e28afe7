"""Keep that authors were warned of dormancy; what was decided until now needed no such record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_WHY = "a warning was given or it was not: the record is append-only"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "warning",
        sa.Column("number", sa.Integer(), sa.ForeignKey("proposal.number"), nullable=False),
        sa.Column("silent_at", moment, nullable=False),
        sa.Column("quiet_since", moment, nullable=False),
        sa.Column("as_of", moment, nullable=False),
        sa.Column("warned_at", moment, nullable=False),
        sa.Column("due_at", moment),
        sa.Column("recorded_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("number", "silent_at", name=op.f("pk_warning")),
    )
    _refuse_changes()
    op.add_column("proposal", sa.Column("followed_since", moment))
    # dormancy until now was decided without a record of its warning: it stays, as what was before kipflow followed
    op.execute("UPDATE proposal SET followed_since = decided_at")


def _refuse_changes() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"""
            CREATE FUNCTION refuse_warning_change() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{_WHY}'; END $$
            """
        )
        op.execute(
            """
            CREATE TRIGGER warning_is_append_only BEFORE UPDATE OR DELETE ON warning
            FOR EACH ROW EXECUTE FUNCTION refuse_warning_change()
            """
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"""
            CREATE TRIGGER warning_refuses_{change.lower()} BEFORE {change} ON warning
            BEGIN SELECT RAISE(ABORT, '{_WHY}'); END
            """
        )

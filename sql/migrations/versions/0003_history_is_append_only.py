"""The database itself refuses to change or remove entries of the history."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_WHY = "history is append-only: correct it by a new entry"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"""
            CREATE FUNCTION refuse_history_change() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{_WHY}'; END $$
            """
        )
        op.execute(
            """
            CREATE TRIGGER transition_is_append_only BEFORE UPDATE OR DELETE ON transition
            FOR EACH ROW EXECUTE FUNCTION refuse_history_change()
            """
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"""
            CREATE TRIGGER transition_refuses_{change.lower()} BEFORE {change} ON transition
            BEGIN SELECT RAISE(ABORT, '{_WHY}'); END
            """
        )

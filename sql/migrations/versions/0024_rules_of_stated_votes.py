"""Rename the rules by which a vote in words was read: "stated" for "told"."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

RULES = ("as-own", "in-words", "without-number")


def upgrade() -> None:
    document = sa.Text().with_variant(postgresql.JSONB(), "postgresql")
    between = ": " if op.get_bind().dialect.name == "postgresql" else ":"
    ballot = sa.table("ballot", sa.column("rule"))
    message = sa.table("message", sa.column("expressions"))
    text = sa.cast(message.c.expressions, sa.Text)
    for rule in RULES:
        op.execute(sa.update(ballot).where(ballot.c.rule == f"told-{rule}").values(rule=f"stated-{rule}"))
        # inside a string of JSON a quotation mark is escaped: what matches is the rule itself
        old, new = (f'"rule"{between}"{word}-{rule}"' for word in ("told", "stated"))
        renamed = sa.cast(sa.func.replace(text, old, new), document)
        op.execute(sa.update(message).where(text.contains(old)).values(expressions=renamed))

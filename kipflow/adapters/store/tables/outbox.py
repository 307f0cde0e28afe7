"""The table of the effects of decisions: Slack messages, edits of pages, mails."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Index,
    PrimaryKeyConstraint,
    Table,
)

from kipflow.adapters.store.columns import Moment, Words, columns_of
from kipflow.adapters.store.tables.facts import metadata
from kipflow.services.ports import OutboxRow

outbox = Table(
    "outbox",
    metadata,
    *columns_of(OutboxRow, defaults={"words": "[]"}),
    Column("released_at", Moment),
    # who delivers it, and until when by this database's clock
    Column("claimed_by", Words),
    Column("claimed_until", Moment),
    PrimaryKeyConstraint("key"),
    Index(None, "status", "next_attempt_at"),
    Index(None, "number"),
    Index(None, "created_at"),
)

"""The tables. Facts are only ever added, and taken out only with the ingest that brought them; a proposal's projection
is replaced by each decision on it.

`sql/migrations` makes these tables; a test compares the two.
"""

from __future__ import annotations

from kipflow.adapters.store.tables.decisions import (
    ballot,
    mark,
    metric,
    outbox,
    pending,
    proposal,
    review_item,
    transition,
    vote,
    warning,
    warning_delivery,
)
from kipflow.adapters.store.tables.facts import (
    archive_month,
    batch,
    batch_item,
    call_note,
    earlier_reading,
    index_entry,
    message,
    message_proposal,
    message_reference,
    page,
    page_absence,
    page_check,
    page_fault,
    page_version,
    ruling,
    ticket,
    unreadable,
)
from kipflow.adapters.store.tables.metadata import metadata

__all__ = [
    "archive_month",
    "ballot",
    "batch",
    "batch_item",
    "call_note",
    "earlier_reading",
    "index_entry",
    "mark",
    "message",
    "message_proposal",
    "message_reference",
    "metadata",
    "metric",
    "outbox",
    "page",
    "page_absence",
    "page_check",
    "page_fault",
    "page_version",
    "pending",
    "proposal",
    "review_item",
    "ruling",
    "ticket",
    "transition",
    "unreadable",
    "vote",
    "warning",
    "warning_delivery",
]

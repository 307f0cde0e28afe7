"""Domain values as rows of `schemas.ITEM`, in Arrow batches. `kipflow.adapters.lake` reads them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema

from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.votes import Declared
from kipflow_spark import schemas

#: Mails that are Python objects at one time in each worker. Own words are bounded, so this bounds memory.
BATCH = 500

Row = dict[str, Any]


def item_batches(items: Iterable[Message | Unreadable]) -> Iterator[pa.RecordBatch]:
    """The items as Arrow batches of `schemas.ITEM`, in their order."""
    schema = to_arrow_schema(schemas.ITEM, timezone="UTC")
    iterator = iter(items)
    while chunk := list(islice(iterator, BATCH)):
        yield pa.RecordBatch.from_pylist([item_row(item) for item in chunk], schema=schema)


def item_row(item: Message | Unreadable) -> Row:
    """One row of `schemas.ITEM`; columns that it leaves out are null."""
    if isinstance(item, Unreadable):
        where = {"source": item.source, "list_id": item.list_id, "month": item.month}
        return {**where, "why": item.why, "lost": item.lost, "readable": False}
    reading = item.reading
    return {
        "message_id": item.message_id,
        "list_id": item.list_id,
        "month": item.month,
        "source": item.source,
        "arrived_at": item.arrived_at,
        "arrived_from": item.arrived_from,
        "author_name": item.author_name,
        "author_address": item.author_address,
        "raw_from": item.raw_from,
        "subject": item.subject,
        "reading": {
            "kind": reading.kind,
            "is_reply": reading.is_reply,
            "is_forward": reading.is_forward,
            "numbers": reading.numbers,
            "round": reading.round,
            "topic": reading.topic,
        },
        "in_reply_to": item.in_reply_to,
        "references": item.references,
        "own_text": item.own_text,
        "expressions": [
            {
                "choice": e.choice,
                "value": e.value,
                "claimed_binding": e.claimed_binding,
                "line": e.line,
                "rule": e.rule,
                "standing": e.standing,
                "why": e.why,
            }
            for e in item.expressions
        ],
        "declared": _declared_row(item.declared),
        "cancels": item.cancels,
        "digest": item.digest,
        "dated_at": item.dated_at,
        "address_source": item.address_source,
        "authentication": item.authentication,
        "unread": item.unread,
        "readable": True,
    }


def _declared_row(declared: Declared | None) -> Row | None:
    if declared is None:
        return None
    return {
        "by": declared.by,
        "message_id": declared.message_id,
        "announced_at": declared.announced_at,
        "outcome": declared.outcome,
        "binding": _pairs(declared.binding),
        "non_binding": _pairs(declared.non_binding),
        "total": _pairs(declared.total),
        "names": _pairs(declared.names),
        "line": declared.line,
        "contradictions": declared.contradictions,
        "unclear": declared.unclear,
        "corrects": declared.corrects,
    }


def _pairs(mapping: dict[str, Any] | None) -> list[tuple[str, Any]] | None:
    return None if mapping is None else list(mapping.items())

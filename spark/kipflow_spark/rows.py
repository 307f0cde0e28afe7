"""Domain values as rows of `schemas.ITEM`, in Arrow batches. `kipflow.adapters.lake` reads them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyarrow as pa

from kipflow import lakeschemas
from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.records import list_types, pick_fields

#: Mails that are Python objects at one time in each worker. Own words are bounded, so this bounds memory.
BATCH = 500

Row = dict[str, Any]


def item_batches(items: Iterable[Message | Unreadable]) -> Iterator[pa.RecordBatch]:
    """The items as Arrow batches of `schemas.ITEM`, in their order."""
    iterator = iter(items)
    while chunk := list(islice(iterator, BATCH)):
        yield pa.RecordBatch.from_pylist([item_row(item) for item in chunk], schema=lakeschemas.ITEM)


def item_row(item: Message | Unreadable) -> Row:
    """One row of `schemas.ITEM`; columns that it leaves out are null."""
    names = list_types(Message) if isinstance(item, Message) else lakeschemas.UNREADABLE
    return {**pick_fields(item, *names), "readable": isinstance(item, Message)}

"""Domain values as rows of `schemas.ITEM`, in Arrow batches. `kipflow.adapters.lake` reads them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

import pyarrow as pa

from kipflow import lakeschemas
from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.records import to_plain

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
    row: Row = to_plain(item, write_time=_keep_time)
    if isinstance(item, Message):
        return {**row, "readable": True}
    return {**{name: row[name] for name in lakeschemas.UNREADABLE}, "readable": False}


def _keep_time(moment: datetime) -> datetime:
    return moment

"""The shapes of the lake's tables, for Arrow; Spark's are derived from them. All times are UTC.

Mails have the fields of their records; the history has the columns that the metrics need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any, get_args, get_origin

import pyarrow as pa

from kipflow.domain.facts import Message
from kipflow.domain.records import list_types, split_optional
from kipflow.domain.votes import Declared

#: Fields that only later mails fill; they also make the type recursive, which a schema cannot be.
LEFT_OUT: Mapping[type, frozenset[str]] = {Declared: frozenset({"revised_at", "before"})}

_TYPES = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int32(),
    float: pa.float64(),
    datetime: pa.timestamp("us", tz="UTC"),
}


def _table(types: Mapping[str, Any] | None = None, **more: Any) -> pa.Schema:
    return pa.schema({name: _find_type(hint) for name, hint in {**(types or {}), **more}.items()})


def _find_type(hint: Any) -> pa.DataType:
    kind, _ = split_optional(hint)
    if get_origin(kind) is tuple:
        return pa.list_(pa.field("element", _find_type(get_args(kind)[0])))
    if get_origin(kind) is dict:
        return pa.map_(*(_find_type(part) for part in get_args(kind)))
    if isinstance(kind, type) and is_dataclass(kind):
        left_out = LEFT_OUT.get(kind, frozenset())
        return pa.struct({n: _find_type(h) for n, h in list_types(kind).items() if n not in left_out})
    return pa.string() if issubclass(kind, Enum) else _TYPES[kind]


#: A row of the mbox data source: a mail, or (`readable` false) where and why there is none.
ITEM = _table(list_types(Message), why=str, lost=bool, readable=bool)
#: The columns that say where and why.
UNREADABLE = ("source", "list_id", "month", "why", "lost")

TRANSITION = _table(
    id=str,
    number=int,
    position=int,
    source=str,
    target=str,
    at=datetime,
    rule=str,
    actor=str,
    repeat=int,
    retracts=tuple[str, ...],
)
VOTE = _table(
    key=str,
    number=int,
    round=int,
    root_message_id=str,
    opened_at=datetime,
    earliest_close=datetime,
    ended_at=datetime,
    outcome=str,
)
PROPOSAL_MESSAGE = _table(number=int, message_id=str, arrived_at=datetime, author_address=str, kind=str, is_reply=bool)
PROPOSAL = _table(number=int, title=str)

"""Column types that accept any text of a mail and behave alike on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from itertools import islice
from typing import Any, TypeVar, get_origin

from sqlalchemy import JSON, Boolean, Column, Date, DateTime, Dialect, Float, Integer, String, TypeDecorator
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from kipflow.domain.records import list_types, split_optional
from kipflow.domain.times import as_utc

T = TypeVar("T")

#: Values in one IN list or one batch of rows. It keeps below every server's limit of bound parameters.
CHUNK = 500


def chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """The items in lists of at most `CHUNK`."""
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def clean_text(text: str) -> str:
    """Replace what a database refuses: NUL (PostgreSQL) and lone surrogates (UTF-8)."""
    if text.isascii():
        return text.replace("\x00", "\ufffd") if "\x00" in text else text
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def clean_value(value: Any) -> Any:
    """`clean_text` for every text within a JSON value."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(k)): clean_value(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(v) for v in value]
    return value


def dump_json(value: Any) -> str:
    """JSON text that both databases accept."""
    if not value and isinstance(value, list | tuple):
        return "[]"  # most mails: no references, no ballots
    # jsonb refuses escapes of NUL and of lone surrogates
    text = _ENCODER.encode(value)
    if "\\u0000" in text or "\\ud" in text:
        return _ENCODER.encode(clean_value(value))
    return text


# created once: with separators, `json.dumps` creates an encoder for every call
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Moment(TypeDecorator[datetime]):
    """An aware time in UTC. SQLite stores it as text whose order is the order of time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else as_utc(value)


class Words(TypeDecorator[str]):
    """Text, cleaned of characters that a database refuses."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else clean_text(value)


#: JSON; None is SQL's NULL.
Document = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def columns_of(
    record: type, *, without: Collection[str] = (), defaults: Mapping[str, Any] | None = None
) -> list[Column[Any]]:
    """A column for each field of a record. `defaults` are server defaults for rows from before the column existed.

    Migrations decide the order of columns in the database: a mail's own words come late, so that SQLite reads overflow
    pages only if they are selected.
    """
    given = defaults or {}
    return [
        Column(name, _find_type(hint), nullable=split_optional(hint)[1], server_default=given.get(name))
        for name, hint in list_types(record).items()
        if name not in without
    ]


def _find_type(hint: Any) -> TypeEngine[Any] | type[TypeEngine[Any]]:
    kind, _ = split_optional(hint)
    if get_origin(kind) is not None or is_dataclass(kind):
        return Document
    return String if issubclass(kind, Enum) else _TYPES[kind]


_TYPES: Mapping[type, type[TypeEngine[Any]]] = {
    str: Words,
    bool: Boolean,
    int: Integer,
    float: Float,
    datetime: Moment,
    date: Date,
}

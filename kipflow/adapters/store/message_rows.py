"""Mails as rows, and back."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.attribution_context import make_topic_key
from kipflow.adapters.store.columns import clean_text
from kipflow.adapters.store.statements import Row
from kipflow.domain.facts import Message, SubjectReading, Unreadable
from kipflow.domain.records import from_plain, list_types, pick_fields, to_plain

#: Longest Message-ID kept as it is. A real one has under 100 characters, and two of them share an index entry.
MAX_ID = 250
#: The `round` of "v2" that a column can hold; larger ones are typing errors.
MAX_ROUND = 1_000


def clean_id(message_id: str) -> str:
    """A Message-ID as it is stored: bounded, because it is a key."""
    if len(message_id) <= MAX_ID:
        return clean_text(message_id)
    return f"<kipflow.{hashlib.sha256(message_id.encode('utf-8', 'replace')).hexdigest()}@long>"


def make_storable(found: Message) -> Message:
    """The message with ids as they are stored; nearly always the very same object."""
    own, parent = clean_id(found.message_id), found.in_reply_to and clean_id(found.in_reply_to)
    references = tuple(clean_id(r) for r in found.references)
    if (own, parent, references) == (found.message_id, found.in_reply_to, found.references):
        return found
    return replace(found, message_id=own, in_reply_to=parent, references=references)


def unreadable_row(item: Unreadable, seen_at: datetime) -> Row:
    text = f"{item.source}\n{item.why}".encode("utf-8", "replace")
    kept = pick_fields(item, "source", "why", "list_id", "month")
    return {**kept, "digest": hashlib.sha256(text).hexdigest(), "seen_at": seen_at}


#: What `message` has by another name, or from a place within the message.
_READING = {name: f"reading.{name}" for name in list_types(SubjectReading)} | {"kind": "reading.kind.value"}
_SOURCES = {
    **{name: name for name in list_types(Message) if name not in {"reading", "references"}},
    **_READING,
    "refs": "references",
    "address_source": "address_source.value",
    "authentication": "authentication.value",
}
#: The order of `message_row`.
MESSAGE_COLUMNS = (*_SOURCES, "numbered", "topic_key")
#: What no reading changes: where a mail was found.
_KEPT = frozenset({"message_id", "list_id", "month", "source", "digest"})
_find_values = attrgetter(*_SOURCES.values())
_ROUND, _EXPRESSIONS, _DECLARED = (list(_SOURCES).index(name) for name in ("round", "expressions", "declared"))


def message_row(found: Message) -> tuple[Any, ...]:
    reading = found.reading
    values = list(_find_values(found))
    if reading.round is not None and reading.round > MAX_ROUND:
        values[_ROUND] = None
    values[_EXPRESSIONS], values[_DECLARED] = to_plain(found.expressions), to_plain(found.declared)
    return (*values, bool(reading.numbers), make_topic_key(reading.topic))


def reading_row(found: Message) -> Row:
    """What was read in a mail, by column."""
    return {n: value for n, value in zip(MESSAGE_COLUMNS, message_row(found), strict=True) if n not in _KEPT}


def read_message(row: sa.Row[Any]) -> Message:
    raw = row._asdict()
    reading = from_plain(SubjectReading, raw)
    return from_plain(Message, raw, reading=reading, references=tuple(row.refs))

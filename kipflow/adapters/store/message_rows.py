"""Mails as rows, and back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.attribution import make_topic_key
from kipflow.adapters.store.columns import clean_text
from kipflow.adapters.store.part import Row, as_row
from kipflow.domain.facts import Message, SubjectReading, Unreadable
from kipflow.domain.records import from_plain, pick_fields
from kipflow.domain.texts import digest_text

#: Longest Message-ID that is stored unchanged. Real ones have under 100 characters; an index entry holds two.
MAX_ID = 250
#: The largest round number (as in "v2") that is stored; larger ones are typing errors.
MAX_ROUND = 1_000


def clean_id(message_id: str) -> str:
    """A Message-ID as it is stored. It is a key, so its length is bounded."""
    if len(message_id) <= MAX_ID:
        return clean_text(message_id)
    return f"<kipflow.{digest_text(message_id, 64)}@long>"


def make_storable(found: Message) -> Message:
    """The message with ids as they are stored; nearly always the same object."""
    own, parent = clean_id(found.message_id), found.in_reply_to and clean_id(found.in_reply_to)
    references = tuple(clean_id(r) for r in found.references)
    if (own, parent, references) == (found.message_id, found.in_reply_to, found.references):
        return found
    return replace(found, message_id=own, in_reply_to=parent, references=references)


def unreadable_row(item: Unreadable, seen_at: datetime) -> Row:
    kept = pick_fields(item, "source", "why", "list_id", "month")
    return {**kept, "digest": digest_text(f"{item.source}\n{item.why}", 64), "seen_at": seen_at}


def message_row(found: Message) -> Row:
    reading = found.reading
    row = {
        **as_row(found, without={"reading", "references"}),
        **as_row(reading),
        "refs": list(found.references),
        "numbered": bool(reading.numbers),
        "topic_key": make_topic_key(reading.topic),
    }
    if reading.round is not None and reading.round > MAX_ROUND:
        row["round"] = None
    return row


def reading_row(found: Message) -> Row:
    """The columns of a message that a new reading replaces: all but those that say where it was found."""
    kept = {"message_id", "list_id", "month", "source", "digest"}
    return {name: value for name, value in message_row(found).items() if name not in kept}


def read_message(row: sa.Row[Any]) -> Message:
    raw = row._asdict()
    reading = from_plain(SubjectReading, raw)
    return from_plain(Message, raw, reading=reading, references=tuple(row.refs))

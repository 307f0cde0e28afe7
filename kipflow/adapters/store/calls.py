"""Notes of recorded calls."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.statements import Row, as_row, count_new, load_records
from kipflow.adapters.store.tables.facts import call_note
from kipflow.domain.pages import CallNote


def save_call_notes(connection: sa.Connection, notes: Iterable[CallNote], *, seen_at: datetime) -> int:
    """Store the notes that are new; how many. One that was taken off the page stays: it was said."""
    rows = [_row(note, seen_at) for note in notes]
    return sum(count_new(connection, call_note, batch) for batch in chunks(rows))


def load_call_notes(connection: sa.Connection, number: int) -> tuple[CallNote, ...]:
    """What was noted on a proposal, the newest call first; undated calls last."""
    statement = (
        sa.select(call_note)
        .where(call_note.c.number == number)
        .order_by(call_note.c.held_on.is_(None), call_note.c.held_on.desc(), call_note.c.seen_at, call_note.c.digest)
    )
    return load_records(connection, CallNote, statement)


def _row(note: CallNote, seen_at: datetime) -> Row:
    text = repr((note.call, note.note))
    return as_row(note, digest=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24], seen_at=seen_at)

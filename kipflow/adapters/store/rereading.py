"""Stored mails as newer rules read them.

The mail is the fact; what was read in it is a reading. A newer one takes its place, and the one before is
kept beside it: a decision of that time rested on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store import attribution
from kipflow.adapters.store.columns import chunks, clean_value
from kipflow.adapters.store.statements import Row, count_rows, insert_new
from kipflow.adapters.store.tables.facts import archive_month, earlier_reading, message
from kipflow.domain.facts import Message
from kipflow.services.ports import StaleMonth

AsRow = Callable[[Message], Row]

#: What no reading changes: where a mail was found, and when.
KEPT = frozenset({"message_id", "list_id", "month", "source", "digest", "seen_at", "reading_rules"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """How many mails are read otherwise now, and the proposals that this touches."""

    changed: int = 0
    touched: frozenset[int] = frozenset()


def save_readings(
    connection: sa.Connection,
    pairs: Sequence[tuple[Message, Message]],
    *,
    rules: int,
    at: datetime,
    attribute: attribution.Attribute,
    as_row: AsRow,
) -> Reread:
    """Put newer readings, by this version of the rules, in the place of older ones (pairs: before, after)."""
    changed: list[tuple[Message, Message]] = []
    rows: list[Row] = []
    for before, after in pairs:
        kept = replace(after, list_id=before.list_id, month=before.month, source=before.source, digest=before.digest)
        was, now = _reading(as_row(before)), _reading(as_row(kept))
        if was != now:
            changed.append((before, kept))
            rows.append(was)
    _keep_earlier(connection, changed, rows, rules, at)
    for before, after in changed:
        values = {name: value for name, value in as_row(after).items() if name not in KEPT}
        connection.execute(sa.update(message).where(message.c.message_id == before.message_id).values(values))
    _stamp(connection, [before.message_id for before, _ in pairs], rules)
    touched = attribution.attribute_again(connection, changed, attribute)
    return Reread(changed=len(changed), touched=frozenset(touched))


def load_stale_months(connection: sa.Connection, rules: int) -> list[StaleMonth]:
    counted = (
        sa.select(message.c.list_id, message.c.month, sa.func.count().label("mails"), archive_month.c.path)
        .outerjoin(
            archive_month,
            sa.and_(archive_month.c.list_id == message.c.list_id, archive_month.c.month == message.c.month),
        )
        .where(message.c.reading_rules < rules)
        .group_by(message.c.list_id, message.c.month, archive_month.c.path)
        .order_by(message.c.list_id, message.c.month)
    )
    return [StaleMonth(**row._mapping) for row in connection.execute(counted)]


def expire_readings(connection: sa.Connection) -> None:
    connection.execute(sa.update(message).values(reading_rules=0))


def count_stale(connection: sa.Connection, list_id: str, month: str, rules: int) -> int:
    """Mails of a month that older rules read."""
    where = sa.and_(message.c.list_id == list_id, message.c.month == month, message.c.reading_rules < rules)
    return count_rows(connection, message, where)


def _reading(row: Row) -> Row:
    """What was read in a mail, in the form in which it is stored."""
    plain = {name: value for name, value in row.items() if name not in KEPT}
    for name in ("arrived_at", "dated_at"):
        plain[name] = None if plain[name] is None else plain[name].isoformat()
    cleaned: Row = clean_value(plain)
    return cleaned


def _keep_earlier(
    connection: sa.Connection, changed: Sequence[tuple[Message, Message]], rows: Sequence[Row], rules: int, at: datetime
) -> None:
    ids = [before.message_id for before, _ in changed]
    versions: dict[str, int] = {}
    for chunk in chunks(ids):
        statement = sa.select(message.c.message_id, message.c.reading_rules).where(message.c.message_id.in_(chunk))
        versions.update((row.message_id, row.reading_rules) for row in connection.execute(statement))
    kept: list[dict[str, Any]] = [
        {
            "message_id": message_id,
            "reading_rules": versions[message_id],
            "replaced_by": rules,
            "replaced_at": at,
            "reading": row,
        }
        for message_id, row in zip(ids, rows, strict=True)
    ]
    for batch in chunks(kept):
        insert_new(connection, earlier_reading, batch)


def _stamp(connection: sa.Connection, ids: Sequence[str], rules: int) -> None:
    for chunk in chunks(ids):
        connection.execute(sa.update(message).where(message.c.message_id.in_(chunk)).values(reading_rules=rules))

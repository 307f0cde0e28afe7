"""What each ingest or import stored: noted while it is stored, taken out again where somebody undoes it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.attribution import attribute_without
from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.numbering import mark_followers
from kipflow.adapters.store.statements import (
    MAIL_LOCK,
    as_row,
    count_mails,
    insert_new,
    load_records,
    lock,
    mark_pending,
)
from kipflow.adapters.store.tables.facts import batch as table
from kipflow.adapters.store.tables.facts import batch_item, index_entry
from kipflow.domain.records import to_plain
from kipflow.services.ports import Batch, MonthChange, Rules


def open_batch(connection: sa.Connection, kind: str, sources: Sequence[str], *, seen_at: datetime) -> int:
    row = as_row(Batch(id=0, kind=kind, sources=tuple(sources), seen_at=seen_at), without={"id", "items"})
    return int(connection.scalar(sa.insert(table).returning(table.c.id), row) or 0)


def close_batch(connection: sa.Connection, batch: int, months: Sequence[MonthChange] = ()) -> None:
    this = table.c.id == batch
    if months:
        connection.execute(sa.update(table).where(this).values(months=to_plain(months)))
    elif not connection.scalar(sa.select(sa.exists().where(batch_item.c.batch_id == batch))):
        connection.execute(sa.delete(table).where(this))


def load_batches(connection: sa.Connection) -> tuple[Batch, ...]:
    """Every batch in the order in which they came."""
    items = sa.select(sa.func.count()).where(batch_item.c.batch_id == table.c.id).scalar_subquery()
    return load_records(connection, Batch, sa.select(table, items.label("items")).order_by(table.c.id))


def find_shared(connection: sa.Connection, batch: int) -> dict[int, set[str]]:
    own, other = batch_item.alias(), batch_item.alias()
    both = sa.join(own, other, sa.and_(own.c.ref == other.c.ref, own.c.batch_id != other.c.batch_id))
    refs = sa.select(other.c.batch_id, other.c.ref).select_from(both).where(own.c.batch_id == batch)
    found: dict[int, set[str]] = {}
    for number, ref in connection.execute(refs.order_by(other.c.batch_id)):
        found.setdefault(number, set()).add(ref)
    return found


def add_items(connection: sa.Connection, batch: int | None, refs: Sequence[str]) -> None:
    """Note that these facts came with a batch; None: with none."""
    if batch is not None:
        insert_new(connection, batch_item, [{"batch_id": batch, "ref": ref} for ref in refs])


def keep_items(connection: sa.Connection, batch: int | None, refs: Sequence[str]) -> None:
    """Facts that came again: those of an archive are no batch's any more, those of a file are of this batch as well."""
    for chunk in chunks(sorted(set(refs))):
        these = batch_item.c.ref.in_(chunk)
        if batch is None:
            connection.execute(sa.delete(batch_item).where(these))
            continue
        # where it holds one of them already, it is the newest that does
        others = sa.select(sa.literal(batch), batch_item.c.ref).where(these).group_by(batch_item.c.ref)
        others = others.having(sa.func.max(batch_item.c.batch_id) < batch)
        connection.execute(sa.insert(batch_item).from_select(["batch_id", "ref"], others))


def name_row(number: int, digest: str) -> str:
    """A row of an index among the items of its batch."""
    return f"{number}/{digest}"


def remove_batch(connection: sa.Connection, rules: Rules, batch: Batch, *, at: datetime) -> frozenset[int]:
    """Take out what came with the batch and from nowhere else; the proposals that had some of it."""
    lock(connection, MAIL_LOCK)
    own, other = sa.select(batch_item.c.ref).where(batch_item.c.batch_id == batch.id), batch_item.alias()
    if batch.kind == "mail":  # a row of an index is a reading of its own each time
        own = own.where(~sa.exists().where(other.c.ref == batch_item.c.ref, other.c.batch_id != batch.id))
    refs = list(connection.scalars(own))
    connection.execute(sa.delete(batch_item).where(batch_item.c.batch_id == batch.id))
    if batch.kind == "mail":
        touched = attribute_without(connection, refs, rules.attribute)
        count_mails(connection, -len(refs))
    else:
        touched = _remove_rows(connection, batch.seen_at, refs)
        mark_followers(connection, touched, at)
    mark_pending(connection, touched, at)
    return frozenset(touched)


def _remove_rows(connection: sa.Connection, seen_at: datetime, refs: Sequence[str]) -> set[int]:
    digests = {digest: int(number) for number, _, digest in (ref.partition("/") for ref in refs)}
    imported = sa.and_(index_entry.c.origin == "import", index_entry.c.seen_at == seen_at)
    for chunk in chunks(sorted(digests)):
        connection.execute(sa.delete(index_entry).where(imported, index_entry.c.digest.in_(chunk)))
    return set(digests.values())


def note_undone(
    connection: sa.Connection, batch: int, *, at: datetime, by: str, reason: str, numbers: Sequence[int]
) -> None:
    values = {"undone_at": at, "undone_by": by, "reason": reason, "numbers": list(numbers)}
    connection.execute(sa.update(table).where(table.c.id == batch).values(values))

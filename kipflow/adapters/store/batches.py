"""Batches: what each ingest or import stored, so that it can be removed again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.attribution import Attribution
from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.numbering import GivenNumbers
from kipflow.adapters.store.part import MAIL_LOCK, Part, as_row, lock
from kipflow.adapters.store.tables.facts import batch as table
from kipflow.adapters.store.tables.facts import batch_item, index_entry
from kipflow.domain.records import to_plain
from kipflow.services.ports import Batch, MonthChange


class SqlBatches(Part):
    """`services.ports.Batches`."""

    def open(self, kind: str, sources: Sequence[str], *, seen_at: datetime) -> int:
        row = as_row(Batch(id=0, kind=kind, sources=tuple(sources), seen_at=seen_at), without={"id", "items"})
        return int(self._connection.scalar(sa.insert(table).returning(table.c.id), row) or 0)

    def close(self, batch: int, months: Sequence[MonthChange] = ()) -> None:
        this = table.c.id == batch
        if months:
            self._connection.execute(sa.update(table).where(this).values(months=to_plain(months)))
        elif not self._connection.scalar(sa.select(sa.exists().where(batch_item.c.batch_id == batch))):
            self._connection.execute(sa.delete(table).where(this))

    def load_all(self) -> tuple[Batch, ...]:
        items = sa.select(sa.func.count()).where(batch_item.c.batch_id == table.c.id).scalar_subquery()
        return self.load_records(Batch, sa.select(table, items.label("items")).order_by(table.c.id))

    def find_shared(self, batch: int) -> dict[int, set[str]]:
        own, other = batch_item.alias(), batch_item.alias()
        both = sa.join(own, other, sa.and_(own.c.ref == other.c.ref, own.c.batch_id != other.c.batch_id))
        refs = sa.select(other.c.batch_id, other.c.ref).select_from(both).where(own.c.batch_id == batch)
        found: dict[int, set[str]] = {}
        for number, ref in self._connection.execute(refs.order_by(other.c.batch_id)):
            found.setdefault(number, set()).add(ref)
        return found

    def add_items(self, batch: int | None, refs: Sequence[str]) -> None:
        """Note that these facts came with a batch; None: they came with none."""
        if batch is not None:
            self.insert_new(batch_item, [{"batch_id": batch, "ref": ref} for ref in refs])

    def keep_items(self, batch: int | None, refs: Sequence[str]) -> None:
        """Known facts: from an archive (`batch` None) they leave every batch, from a file they join this one."""
        for chunk in chunks(sorted(set(refs))):
            these = batch_item.c.ref.in_(chunk)
            if batch is None:
                self._connection.execute(sa.delete(batch_item).where(these))
                continue
            # the batch is the newest: a fact that it has already has no greater batch id
            others = sa.select(sa.literal(batch), batch_item.c.ref).where(these).group_by(batch_item.c.ref)
            others = others.having(sa.func.max(batch_item.c.batch_id) < batch)
            self._connection.execute(sa.insert(batch_item).from_select(["batch_id", "ref"], others))

    def remove(self, batch: Batch, *, at: datetime) -> frozenset[int]:
        """Remove what came only with this batch. Returns the proposals that had some of it."""
        lock(self._connection, MAIL_LOCK)
        own, other = sa.select(batch_item.c.ref).where(batch_item.c.batch_id == batch.id), batch_item.alias()
        if batch.kind == "mail":  # rows of an index are stored anew with each import
            own = own.where(~sa.exists().where(other.c.ref == batch_item.c.ref, other.c.batch_id != batch.id))
        refs = list(self._connection.scalars(own))
        self._connection.execute(sa.delete(batch_item).where(batch_item.c.batch_id == batch.id))
        if batch.kind == "mail":
            touched = self.part(Attribution).remove(refs)
            self.count_mails(-len(refs))
        else:
            touched = self._remove_rows(batch.seen_at, refs)
            self.part(GivenNumbers).mark_followers(touched, at)
        self.mark_pending(touched, at)
        return frozenset(touched)

    def _remove_rows(self, seen_at: datetime, refs: Sequence[str]) -> set[int]:
        digests = {digest: int(number) for number, _, digest in (ref.partition("/") for ref in refs)}
        imported = sa.and_(index_entry.c.origin == "import", index_entry.c.seen_at == seen_at)
        for chunk in chunks(sorted(digests)):
            self._connection.execute(sa.delete(index_entry).where(imported, index_entry.c.digest.in_(chunk)))
        return set(digests.values())

    def note_undone(self, batch: int, *, at: datetime, by: str, reason: str, numbers: Sequence[int]) -> None:
        values = {"undone_at": at, "undone_by": by, "reason": reason, "numbers": list(numbers)}
        self._connection.execute(sa.update(table).where(table.c.id == batch).values(values))


def name_row(number: int, digest: str) -> str:
    """The key of an index row among its batch's items."""
    return f"{number}/{digest}"

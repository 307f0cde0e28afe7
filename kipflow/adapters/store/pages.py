"""Pages, index rows and tickets, as they were seen in the wiki and in JIRA."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.batches import SqlBatches, name_row
from kipflow.adapters.store.columns import chunks, clean_text
from kipflow.adapters.store.messages import SqlMail
from kipflow.adapters.store.numbering import GivenNumbers
from kipflow.adapters.store.page_notes import PageNotes
from kipflow.adapters.store.part import Row, as_row
from kipflow.adapters.store.tables.facts import index_entry, page, page_version, ticket
from kipflow.domain.facts import Unreadable
from kipflow.domain.pages import IndexEntry, PageVersion, Substance, TicketState, find_newest_rows
from kipflow.domain.texts import digest_text

_EVERYTHING_BUT_BODY = [c for c in page_version.c if c.name not in {"body", "seen_at"}]


class SqlPages(PageNotes, GivenNumbers):
    """`services.ports.PageStore`."""

    # -- pages -------------------------------------------------------------------------------------------

    def save_version(self, found: PageVersion, *, seen_at: datetime) -> bool:
        """Store a version of a page unless it is known. If the page's number changes, both proposals become pending."""
        where = sa.and_(page_version.c.page_id == found.page_id, page_version.c.version == found.version)
        held = self._connection.execute(sa.select(page_version.c.title, page_version.c.body).where(where)).one_or_none()
        if held is not None:
            if (held.title, held.body) != (clean_text(found.title), clean_text(found.body)):
                why = "a version that is held already came with another text; the first one stays"
                note = Unreadable(source=f"page {found.page_id}@{found.version}", why=why)
                self.part(SqlMail).save_unreadable([note], seen_at=seen_at)
            return False
        before = self._connection.execute(sa.select(page).where(page.c.page_id == found.page_id)).one_or_none()
        now = _newest(found, before)
        had_wiki = self.has_given()
        touched = {n for n in (now["number"], before.number if before else None) if n is not None}
        self.add_proposals(touched)
        self.upsert(page, [now])
        self.insert_new(page_version, [as_row(found, seen_at=seen_at)])
        self.mark_pending(touched, seen_at)
        if before is None or before.number != now["number"]:
            self.mark_followers(touched, seen_at, had_wiki=had_wiki or not touched)
        return True

    def load_versions(self) -> dict[str, int]:
        return {row.page_id: row.version for row in self._connection.execute(sa.select(page.c.page_id, page.c.version))}

    def load_pages(self, number: int) -> tuple[PageVersion, ...]:
        """Every version of the pages that have or had the proposal's number; in order of time, without bodies.

        A number stays taken even if its page gets another one.
        """
        have = sa.select(page.c.page_id).where(page.c.number == number)
        had = sa.select(page_version.c.page_id).where(page_version.c.number == number)
        statement = (
            sa.select(*_EVERYTHING_BUT_BODY)
            .where(page_version.c.page_id.in_(sa.union(have, had)))
            .order_by(page_version.c.saved_at, page_version.c.page_id, page_version.c.version)
        )
        return self.load_records(PageVersion, statement)

    def load_holes(self, limit: int) -> list[tuple[str, int]]:
        counted = (
            sa.select(page_version.c.page_id, sa.func.max(page_version.c.version).label("newest"))
            .group_by(page_version.c.page_id)
            .having(sa.func.count() < sa.func.max(page_version.c.version))
            .order_by(page_version.c.page_id)
            .limit(limit)
        )
        holes: list[tuple[str, int]] = []
        for row in self._connection.execute(counted).all():
            statement = sa.select(page_version.c.version).where(page_version.c.page_id == row.page_id)
            held = set(self._connection.scalars(statement))
            holes.extend((row.page_id, n) for n in range(1, row.newest) if n not in held)
        return holes[:limit]

    def find_text(self, page_id: str, version: int) -> tuple[str, Substance] | None:
        where = sa.and_(page_version.c.page_id == page_id, page_version.c.version == version)
        columns = sa.select(page_version.c.body, page_version.c.substance)
        row = self._connection.execute(columns.where(where)).one_or_none()
        return None if row is None else (row.body, tuple((title, digest) for title, digest in row.substance or ()))

    def find_body(self, page_id: str, version: int) -> str | None:
        where = sa.and_(page_version.c.page_id == page_id, page_version.c.version == version)
        return self._connection.scalar(sa.select(page_version.c.body).where(where))

    # -- index rows --------------------------------------------------------------------------------------

    def save_index_entries(self, entries: Iterable[IndexEntry], *, batch: int | None = None) -> int:
        """Store the rows of one reading of an index; returns for how many proposals they are new.

        All rows of a proposal must be in one call: an index can list a number twice, and only the rows together show
        whether anything changed.
        """
        readings: dict[tuple[int, str], dict[str, IndexEntry]] = {}
        for entry in entries:
            readings.setdefault((entry.number, entry.origin), {})[_entry_digest(entry)] = entry
        changed: dict[int, datetime] = {}
        rows: list[Row] = []
        for chunk in chunks(readings.items()):
            newest = self._load_newest_digests({number for (number, _), _ in chunk})
            for (number, origin), reading in chunk:
                if reading.keys() == newest.get((number, origin)):
                    continue
                seen_at = max(e.seen_at for e in reading.values())
                changed[number] = max(seen_at, changed.get(number, seen_at))
                rows.extend(as_row(replace(e, seen_at=seen_at), digest=digest) for digest, e in reading.items())
        had_wiki = self.has_given()
        self.add_proposals(changed)
        self.insert_new(index_entry, rows)
        newest_at = max(changed.values(), default=None)
        items = [name_row(row["number"], row["digest"]) for row in rows]
        self.part(SqlBatches).add_items(batch, items)
        self.mark_pending(changed, newest_at)
        self.mark_followers(changed, newest_at, had_wiki=had_wiki or not changed)
        return len(changed)

    def load_index_entries(self, number: int) -> tuple[IndexEntry, ...]:
        """All index rows of the proposal, in order of time."""
        return tuple(self.iter_index_entries([number]))

    def iter_index_entries(self, numbers: Sequence[int]) -> Iterator[IndexEntry]:
        """The same for several proposals; each one's rows are in order of time."""
        columns = [c for c in index_entry.c if c.name != "digest"]
        order = (index_entry.c.number, index_entry.c.seen_at, index_entry.c.origin, index_entry.c.digest)
        statement = sa.select(*columns).where(index_entry.c.number.in_(numbers)).order_by(*order)
        for row in self._connection.execute(statement):
            yield IndexEntry(**row._mapping)

    def load_doubled(self) -> dict[int, tuple[IndexEntry, ...]]:
        """Number → its rows in the newest index, for numbers with more than one title there."""
        one_reading = (index_entry.c.number, index_entry.c.origin, index_entry.c.seen_at)
        doubled = sa.select(index_entry.c.number).group_by(*one_reading).having(sa.func.count() > 1).distinct()
        found: dict[int, list[IndexEntry]] = {}
        for chunk in chunks(sorted(self._connection.scalars(doubled))):
            for entry in self.iter_index_entries(chunk):
                found.setdefault(entry.number, []).append(entry)
        newest = {number: {e.title: e for e in find_newest_rows(entries)} for number, entries in found.items()}
        return {number: tuple(rows.values()) for number, rows in newest.items() if len(rows) > 1}

    def _load_newest_digests(self, numbers: Collection[int]) -> dict[tuple[int, str], set[str]]:
        columns = (index_entry.c.number, index_entry.c.origin, index_entry.c.seen_at, index_entry.c.digest)
        statement = sa.select(*columns).where(index_entry.c.number.in_(numbers))
        newest: dict[tuple[int, str], tuple[datetime, set[str]]] = {}
        for row in self._connection.execute(statement):
            at, digests = newest.setdefault((row.number, row.origin), (row.seen_at, set()))
            if row.seen_at > at:
                newest[row.number, row.origin] = (row.seen_at, {row.digest})
            elif row.seen_at == at:
                digests.add(row.digest)
        return {key: digests for key, (_, digests) in newest.items()}

    # -- tickets -----------------------------------------------------------------------------------------

    def save_ticket(self, found: TicketState) -> bool:
        """Store a ticket's state if it differs from the newest stored one."""
        newest = sa.select(ticket).where(ticket.c.key == found.key).order_by(ticket.c.seen_at.desc()).limit(1)
        held = self.find_record(TicketState, newest)
        if held is not None and replace(held, seen_at=found.seen_at) == found:
            return False
        if not self.count_new(ticket, [as_row(found)]):
            return False
        self.mark_pending(self._find_numbers_of_ticket(found.key), found.seen_at)
        return True

    def load_ticket_keys(self) -> list[str]:
        keys = sa.union(
            sa.select(page.c.jira).where(page.c.jira.is_not(None)),
            sa.select(index_entry.c.jira).where(index_entry.c.jira.is_not(None)),
        )
        return sorted(self._connection.scalars(keys))

    def load_tickets(self, keys: Collection[str]) -> tuple[TicketState, ...]:
        """Every stored state of these tickets, in order of time."""
        if not keys:
            return ()
        statement = sa.select(ticket).where(ticket.c.key.in_(keys)).order_by(ticket.c.seen_at, ticket.c.key)
        return self.load_records(TicketState, statement)

    def _find_numbers_of_ticket(self, key: str) -> set[int]:
        of_pages = sa.select(page.c.number).where(page.c.jira == key, page.c.number.is_not(None))
        of_index = sa.select(index_entry.c.number).where(index_entry.c.jira == key)
        return set(self._connection.scalars(sa.union(of_pages, of_index)))


def _newest(found: PageVersion, before: sa.Row[Any] | None) -> Row:
    """The page's row with this version. A title that lost its number keeps the proposal."""
    row: Row = {"page_id": found.page_id, "number": found.number, "version": found.version, "jira": found.jira}
    if before is None:
        return row
    if before.version > found.version:
        row.update(version=before.version, jira=before.jira)
        row["number"] = before.number if before.number is not None else found.number
    elif found.number is None:
        row["number"] = before.number
    return row


def _entry_digest(entry: IndexEntry) -> str:
    return digest_text(repr(replace(entry, seen_at=datetime.min.replace(tzinfo=UTC))), 24)

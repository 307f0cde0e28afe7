"""Pages that could not be had: deleted, hidden from our account, or moved out of the index's sight."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.columns import clean_text
from kipflow.adapters.store.statements import count_new, load_records, mark_pending
from kipflow.adapters.store.tables.decisions import proposal
from kipflow.adapters.store.tables.facts import page, page_absence
from kipflow.domain.pages import PageAbsence

#: Characters of a reason that are kept.
_MAX_WHY = 300


def load_absent(connection: sa.Connection) -> dict[str, PageAbsence]:
    missing = load_records(connection, PageAbsence, sa.select(page_absence).where(page_absence.c.until.is_(None)))
    return {absence.page_id: absence for absence in missing}


def note_absent(connection: sa.Connection, page_id: str, *, why: str, at: datetime, number: int | None = None) -> bool:
    """Note that a page could not be had at `at`; False if that was known for the same reason.

    A page that was never read is linked to the proposal `number`, if that is known: its readers ask for it.
    """
    if number is not None:
        _link(connection, page_id, number, at)
    known = load_absent(connection).get(page_id)
    why = clean_text(why)[:_MAX_WHY]
    if known is not None and known.why == why:
        where = sa.and_(page_absence.c.page_id == page_id, page_absence.c.since == known.since)
        connection.execute(sa.update(page_absence).where(where).values(asked_at=at))
        return False
    note_present(connection, page_id, at=at)
    row = {"page_id": page_id, "since": at, "until": None, "why": why, "asked_at": at}
    connection.execute(sa.insert(page_absence).values(row))
    mark_pending(connection, _numbers_of(connection, page_id), at)
    return True


def note_present(connection: sa.Connection, page_id: str, *, at: datetime) -> bool:
    open_row = sa.and_(page_absence.c.page_id == page_id, page_absence.c.until.is_(None))
    ended = connection.execute(sa.update(page_absence).where(open_row).values(until=at))
    if not ended.rowcount:
        return False
    mark_pending(connection, _numbers_of(connection, page_id), at)
    return True


def load_absences(connection: sa.Connection, number: int) -> tuple[PageAbsence, ...]:
    """Every absence of the proposal's pages, in order of time."""
    statement = (
        sa.select(page_absence)
        .join(page, page.c.page_id == page_absence.c.page_id)
        .where(page.c.number == number)
        .order_by(page_absence.c.since, page_absence.c.page_id)
    )
    return load_records(connection, PageAbsence, statement)


def _link(connection: sa.Connection, page_id: str, number: int, at: datetime) -> None:
    is_known = connection.scalar(sa.select(proposal.c.number).where(proposal.c.number == number)) is not None
    # version 0: every version that it has is still to be read
    row = {"page_id": page_id, "number": number, "version": 0, "jira": None}
    if is_known and count_new(connection, page, [row]):
        mark_pending(connection, {number}, at)


def _numbers_of(connection: sa.Connection, page_id: str) -> set[int]:
    numbers = connection.scalars(sa.select(page.c.number).where(page.c.page_id == page_id))
    return {n for n in numbers if n is not None}

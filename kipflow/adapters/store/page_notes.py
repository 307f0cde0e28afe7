"""Notes on pages: that they are unavailable, their faults, and notes of recorded calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.columns import clean_text
from kipflow.adapters.store.part import Part, Row, as_row, from_row
from kipflow.adapters.store.tables.decisions import proposal
from kipflow.adapters.store.tables.facts import (
    call_note,
    page,
    page_absence,
    page_check,
    page_fault,
    page_version,
    ticket,
)
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import NO_TICKET, CallNote, PageAbsence
from kipflow.domain.texts import digest_text
from kipflow.services.ports import CheckedPage

#: Longest text of a reason or fault, in characters; it may quote a page.
_MAX_TEXT = 300


class PageNotes(Part):
    """The half of `SqlPages` for absences, faults and notes of recorded calls."""

    # -- absences: pages deleted, hidden from our account, or moved away from the index ------------------

    def load_absent(self) -> dict[str, PageAbsence]:
        missing = sa.select(page_absence).where(page_absence.c.until.is_(None))
        return {absence.page_id: absence for absence in self.load_records(PageAbsence, missing)}

    def note_absent(self, page_id: str, *, why: str, at: datetime, number: int | None = None) -> bool:
        """A page that was never read is linked to the proposal `number`, if known, so that it is shown there."""
        if number is not None:
            self._link(page_id, number, at)
        known = self.load_absent().get(page_id)
        why = clean_text(why)[:_MAX_TEXT]
        if known is not None and known.why == why:
            where = sa.and_(page_absence.c.page_id == page_id, page_absence.c.since == known.since)
            self._connection.execute(sa.update(page_absence).where(where).values(asked_at=at))
            return False
        self.note_present(page_id, at=at)
        row = {"page_id": page_id, "since": at, "until": None, "why": why, "asked_at": at}
        self._connection.execute(sa.insert(page_absence).values(row))
        self.mark_pending(self._numbers_of(page_id), at)
        return True

    def note_present(self, page_id: str, *, at: datetime) -> bool:
        open_row = sa.and_(page_absence.c.page_id == page_id, page_absence.c.until.is_(None))
        ended = self._connection.execute(sa.update(page_absence).where(open_row).values(until=at))
        if not ended.rowcount:
            return False
        self.mark_pending(self._numbers_of(page_id), at)
        return True

    def load_absences(self, number: int) -> tuple[PageAbsence, ...]:
        """Every absence of the proposal's pages, in order of time."""
        statement = (
            sa.select(page_absence)
            .join(page, page.c.page_id == page_absence.c.page_id)
            .where(page.c.number == number)
            .order_by(page_absence.c.since, page_absence.c.page_id)
        )
        return self.load_records(PageAbsence, statement)

    def _link(self, page_id: str, number: int, at: datetime) -> None:
        # version 0: no version was read yet
        row = {"page_id": page_id, "number": number, "version": 0, "jira": None}
        if self.is_known(number) and self.count_new(page, [row]):
            self.mark_pending({number}, at)

    def _numbers_of(self, page_id: str) -> set[int]:
        numbers = self._connection.scalars(sa.select(page.c.number).where(page.c.page_id == page_id))
        return {n for n in numbers if n is not None}

    # -- faults: which pages to check, what was found, and since when ------------------------------------

    def load_checked(self) -> list[CheckedPage]:
        """Every page with a number, with its last check; without bodies."""
        newest = sa.and_(page_version.c.page_id == page.c.page_id, page_version.c.version == page.c.version)
        statement: sa.Select[Any] = (
            sa.select(
                *(page.c.page_id, page.c.number, page.c.version, page.c.jira),
                *(page_version.c.title, page_version.c.saved_at, page_version.c.status, proposal.c.stage),
                *(page_check.c.version.label("checked"), page_check.c.rules, page_check.c.around),
            )
            .join(page_version, newest)
            .join(proposal, proposal.c.number == page.c.number)
            .outerjoin(page_check, page_check.c.page_id == page.c.page_id)
            .order_by(page.c.number, page.c.page_id)
        )
        rows = self._connection.execute(statement).all()
        titles: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for row in rows:
            titles[row.number].append((row.page_id, row.title))
        missing = self._missing_tickets()
        return [
            from_row(
                CheckedPage,
                row,
                ticket=row.jira,
                is_ticket_missing=row.jira in missing,
                others=tuple(title for page_id, title in titles[row.number] if page_id != row.page_id),
                judged=None if row.checked is None else (row.checked, row.rules, row.around),
            )
            for row in rows
        ]

    def save_faults(
        self, checked: CheckedPage, faults: Sequence[PageFault], *, rules: str, at: datetime
    ) -> tuple[PageFault, ...]:
        """Replace the faults of a page; returns those that it never had before.

        A note that became an error, because the page is no longer a draft, counts as new.
        """
        where = page_fault.c.page_id == checked.page_id
        known = {(row.code, row.place): row for row in self._connection.execute(sa.select(page_fault).where(where))}
        found = {(f.code, clean_text(f.place)[:_MAX_TEXT]): f for f in faults}
        for key, row in known.items():
            if key not in found and row.until is None:
                one = sa.and_(where, page_fault.c.code == key[0], page_fault.c.place == key[1])
                self._connection.execute(sa.update(page_fault).where(one).values(until=at))
        rows = [_row(checked, fault, known.get(key), at) for key, fault in found.items()]
        self.upsert(page_fault, rows)
        judged = {"page_id": checked.page_id, "version": checked.version, "rules": rules, "around": checked.around}
        self.upsert(page_check, [judged])
        return tuple(fault for key, fault in found.items() if key not in known or _became_error(known[key], fault))

    def load_faults(self, number: int) -> tuple[PageFault, ...]:
        statement = (
            sa.select(page_fault)
            .where(page_fault.c.number == number, page_fault.c.until.is_(None))
            .order_by(page_fault.c.severity, page_fault.c.code, page_fault.c.place)
        )
        return self.load_records(PageFault, statement)

    def _missing_tickets(self) -> set[str]:
        """The tickets that did not exist at the last request."""
        last_seen = sa.func.max(ticket.c.seen_at).label("seen_at")
        latest = sa.select(ticket.c.key, last_seen).group_by(ticket.c.key).subquery()
        newest = sa.and_(latest.c.key == ticket.c.key, latest.c.seen_at == ticket.c.seen_at)
        missing = sa.select(ticket.c.key).join(latest, newest).where(ticket.c.status == NO_TICKET)
        return set(self._connection.scalars(missing))

    # -- notes of recorded calls -------------------------------------------------------------------------

    def save_call_notes(self, notes: Iterable[CallNote], *, seen_at: datetime) -> int:
        """A note stays after it was removed from the page."""
        rows = (as_row(note, digest=digest_text(repr((note.call, note.note)), 24), seen_at=seen_at) for note in notes)
        return self.count_new(call_note, rows)

    def load_call_notes(self, number: int) -> tuple[CallNote, ...]:
        """The notes on a proposal, newest call first; undated calls last."""
        statement = (
            sa.select(call_note)
            .where(call_note.c.number == number)
            .order_by(
                call_note.c.held_on.is_(None), call_note.c.held_on.desc(), call_note.c.seen_at, call_note.c.digest
            )
        )
        return self.load_records(CallNote, statement)


def _became_error(known: sa.Row[Any], fault: PageFault) -> bool:
    return known.severity == "note" and fault.severity == "error"


def _row(checked: CheckedPage, fault: PageFault, known: sa.Row[Any] | None, at: datetime) -> Row:
    since = known.since if known is not None and known.until is None else at
    bounded = {name: clean_text(getattr(fault, name))[:_MAX_TEXT] for name in ("place", "what", "fix")}
    return {**as_row(fault, page_id=checked.page_id, number=checked.number, since=since, until=None), **bounded}

"""Faults of pages: which pages are to be judged, what was found, and since when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.columns import clean_text
from kipflow.adapters.store.statements import Row, from_row, load_records, upsert
from kipflow.adapters.store.tables.decisions import proposal
from kipflow.adapters.store.tables.facts import page, page_check, page_fault, page_version, ticket
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import NO_TICKET
from kipflow.services.ports import CheckedPage

#: Characters of a fault's place and words that are kept; they may quote a page.
_MAX_WORDS = 300


def load_checked_pages(connection: sa.Connection) -> list[CheckedPage]:
    """Every page that has a number, with what was judged of it last; without bodies."""
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
    rows = connection.execute(statement).all()
    titles: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        titles[row.number].append((row.page_id, row.title))
    missing = _missing_tickets(connection)
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
    connection: sa.Connection, checked: CheckedPage, faults: Sequence[PageFault], *, rules: str, at: datetime
) -> tuple[PageFault, ...]:
    """Note what was found on a page now, and give those faults that were never found on it before.

    What a draft was allowed to lack is new again when its page is no longer one: a note became an error.
    """
    where = page_fault.c.page_id == checked.page_id
    known = {(row.code, row.place): row for row in connection.execute(sa.select(page_fault).where(where))}
    found = {(f.code, clean_text(f.place)[:_MAX_WORDS]): f for f in faults}
    for key, row in known.items():
        if key not in found and row.until is None:
            one = sa.and_(where, page_fault.c.code == key[0], page_fault.c.place == key[1])
            connection.execute(sa.update(page_fault).where(one).values(until=at))
    rows = [_row(checked, key, fault, known.get(key), at) for key, fault in found.items()]
    upsert(connection, page_fault, rows)
    judged = {"page_id": checked.page_id, "version": checked.version, "rules": rules, "around": checked.around}
    upsert(connection, page_check, [judged])
    return tuple(fault for key, fault in found.items() if key not in known or _has_grown(known[key], fault))


def load_faults(connection: sa.Connection, number: int) -> tuple[PageFault, ...]:
    statement = (
        sa.select(page_fault)
        .where(page_fault.c.number == number, page_fault.c.until.is_(None))
        .order_by(page_fault.c.severity, page_fault.c.code, page_fault.c.place)
    )
    return load_records(connection, PageFault, statement)


def _has_grown(known: sa.Row[Any], fault: PageFault) -> bool:
    return known.severity == "note" and fault.severity == "error"


def _row(checked: CheckedPage, key: tuple[str, str], fault: PageFault, known: sa.Row[Any] | None, at: datetime) -> Row:
    return {
        "page_id": checked.page_id,
        "code": key[0],
        "place": key[1],
        "number": checked.number,
        "what": clean_text(fault.what)[:_MAX_WORDS],
        "fix": clean_text(fault.fix)[:_MAX_WORDS],
        "severity": fault.severity,
        "since": known.since if known is not None and known.until is None else at,
        "until": None,
    }


def _missing_tickets(connection: sa.Connection) -> set[str]:
    """The tickets that the tracker did not have when it was last asked."""
    latest = sa.select(ticket.c.key, sa.func.max(ticket.c.seen_at).label("seen_at")).group_by(ticket.c.key).subquery()
    newest = sa.and_(latest.c.key == ticket.c.key, latest.c.seen_at == ticket.c.seen_at)
    return set(connection.scalars(sa.select(ticket.c.key).join(latest, newest).where(ticket.c.status == NO_TICKET)))

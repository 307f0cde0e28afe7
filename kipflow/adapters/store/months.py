"""How completely the months of a list are held."""

from __future__ import annotations

import sqlalchemy as sa

from kipflow.adapters.store.statements import as_row, load_records, upsert
from kipflow.adapters.store.tables.facts import archive_month
from kipflow.domain.facts import ArchiveMonth
from kipflow.services.ports import Rules


def save_month(connection: sa.Connection, found: ArchiveMonth) -> None:
    """Note how completely a month is held now."""
    upsert(connection, archive_month, [as_row(found, without={"given"})])


def drop_month(connection: sa.Connection, list_id: str, month: str) -> None:
    """Know nothing of a month."""
    this = (archive_month.c.list_id == list_id, archive_month.c.month == month)
    connection.execute(sa.delete(archive_month).where(*this))


def load_own_months(connection: sa.Connection, rules: Rules) -> list[ArchiveMonth]:
    """The months of the community's own lists: a mistyped address must hold up nothing."""
    return [month for month in load_months(connection).values() if not rules.lists or month.list_id in rules.lists]


def load_months(connection: sa.Connection, list_id: str | None = None) -> dict[tuple[str, str], ArchiveMonth]:
    """The months held, of one list or of all, by list and month, in that order."""
    statement = sa.select(archive_month).order_by(archive_month.c.list_id, archive_month.c.month)
    if list_id is not None:
        statement = statement.where(archive_month.c.list_id == list_id)
    return {(m.list_id, m.month): m for m in load_records(connection, ArchiveMonth, statement)}

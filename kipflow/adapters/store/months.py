"""Which months of each list are stored, and how completely."""

from __future__ import annotations

import sqlalchemy as sa

from kipflow.adapters.store.part import Part, as_row
from kipflow.adapters.store.tables.facts import archive_month
from kipflow.domain.clocks import find_coverage
from kipflow.domain.facts import ArchiveMonth, Coverage


class Months(Part):
    """The months half of `SqlMail`."""

    _coverage: Coverage | None = None

    def save_month(self, found: ArchiveMonth) -> None:
        self.upsert(archive_month, [as_row(found, without={"given"})])
        self._coverage = None

    def drop_month(self, list_id: str, month: str) -> None:
        this = (archive_month.c.list_id == list_id, archive_month.c.month == month)
        self._connection.execute(sa.delete(archive_month).where(*this))

    def load_own_months(self) -> list[ArchiveMonth]:
        """The months of the community's own lists, so that a mistyped address blocks nothing."""
        lists = self.rules.lists
        return [month for month in self.load_months().values() if not lists or month.list_id in lists]

    def find_coverage(self) -> Coverage:
        """Which part of the archive is stored. Computed once per transaction, and again after `save_month`."""
        if self._coverage is None:
            self._coverage = find_coverage(self.load_own_months())
        return self._coverage

    def load_months(self, list_id: str | None = None) -> dict[tuple[str, str], ArchiveMonth]:
        statement = sa.select(archive_month).order_by(archive_month.c.list_id, archive_month.c.month)
        if list_id is not None:
            statement = statement.where(archive_month.c.list_id == list_id)
        return {(m.list_id, m.month): m for m in self.load_records(ArchiveMonth, statement)}

"""New readings of stored mails.

The mail is the fact; a reading is what the rules found in it. A newer reading replaces the older one, which is kept in
a table of its own because earlier decisions depended on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.attribution import Attribution
from kipflow.adapters.store.columns import chunks, clean_value
from kipflow.adapters.store.message_rows import reading_row
from kipflow.adapters.store.part import Part, Row
from kipflow.adapters.store.tables.facts import archive_month, earlier_reading, message
from kipflow.domain.facts import Message
from kipflow.domain.records import to_plain
from kipflow.services.ports import StaleMonth


class Readings(Part):
    """The part of `SqlMail` that replaces readings of mails by newer ones."""

    def save_readings(
        self, pairs: Sequence[tuple[Message, Message]], *, rules: int, at: datetime
    ) -> tuple[int, set[int]]:
        """Replace readings by newer ones of this version of the rules (pairs: before, after).

        Returns how many readings changed, and the affected proposals.
        """
        changed: list[tuple[Message, Message]] = []
        rows: list[Row] = []
        for before, after in pairs:
            kept = replace(
                after, list_id=before.list_id, month=before.month, source=before.source, digest=before.digest
            )
            was = _reading(before)
            if was != _reading(kept):
                changed.append((before, kept))
                rows.append(was)
        self._keep_earlier(changed, rows, rules, at)
        for before, after in changed:
            this = message.c.message_id == before.message_id
            self._connection.execute(sa.update(message).where(this).values(reading_row(after)))
        for chunk in chunks(before.message_id for before, _ in pairs):
            these = sa.update(message).where(message.c.message_id.in_(chunk))
            self._connection.execute(these.values(reading_rules=rules))
        return len(changed), self.part(Attribution).reread(changed)

    def load_stale_months(self, rules: int) -> list[StaleMonth]:
        months = (
            sa.select(message.c.list_id, message.c.month, archive_month.c.path)
            .distinct()
            .outerjoin(
                archive_month,
                sa.and_(archive_month.c.list_id == message.c.list_id, archive_month.c.month == message.c.month),
            )
            .where(message.c.reading_rules < rules)
            .order_by(message.c.list_id, message.c.month)
        )
        return list(self.load_records(StaleMonth, months))

    def expire_readings(self) -> None:
        self._connection.execute(sa.update(message).values(reading_rules=0))

    def count_stale(self, list_id: str, month: str, rules: int) -> int:
        where = sa.and_(message.c.list_id == list_id, message.c.month == month, message.c.reading_rules < rules)
        return self.count_rows(message, where)

    def _keep_earlier(
        self, changed: Sequence[tuple[Message, Message]], rows: Sequence[Row], rules: int, at: datetime
    ) -> None:
        ids = [before.message_id for before, _ in changed]
        columns = sa.select(message.c.message_id, message.c.reading_rules)
        read_by = self.iter_matching(columns, message.c.message_id, ids)
        versions = {row.message_id: row.reading_rules for row in read_by}
        kept: list[Row] = [
            {"message_id": i, "reading_rules": versions[i], "replaced_by": rules, "replaced_at": at, "reading": row}
            for i, row in zip(ids, rows, strict=True)
        ]
        self.insert_new(earlier_reading, kept)


def _reading(found: Message) -> Row:
    """The reading of a mail in its stored form."""
    cleaned: Row = clean_value(to_plain(reading_row(found)))
    return cleaned

"""Dormancy warnings and their deliveries: at most one of each per silence, never changed."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.part import Part, as_row
from kipflow.adapters.store.tables.decisions import proposal, warning, warning_delivery
from kipflow.domain.facts import SilenceWarning


class Warnings(Part):
    """The part of `SqlHistory` for warnings of dormancy."""

    def load_warnings(self, number: int, *, known_at: datetime | None = None) -> tuple[SilenceWarning, ...]:
        """The proposal's warnings that were recorded by `known_at` (None: all), in order of time."""
        columns = [column for column in warning.c if column is not warning.c.number]
        delivered = sa.and_(
            warning_delivery.c.number == warning.c.number, warning_delivery.c.silent_at == warning.c.silent_at
        )
        if known_at is not None:
            delivered = sa.and_(delivered, warning_delivery.c.delivered_at <= known_at)
        statement = (
            sa.select(*columns, warning_delivery.c.delivered_at)
            .select_from(warning.outerjoin(warning_delivery, delivered))
            .where(warning.c.number == number)
            .order_by(warning.c.as_of, warning.c.silent_at)
        )
        if known_at is not None:
            statement = statement.where(warning.c.recorded_at <= known_at)
        return self.load_records(SilenceWarning, statement)

    def save_warning(self, number: int, given: SilenceWarning) -> bool:
        # when it was delivered is known later, and stored in another table because a warning is never changed
        row = as_row(given, without={"delivered_at"}, number=number)
        return self.count_new(warning, [row]) > 0

    def save_delivery(self, number: int, *, silent_at: datetime, at: datetime, key: str) -> bool:
        """Note that the author received the warning; False if that was noted before."""
        row = {"number": number, "silent_at": silent_at, "delivered_at": at, "key": key}
        return self.count_new(warning_delivery, [row]) > 0

    def find_followed_since(self, number: int) -> datetime | None:
        """When the proposal's history was first recorded."""
        return self._connection.scalar(sa.select(proposal.c.followed_since).where(proposal.c.number == number))

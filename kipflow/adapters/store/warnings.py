"""Warnings of dormancy: given once for each silence, never changed."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.statements import count_new
from kipflow.adapters.store.tables import proposal, warning
from kipflow.domain.facts import SilenceWarning


def load_warnings(connection: sa.Connection, number: int, *, known_at: datetime | None = None) -> list[SilenceWarning]:
    """Those on the proposal that were recorded by `known_at` (None: all), in order of time."""
    columns = [column for column in warning.c if column is not warning.c.number]
    statement = sa.select(*columns).where(warning.c.number == number).order_by(warning.c.as_of, warning.c.silent_at)
    if known_at is not None:
        statement = statement.where(warning.c.recorded_at <= known_at)
    return [SilenceWarning(**row._mapping) for row in connection.execute(statement)]


def save_warning(connection: sa.Connection, number: int, given: SilenceWarning) -> bool:
    """False if a warning of that silence is held already: it stays as it is."""
    return count_new(connection, warning, [{"number": number, **asdict(given)}]) > 0


def find_followed_since(connection: sa.Connection, number: int) -> datetime | None:
    """When the proposal's history was first recorded."""
    return connection.scalar(sa.select(proposal.c.followed_since).where(proposal.c.number == number))

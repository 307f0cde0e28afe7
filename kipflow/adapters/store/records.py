"""Records as rows of tables whose columns have the names of their fields."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from datetime import date
from typing import Any, TypeVar

import sqlalchemy as sa

from kipflow.adapters.store.statements import Row
from kipflow.domain.records import from_plain, to_plain

T = TypeVar("T")


def as_row(record: Any, *, without: Collection[str] = (), **more: Any) -> Row:
    """The record's fields by name, in the form in which columns take them, and `more` columns."""
    values = ((f.name, getattr(record, f.name)) for f in fields(record) if f.name not in without)
    return {**{name: value if isinstance(value, date) else to_plain(value) for name, value in values}, **more}


def from_row(kind: type[T], row: sa.Row[Any], **given: Any) -> T:
    """The record of this kind in the row's columns; `given` are fields that they do not have as they are."""
    return from_plain(kind, row._asdict(), **given)

"""What files of mail that broke off left out: of each month what is known to be missing, until a whole file has it.

A whole file that lacks the mail in which another one broke off proves nothing about the rest, whichever was read
first. So a month stays broken until a file that vouches for itself holds that mail, the archive itself gives the
month, or an operator says that the files hold all mail until a time after the break was seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.clocks import month_start, next_month
from kipflow.services.ports import Marks


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A file that broke off, `why`, and the mail that it left out; an empty id: not enough of it was there."""

    why: str
    message_id: str
    seen_at: datetime


def load_breaks(marks: Marks, list_id: str, month: str) -> tuple[Break, ...]:
    """The breaks of a month that nothing has made up for."""
    rows = json.loads(marks.load(name_breaks(list_id, month)) or "[]")
    return tuple(
        Break(why=why, message_id=message_id, seen_at=datetime.fromisoformat(seen_at))
        for why, message_id, seen_at in rows
    )


def save_breaks(marks: Marks, list_id: str, month: str, breaks: Iterable[Break]) -> None:
    rows = [(one.why, one.message_id, one.seen_at.isoformat()) for one in breaks]
    name = name_breaks(list_id, month)
    if rows or marks.load(name):
        marks.save(name, json.dumps(rows))


def is_settled(one: Break, month: str, through: datetime | None) -> bool:
    """Whether an operator's word that all mail is held `through` that time covers what a file left out."""
    return through is not None and through >= min(one.seen_at, month_start(next_month(month)))


def join_breaks(*groups: Iterable[Break]) -> tuple[Break, ...]:
    """All of them, each mail once; of what has no id, each reason once."""
    return tuple({one.message_id or one.why: one for group in groups for one in group}.values())


def name_breaks(list_id: str, month: str) -> str:
    """The mark that keeps the breaks of a month."""
    return f"broken/{list_id}/{month}"

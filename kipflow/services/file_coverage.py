"""Up to when files hold the months of their lists: what each file proves, and what truncated files left out.

A complete file without the mail at which another file broke off proves nothing about the rest. So a month stays
incomplete until a complete file holds that mail, the archive itself gives the month, or an operator states that the
files hold all mail until a time after the break was seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from kipflow.domain.arrivals import UNRECORDED
from kipflow.domain.clocks import month_end, month_start
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.services.landing import FROM_FILES
from kipflow.services.ports import Marks, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A truncated file: `why`, and the mail at its break; an empty id: too little of the mail was there."""

    why: str
    message_id: str
    seen_at: datetime


def load_breaks(marks: Marks, list_id: str, month: str) -> tuple[Break, ...]:
    """The breaks of a month that are not settled."""
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
    """Whether an operator's statement that all mail is held `through` that time covers a break."""
    return through is not None and through >= min(one.seen_at, month_end(month))


def join_breaks(*groups: Iterable[Break]) -> tuple[Break, ...]:
    """All breaks, each mail once; those without an id, each reason once."""
    return tuple({one.message_id or one.why: one for group in groups for one in group}.values())


def name_breaks(list_id: str, month: str) -> str:
    """The name of the mark that stores the breaks of a month."""
    return f"broken/{list_id}/{month}"


#: Values of `arrived_from` that prove no arrival; an archive's "epoch" is in exports of threads, which are no months.
_UNPROVEN = UNRECORDED | {"epoch"}
_UNVOUCHED = f"{FROM_FILES}, and nothing in them says up to when (`kipflow ingest FILE --complete-through TIME`)"
_NO_ID = "; too little of its last mail is there to know it again in another file (`kipflow ingest --complete-through`)"
#: A list and one of its months.
_Key = tuple[str, str]


@dataclass(slots=True)
class _File:
    """What one file holds: mails of each month, the last recorded arrival on each list, and its breaks.

    `found`: mails at which other files broke off.
    """

    mails: dict[_Key, int] = field(default_factory=dict)
    through: dict[str, datetime] = field(default_factory=dict)
    breaks: list[Break] = field(default_factory=list)
    begun: set[_Key] = field(default_factory=set)
    found: set[str] = field(default_factory=set)

    def vouches(self, complete_through: datetime | None) -> bool:
        """Whether the file is complete, and so settles breaks of others."""
        return any(self.find_until(list_id, complete_through) for list_id, _ in self.mails)

    def find_until(self, list_id: str, complete_through: datetime | None) -> datetime | None:
        """Up to when the file holds a list: by the operator's statement, or its last arrival if a whole mbox."""
        if self.breaks:
            return None
        return complete_through or (self.through.get(list_id) if sum(self.mails.values()) > 1 else None)


class FileMonths:
    """Collects what files hold while they are read, then saves the coverage of their months."""

    def __init__(self, session: Session, seen_at: datetime) -> None:
        self._now = seen_at
        self._files: dict[str, _File] = {}
        keys = [key for key, month in session.mail.load_months().items() if _is_from_files(month)]
        self._open = {key: breaks for key in keys if (breaks := load_breaks(session.marks, *key))}
        self._missing = {one.message_id for breaks in self._open.values() for one in breaks} - {""}

    def add(self, name: str, item: Message | Unreadable) -> None:
        """Note an item that was read from the file of that name."""
        file = self._files.setdefault(name, _File())
        if isinstance(item, Unreadable):
            if item.lost:
                self._add_lost(file, item)
            return
        if item.message_id in self._missing:
            file.found.add(item.message_id)
        if item.arrived_at is None or item.arrived_at > self._now:
            return
        key = (item.list_id, f"{item.arrived_at:%Y-%m}")
        file.mails[key] = file.mails.get(key, 0) + 1
        if item.arrived_from not in _UNPROVEN:
            file.through[item.list_id] = max(item.arrived_at, file.through.get(item.list_id, item.arrived_at))

    def _add_lost(self, file: _File, item: Unreadable) -> None:
        why = f"{item.source}: {item.why}{'' if item.message_id else _NO_ID}"
        file.breaks.append(Break(why=why, message_id=item.message_id, seen_at=self._now))
        self._missing |= {item.message_id} - {""}
        if item.arrived_at is not None and item.arrived_at <= self._now:
            file.begun.add((item.list_id, f"{item.arrived_at:%Y-%m}"))

    def save(self, session: Session, complete_through: datetime | None) -> dict[_Key, str]:
        """Save the months, except the archive's own. Returns those that broke off now, with the reason."""
        known = session.mail.load_months()
        held, new = self._find_held(complete_through), self._find_new()
        found = {mail for f in self._files.values() for mail in f.found if f.vouches(complete_through)}
        broken: dict[_Key, str] = {}
        for key in sorted(held.keys() | new.keys() | self._open.keys()):
            before = known.get(key)
            if before is not None and not _is_from_files(before):
                continue
            through = complete_through if key in held else None
            old = [one for one in self._open.get(key, ()) if not is_settled(one, key[1], through)]
            left = tuple(one for one in join_breaks(old, new.get(key, ())) if one.message_id not in found)
            if key not in held and key not in new and left == self._open[key]:
                continue
            save_breaks(session.marks, *key, left)
            if left and key in new:
                broken[key] = left[-1].why
            self._save_month(session, key, before, held.get(key, (0, None)), left)
        return broken

    def _find_held(self, complete_through: datetime | None) -> dict[_Key, tuple[int, datetime | None]]:
        """Month → number of its mails, and until when it is held (None: unknown)."""
        held: dict[_Key, tuple[int, datetime | None]] = {}
        for file in self._files.values():
            for key, mails in file.mails.items():
                count, before = held.get(key, (0, None))
                until = file.find_until(key[0], complete_through)
                times = [t for t in (before, until) if t is not None and t >= month_start(key[1])]
                held[key] = count + mails, max(times, default=None)
        return held

    def _find_new(self) -> Mapping[_Key, tuple[Break, ...]]:
        """Month → new breaks. The break of a file without mail counts for every month."""
        every = {key for file in self._files.values() for key in file.mails}
        new: dict[_Key, tuple[Break, ...]] = {}
        for file in self._files.values():
            for key in (file.mails.keys() | file.begun or every) if file.breaks else ():
                new[key] = join_breaks(new.get(key, ()), file.breaks)
        return new

    def _save_month(
        self,
        session: Session,
        key: _Key,
        before: ArchiveMonth | None,
        held: tuple[int, datetime | None],
        breaks: tuple[Break, ...],
    ) -> None:
        list_id, month = key
        mails, until = held
        is_whole = until is not None and not breaks
        why = FROM_FILES if is_whole else f"{FROM_FILES}: {breaks[-1].why}" if breaks else _UNVOUCHED
        at = min(until or self._now, month_end(month), self._now)
        if before is not None and not breaks and not _is_better(before, at, is_whole=is_whole):
            return
        status = "complete" if is_whole else "partial"
        count = max(mails, before.mails if before else 0)
        session.mail.save_month(
            ArchiveMonth(list_id=list_id, month=month, status=status, fetched_at=at, mails=count, why=why)
        )


def _is_from_files(month: ArchiveMonth) -> bool:
    return month.why.startswith(FROM_FILES)


def _is_better(before: ArchiveMonth, at: datetime, *, is_whole: bool) -> bool:
    """Whether complete files say more about a month than is known."""
    if before.why.startswith(f"{FROM_FILES}:"):
        return True
    return is_whole and (before.status != "complete" or at > before.fetched_at)

"""Months of the archive: which to fetch (missing or changed ones), what landed as files, and how it is handed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from kipflow.domain.clocks import list_months, month_end
from kipflow.domain.errors import KipflowError, ServiceUnavailable
from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.texts import say_count
from kipflow.mbox.files import count_starts
from kipflow.services.away import note_recovery
from kipflow.services.ports import Archive, Landed, Report, Store

#: How the reason begins for which a month is held that is not from the archive.
FROM_FILES = "read from files"
HELD_UP_TO = "held up to"


class WrongRange(KipflowError):
    """A range of months whose first is after its last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedMonth:
    """A month to fetch. `stats` is the digest of the archive's statistics on it ("" if not fetched), `mails` their
    count."""

    list_id: str
    month: str
    stats: str = ""
    mails: int = 0


def find_wanted_months(
    store: Store, archive: Archive, lists: Sequence[str], as_of: datetime, *, since: str
) -> tuple[list[WantedMonth], Report]:
    """The months from `since` to `as_of` that are not held or have changed.

    A month never read from the archive is always wanted. Of the others, those that can still grow are checked by the
    archive's cheap statistics: one or two requests per list. Unchanged months are noted as held up to `as_of`.
    """
    with store.begin() as session:
        held = session.mail.load_months()
    wanted: list[WantedMonth] = []
    unchanged: list[ArchiveMonth] = []
    warnings: list[str] = []
    for list_id in lists:
        ours = [m for (of, _), m in held.items() if of == list_id]
        if ours and not any(m.mails for m in ours) and all(m.status == "complete" for m in ours):
            warnings.append(_say_silent(list_id, len(ours)))
        for month in list_months(since, f"{as_of:%Y-%m}"):
            known = held.get((list_id, month))
            if known is None or known.why.startswith(FROM_FILES):
                wanted.append(WantedMonth(list_id=list_id, month=month))
            elif not is_settled(known):
                try:
                    stats = archive.fetch_stats(list_id, month)
                except ServiceUnavailable as error:
                    # statistics are a shortcut; without them the month itself is fetched
                    warnings.append(str(error))
                    wanted.append(WantedMonth(list_id=list_id, month=month))
                    continue
                if known.status == "complete" and stats.digest == _load_stats(store, list_id, month):
                    # a note on lost mails stays; one on a failed download is out of date
                    why = "" if known.why.startswith(HELD_UP_TO) else known.why
                    unchanged.append(replace(known, fetched_at=as_of, why=why))
                else:
                    wanted.append(WantedMonth(list_id=list_id, month=month, stats=stats.digest, mails=stats.mails))
    _note_answers(store, wanted, unchanged)
    counts = {"months_wanted": len(wanted), "months_unchanged": len(unchanged)}
    return wanted, Report(counts=counts, warnings=tuple(warnings))


def _note_answers(store: Store, wanted: Sequence[WantedMonth], unchanged: Sequence[ArchiveMonth]) -> None:
    if unchanged or any(one.stats for one in wanted):
        note_recovery(store, "archive")
    if unchanged:
        with store.begin() as session:
            for known in unchanged:
                session.mail.save_month(known)


def wanted_range(lists: Sequence[str], first: str, last: str, *, as_of: datetime | None = None) -> list[WantedMonth]:
    """Every month from `first` to `last` (such as "2024-01", both included), for a backfill.

    Months after `as_of` are left out: they would count as held before they began.

    Raises:
        WrongRange: the first month is later than the last.
    """
    if first > last:
        raise WrongRange(f"{first} is later than {last}: name the earlier month as the first")
    end = last if as_of is None else min(last, f"{as_of:%Y-%m}")
    return [WantedMonth(list_id=x, month=m) for x in lists for m in list_months(first, end)]


def is_settled(month: ArchiveMonth) -> bool:
    """Whether a month can no longer change: complete, read after its end, no failed download since."""
    is_whole = month.status == "complete" and not month.why.startswith(HELD_UP_TO)
    return is_whole and month.fetched_at >= month_end(month.month)


def stats_mark(list_id: str, month: str) -> str:
    return f"stats/{list_id}/{month}"


def _load_stats(store: Store, list_id: str, month: str) -> str | None:
    with store.begin() as session:
        return session.marks.load(stats_mark(list_id, month))


def _say_silent(list_id: str, months: int) -> str:
    return f"{list_id}: the archive has no mail of it in {say_count(months, 'month')}; is that its address?"


def find_raw_file(raw: Path, list_id: str, month: str) -> Path:
    """The path of a list's raw month below `raw`."""
    return raw / list_id / f"{month}.mbox"


def count_new(landed: Iterable[Landed], held: Mapping[tuple[str, str], ArchiveMonth]) -> int:
    """An estimate of how many mails of these files are not stored yet, by the months in `held`."""
    new = 0
    for one in landed:
        known = held.get((one.month.list_id, one.month.month))
        if one.file is not None:  # of a partial month it is unknown which mails are stored
            read = known.mails if known is not None and known.status == "complete" else 0
            new += max(0, count_starts(one.file) - read)
    return new

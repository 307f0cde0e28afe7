"""Mail from the archive: which months changed, landing them as files, turning files into facts.

A month is marked as read in the transaction that stores its last mail, so that a crash at any point
leads to reading it again, never to losing it; what is known already changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path

from kipflow.domain.clocks import month_start, next_month
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.mail import version
from kipflow.mail.archive import read_mbox
from kipflow.services.ports import Archive, MonthStats, Report, Store

#: Mails per transaction: large enough to be quick, small enough to keep other writers waiting briefly.
BATCH = 500
#: Connections to the archive at one time. It is shared by all of Apache.
POLITE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A month to fetch. `stats` is the digest of the statistics that told so ("" if none were asked)."""

    list_id: str
    month: str
    stats: str = ""
    mails: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """A month that lies in a file, with the statistics it answers."""

    month: ArchiveMonth
    stats: str


def find_wanted_months(
    store: Store, archive: Archive, lists: Sequence[str], as_of: datetime, *, since: str
) -> tuple[list[Wanted], Report]:
    """The months from `since` to `as_of` that are not held or have changed.

    A month never read is wanted without asking; of the others only those that can still grow are asked
    for, by the archive's cheap statistics: one or two requests for each list. Months seen unchanged are
    noted as held up to `as_of`.
    """
    with store.begin() as session:
        held = {(m.list_id, m.month): m for m in session.load_months()}
    wanted: list[Wanted] = []
    unchanged: list[ArchiveMonth] = []
    warnings: list[str] = []
    for list_id in lists:
        for month in _months(since, as_of):
            known = held.get((list_id, month))
            if known is None:
                wanted.append(Wanted(list_id=list_id, month=month))
            elif not _is_settled(known):
                try:
                    stats = archive.fetch_stats(list_id, month)
                except ServiceUnavailable as error:
                    # statistics are a shortcut; without them the month itself is asked for
                    warnings.append(str(error))
                    wanted.append(Wanted(list_id=list_id, month=month))
                    continue
                if known.status == "complete" and stats.digest == _load_stats(store, stats):
                    unchanged.append(replace(known, fetched_at=as_of, why=""))
                else:
                    wanted.append(Wanted(list_id=list_id, month=month, stats=stats.digest, mails=stats.mails))
    if unchanged:
        with store.begin() as session:
            for known in unchanged:
                session.save_month(known)
    counts = {"months_wanted": len(wanted), "months_unchanged": len(unchanged)}
    return wanted, Report(counts=counts, warnings=tuple(warnings))


def wanted_range(lists: Sequence[str], first: str, last: str) -> list[Wanted]:
    """Every month from `first` to `last` (both "2024-01", included), held or not: a backfill."""
    return [Wanted(list_id=x, month=m) for x in lists for m in _months(first, month_start(last))]


def fetch_months(
    archive: Archive,
    wanted: Sequence[Wanted],
    raw: Path,
    now: datetime,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
) -> list[Landed]:
    """Stream the wanted months to files under `raw`/LIST/MONTH.mbox, politely, and verify them."""

    def fetch(one: Wanted) -> Landed:
        target = find_raw_file(raw, one.list_id, one.month)
        target.parent.mkdir(parents=True, exist_ok=True)
        # asked before the month itself: mail that comes in between makes the next poll read it again
        stats = one.stats or _find_stats(archive, one, now)
        month = archive.fetch_month(one.list_id, one.month, target, now=now)
        on_progress(f"{one.list_id} {one.month}: {month.status}, {month.size} bytes {month.why}".rstrip())
        return Landed(month=month, stats=stats)

    with ThreadPoolExecutor(max_workers=POLITE) as pool:
        return list(pool.map(fetch, wanted))


def find_raw_file(raw: Path, list_id: str, month: str) -> Path:
    """Where the raw month of a list lies below `raw`."""
    return raw / list_id / f"{month}.mbox"


def save_landing(landed: Sequence[Landed], path: Path) -> Path:
    """Write what landed as JSON at `path`, for a later step or process to read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"stats": x.stats, "month": asdict(x.month)} for x in landed]
    path.write_text(json.dumps(rows, default=_to_json, indent=1), encoding="utf-8")
    return path


def load_landing(path: Path) -> list[Landed]:
    """What `save_landing` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [
        Landed(
            stats=row["stats"],
            month=ArchiveMonth(**{**row["month"], "fetched_at": datetime.fromisoformat(row["month"]["fetched_at"])}),
        )
        for row in rows
    ]


def save_manifest(landed: Sequence[Landed], path: Path, *, prefix: str) -> Path:
    """Write the readable files of a landing as the manifest that `read_archives.py` takes."""
    files = [
        {"path": x.month.path, "list_id": x.month.list_id, "month": x.month.month} for x in landed if is_readable(x)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"prefix": prefix, "files": files}, indent=1), encoding="utf-8")
    return path


def is_readable(landed: Landed) -> bool:
    """Whether a landed month holds mails: a truncated one does, up to where it breaks off."""
    return landed.month.status in {"complete", "partial"} and landed.month.path is not None


def count_mails(landed: Iterable[Landed]) -> int:
    """About how many mails lie in these files, by their envelope lines: enough to choose how to read."""
    total = 0
    for one in landed:
        if is_readable(one) and one.month.path is not None:
            with open(one.month.path, "rb") as file:
                total += sum(chunk.count(b"\nFrom ") for chunk in iter(lambda: file.read(1 << 20), b"")) + 1
    return total


def read_months(store: Store, landed: Sequence[Landed], *, prefix: str, seen_at: datetime) -> Report:
    """Read landed months in process and store their mails."""
    totals = Totals()
    for one in landed:
        if is_readable(one) and one.month.path is not None:
            mails = read_mbox(Path(one.month.path), list_id=one.month.list_id, month=one.month.month, prefix=prefix)
            _store_month(store, one, mails, seen_at, totals)
        else:
            _finish_month(store, one, 0, totals)
    return totals.report()


def upsert_read(
    store: Store, landed: Sequence[Landed], items: Iterable[Message | Unreadable], *, seen_at: datetime
) -> Report:
    """Store what Spark read from landed months. `items` may come in any order."""
    totals = Totals()
    mails: dict[tuple[str, str], int] = {}
    for batch in _batches(items):
        _store_batch(store, batch, seen_at, totals)
        for item in batch:
            mails[item.list_id, item.month] = mails.get((item.list_id, item.month), 0) + 1
    for one in landed:
        _finish_month(store, one, mails.get((one.month.list_id, one.month.month), 0), totals)
    return totals.report()


def ingest_items(store: Store, items: Iterable[Message | Unreadable], *, seen_at: datetime) -> Report:
    """Store messages read from files that no archive month stands behind."""
    totals = Totals()
    store_batches(store, items, seen_at, totals)
    return totals.report()


class Totals:
    """What storing many batches came to."""

    def __init__(self) -> None:
        self.new = self.known = self.reread = self.unreadable = 0
        self.touched: set[int] = set()
        self.warnings: list[str] = []

    def report(self) -> Report:
        counts = {
            "new": self.new,
            "known": self.known,
            "read_otherwise": self.reread,
            "unreadable": self.unreadable,
            "proposals_touched": len(self.touched),
        }
        return Report(counts=counts, warnings=tuple(self.warnings))


def _store_month(
    store: Store, one: Landed, mails: Iterable[Message | Unreadable], seen_at: datetime, totals: Totals
) -> None:
    _finish_month(store, one, store_batches(store, mails, seen_at, totals), totals)


def store_batches(store: Store, items: Iterable[Message | Unreadable], seen_at: datetime, totals: Totals) -> int:
    """Store what was read by today's rules, a transaction for each batch; how many items that were."""
    count = 0
    for batch in _batches(items):
        _store_batch(store, batch, seen_at, totals)
        count += len(batch)
    return count


def _store_batch(store: Store, batch: list[Message | Unreadable], seen_at: datetime, totals: Totals) -> None:
    bad = [x for x in batch if isinstance(x, Unreadable)]
    with store.begin() as session:
        report = session.save_messages(
            (x for x in batch if isinstance(x, Message)), seen_at=seen_at, reading_rules=version.READING_RULES
        )
        totals.unreadable += session.save_unreadable(bad, seen_at=seen_at) if bad else 0
    totals.new += report.new
    totals.known += report.known
    totals.reread += report.reread
    totals.touched |= report.touched


def _finish_month(store: Store, one: Landed, mails: int, totals: Totals) -> None:
    """Mark a month as held, after all of its mails are stored.

    What was held once stays held: a month that comes badly now, or with fewer mails, takes no ground from what
    was decided on the whole of it. It counts as held up to its last good look, and is asked for again.
    """
    month = replace(one.month, mails=mails)
    with store.begin() as session:
        before = {(m.list_id, m.month): m for m in session.load_months(month.list_id)}.get((month.list_id, month.month))
        bad = "" if month.status == "complete" else f"{month.status}: {month.why}".rstrip(": ")
        if before is not None and not bad and mails < before.mails:
            # an archive never loses mail in good order
            bad = f"shrank from {before.mails} to {mails} mails"
        if bad:
            totals.warnings.append(f"{month.list_id} {month.month}: {bad}")
        if before is not None and before.status == "complete" and bad:
            month = replace(before, why=f"held up to {before.fetched_at:%Y-%m-%d %H:%M} UTC; since then {bad}")
        elif bad and before is not None:
            month = replace(month, mails=max(mails, before.mails))
        session.save_month(month)
        if not bad and one.stats:
            session.save_mark(_stats_mark(month.list_id, month.month), one.stats)


def _batches(items: Iterable[Message | Unreadable]) -> Iterator[list[Message | Unreadable]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _months(first: str, as_of: datetime) -> Iterator[str]:
    month, last = first, f"{as_of:%Y-%m}"
    while month <= last:
        yield month
        month = next_month(month)


def _is_settled(month: ArchiveMonth) -> bool:
    """Whether a month can no longer change: complete, and read after its end."""
    return month.status == "complete" and month.fetched_at >= month_start(next_month(month.month))


def _stats_mark(list_id: str, month: str) -> str:
    return f"stats/{list_id}/{month}"


def _load_stats(store: Store, stats: MonthStats) -> str | None:
    with store.begin() as session:
        return session.load_mark(_stats_mark(stats.list_id, stats.month))


def _find_stats(archive: Archive, one: Wanted, now: datetime) -> str:
    if month_start(next_month(one.month)) <= now:
        return ""  # over and done: nobody will ask whether it changed
    try:
        return archive.fetch_stats(one.list_id, one.month).digest
    except ServiceUnavailable:
        return ""


def _to_json(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value).__name__)

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
from itertools import groupby, islice
from pathlib import Path

from kipflow.domain.clocks import month_start, next_month
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.mail import version
from kipflow.mail.archive import read_mbox
from kipflow.services.knownmails import MailFilter, drop_known_mails, load_known_mails, save_known_mails
from kipflow.services.ports import Archive, MonthStats, Report, Store

#: Mails per transaction: large enough to be quick, small enough to keep other writers waiting briefly.
BATCH = 500
#: Connections to the archive at one time. It is shared by all of Apache.
POLITE = 2
#: Why a month counts as held that no archive gave.
FROM_FILES = "read from files"
_HELD_UP_TO = "held up to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A month to fetch. `stats` is the digest of the statistics that told so ("" if none were asked)."""

    list_id: str
    month: str
    stats: str = ""
    mails: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """A month that lies in a file, with the statistics it answers.

    `counted` is how many mails these tell of; 0 where they do not.
    """

    month: ArchiveMonth
    stats: str
    counted: int = 0


def find_wanted_months(
    store: Store, archive: Archive, lists: Sequence[str], as_of: datetime, *, since: str
) -> tuple[list[Wanted], Report]:
    """The months from `since` to `as_of` that are not held or have changed.

    A month never read from the archive is wanted without asking; of the others only those that can still grow are asked
    for, by the archive's cheap statistics: one or two requests for each list. Months seen unchanged are
    noted as held up to `as_of`.
    """
    with store.begin() as session:
        held = {(m.list_id, m.month): m for m in session.load_months()}
    wanted: list[Wanted] = []
    unchanged: list[ArchiveMonth] = []
    warnings: list[str] = []
    for list_id in lists:
        ours = [m for (of, _), m in held.items() if of == list_id]
        if ours and not any(m.mails for m in ours) and all(m.status == "complete" for m in ours):
            warnings.append(_say_silent(list_id, len(ours)))
        for month in _months(since, as_of):
            known = held.get((list_id, month))
            if known is None or known.why == FROM_FILES:
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
                    unchanged.append(replace(known, fetched_at=as_of, why=_find_lasting(known.why)))
                else:
                    wanted.append(Wanted(list_id=list_id, month=month, stats=stats.digest, mails=stats.mails))
    if unchanged:
        with store.begin() as session:
            for known in unchanged:
                session.save_month(known)
    counts = {"months_wanted": len(wanted), "months_unchanged": len(unchanged)}
    return wanted, Report(counts=counts, warnings=tuple(warnings))


def wanted_range(lists: Sequence[str], first: str, last: str, *, as_of: datetime | None = None) -> list[Wanted]:
    """Every month from `first` to `last` (both "2024-01", included), held or not: a backfill.

    Months after `as_of` are left out: empty as they are, they would count as held before they began.
    """
    end = month_start(last) if as_of is None else min(month_start(last), as_of)
    return [Wanted(list_id=x, month=m) for x in lists for m in _months(first, end)]


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
        stats, counted = (one.stats, one.mails) if one.stats else _find_stats(archive, one, now)
        month = archive.fetch_month(one.list_id, one.month, target, now=now)
        on_progress(f"{one.list_id} {one.month}: {month.status}, {month.size} bytes {month.why}".rstrip())
        return Landed(month=month, stats=stats, counted=counted)

    with ThreadPoolExecutor(max_workers=POLITE) as pool:
        return list(pool.map(fetch, wanted))


def find_raw_file(raw: Path, list_id: str, month: str) -> Path:
    """Where the raw month of a list lies below `raw`."""
    return raw / list_id / f"{month}.mbox"


def save_landing(landed: Sequence[Landed], path: Path) -> Path:
    """Write what landed as JSON at `path`, for a later step or process to read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"stats": x.stats, "counted": x.counted, "month": asdict(x.month)} for x in landed]
    path.write_text(json.dumps(rows, default=_to_json, indent=1), encoding="utf-8")
    return path


def load_landing(path: Path) -> list[Landed]:
    """What `save_landing` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [
        Landed(
            stats=row["stats"],
            counted=row.get("counted", 0),
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
    """Read landed months in process and store their mails; of a month that was read before only what is new."""
    totals = Totals()
    for one in landed:
        if is_readable(one) and one.month.path is not None:
            _read_month(store, one, Path(one.month.path), prefix, seen_at, totals)
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
        self.bad_months: list[tuple[str, str, str]] = []

    def report(self) -> Report:
        counts = {
            "new": self.new,
            "known": self.known,
            "read_otherwise": self.reread,
            "unreadable": self.unreadable,
            "proposals_touched": len(self.touched),
        }
        return Report(counts=counts, warnings=(*self.warnings, *say_months(self.bad_months)))


def say_months(bad: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """A line for each month (list, month, why); one for all that follow each other with the same reason."""
    for (list_id, why), group in groupby(bad, key=lambda one: (one[0], one[2])):
        months = [month for _, month, _ in group]
        span = months[0] if len(months) == 1 else f"{months[0]} to {months[-1]} ({len(months)} months)"
        yield f"{list_id} {span}: {why}"


def _read_month(store: Store, one: Landed, path: Path, prefix: str, seen_at: datetime, totals: Totals) -> None:
    list_id, month = one.month.list_id, one.month.month
    with store.read() as session:
        mails = MailFilter(load_known_mails(session, list_id, month))
    found = read_mbox(path, list_id=list_id, month=month, prefix=prefix, is_wanted=mails.is_new)
    stored = store_batches(store, found, seen_at, totals)
    totals.known += mails.skipped
    _finish_month(store, one, stored + mails.skipped, totals, mails.seen)


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


def _finish_month(store: Store, one: Landed, mails: int, totals: Totals, seen: Sequence[str] | None = None) -> None:
    """Mark a month as held, after all of its mails are stored; `seen` are the digests of all of them.

    What was held once stays held: a month that comes badly now, or with fewer mails than the archive itself
    counts, takes no ground from what was decided on the whole of it. It counts as held up to its last good
    look, and is asked for again. A month that has lost mails by the archive's own count is as whole as it gets.
    """
    month = replace(one.month, mails=mails)
    with store.begin() as session:
        before = {(m.list_id, m.month): m for m in session.load_months(month.list_id)}.get((month.list_id, month.month))
        bad = "" if month.status == "complete" else f"{month.status}: {month.why}".rstrip(": ")
        if before is not None and not bad and mails < before.mails:
            if one.counted == mails:
                gone = f"the archive has {mails} mails of the {before.mails} that it had; what was read of them stays"
                month = replace(month, why=gone)
            else:
                bad = f"shrank from {before.mails} to {mails} mails"
        told = bad or (month.why if before is None or before.why != month.why else "")
        if told:
            totals.bad_months.append((month.list_id, month.month, told))
        if before is not None and before.status == "complete" and bad:
            month = replace(before, why=f"{_HELD_UP_TO} {before.fetched_at:%Y-%m-%d %H:%M} UTC; since then {bad}")
        elif bad and before is not None:
            month = replace(month, mails=max(mails, before.mails))
        session.save_month(month)
        if not bad and one.stats:
            session.save_mark(_stats_mark(month.list_id, month.month), one.stats)
        if _is_settled(month):
            drop_known_mails(session, month.list_id, month.month)
        elif seen is not None:
            save_known_mails(session, month.list_id, month.month, seen)


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
    """Whether a month can no longer change: complete, and read after its end without a bad look since."""
    is_whole = month.status == "complete" and not month.why.startswith(_HELD_UP_TO)
    return is_whole and month.fetched_at >= month_start(next_month(month.month))


def _stats_mark(list_id: str, month: str) -> str:
    return f"stats/{list_id}/{month}"


def _load_stats(store: Store, stats: MonthStats) -> str | None:
    with store.begin() as session:
        return session.load_mark(_stats_mark(stats.list_id, stats.month))


def _find_lasting(why: str) -> str:
    """What stays true of a month that was seen unchanged: mails that are gone are gone; a bad look is over."""
    return "" if why.startswith(_HELD_UP_TO) else why


def _say_silent(list_id: str, months: int) -> str:
    span = "1 month" if months == 1 else f"{months} months"
    return f"{list_id}: the archive has no mail of it in {span}; is that its address?"


def _find_stats(archive: Archive, one: Wanted, now: datetime) -> tuple[str, int]:
    if month_start(next_month(one.month)) <= now:
        return "", 0  # over and done: nobody will ask whether it changed
    try:
        stats = archive.fetch_stats(one.list_id, one.month)
    except ServiceUnavailable:
        return "", 0
    return stats.digest, stats.mails


def _to_json(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value).__name__)

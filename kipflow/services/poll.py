"""Mail from the archive: which months changed, landing them as files, turning files into facts.

A month is marked as read in the transaction that stores its last mail, so that a crash at any point
leads to reading it again, never to losing it; what is known already changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from kipflow.domain.clocks import month_start, next_month
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.mail.archive import read_mbox
from kipflow.mbox.files import find_break
from kipflow.services.conditions import note_away, note_back
from kipflow.services.knownmails import MailFilter, drop_known_mails, load_known_mails, save_known_mails
from kipflow.services.landing import Landed, find_raw_file, is_readable, is_whole
from kipflow.services.ports import Archive, MonthStats, Report, Store
from kipflow.services.storing import Totals, batches, store_batch, store_batches

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


def find_wanted_months(
    store: Store, archive: Archive, lists: Sequence[str], as_of: datetime, *, since: str
) -> tuple[list[Wanted], Report]:
    """The months from `since` to `as_of` that are not held or have changed.

    A month never read from the archive is wanted without asking; of the others only those that can still grow are asked
    for, by the archive's cheap statistics: one or two requests for each list. Months seen unchanged are
    noted as held up to `as_of`.
    """
    with store.begin() as session:
        held = {(m.list_id, m.month): m for m in session.mail.load_months()}
    wanted: list[Wanted] = []
    unchanged: list[ArchiveMonth] = []
    warnings: list[str] = []
    for list_id in lists:
        ours = [m for (of, _), m in held.items() if of == list_id]
        if ours and not any(m.mails for m in ours) and all(m.status == "complete" for m in ours):
            warnings.append(_say_silent(list_id, len(ours)))
        for month in _months(since, as_of):
            known = held.get((list_id, month))
            if known is None or known.why.startswith(FROM_FILES):
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
    _note_answers(store, wanted, unchanged)
    counts = {"months_wanted": len(wanted), "months_unchanged": len(unchanged)}
    return wanted, Report(counts=counts, warnings=tuple(warnings))


def _note_answers(store: Store, wanted: Sequence[Wanted], unchanged: Sequence[ArchiveMonth]) -> None:
    if unchanged or any(one.stats for one in wanted):
        note_back(store, "archive")
    if unchanged:
        with store.begin() as session:
            for known in unchanged:
                session.mail.save_month(known)


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
    return list(_fetch_each(archive, wanted, raw, now, on_progress))


def poll_months(
    store: Store,
    archive: Archive,
    wanted: Sequence[Wanted],
    raw: Path,
    now: datetime,
    *,
    prefix: str,
    receivers: Sequence[str] = (),
    on_progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Fetch the wanted months and store their mails: each month is read while the next ones come.

    A run that is cut short has stored what it fetched.
    """
    totals = Totals()
    landed: list[Landed] = []
    # closed at once where storing fails: no month that has not begun is waited for
    with closing(_fetch_each(archive, wanted, raw, now, on_progress)) as months:
        for one in months:
            _store_month(store, one, prefix, receivers, now, totals)
            landed.append(one)
    note_reach(store, landed, now)
    return totals.report()


def note_reach(store: Store, landed: Sequence[Landed], at: datetime) -> None:
    """Note whether the archive could be reached, by what it gave."""
    if any(is_readable(one) for one in landed):
        note_back(store, "archive")
    elif landed:
        note_away(store, "archive", landed[0].month.why or landed[0].month.status, at=at)


def _fetch_each(
    archive: Archive, wanted: Sequence[Wanted], raw: Path, now: datetime, on_progress: Callable[[str], None]
) -> Generator[Landed, None, None]:
    """The wanted months in order, as they land."""

    def fetch(one: Wanted) -> Landed:
        target = find_raw_file(raw, one.list_id, one.month)
        target.parent.mkdir(parents=True, exist_ok=True)
        # asked before the month itself: mail that comes in between makes the next poll read it again
        stats, counted = (one.stats, one.mails) if one.stats else _find_stats(archive, one, now)
        month = archive.fetch_month(one.list_id, one.month, target, now=now)
        on_progress(f"{one.list_id} {one.month}: {month.status}, {month.size} bytes {month.why}".rstrip())
        return Landed(month=month, stats=stats, counted=counted)

    with ThreadPoolExecutor(max_workers=POLITE) as pool:
        try:
            yield from pool.map(fetch, wanted)
        finally:
            pool.shutdown(cancel_futures=True)


def read_months(
    store: Store, landed: Sequence[Landed], *, prefix: str, receivers: Sequence[str] = (), seen_at: datetime
) -> Report:
    """Read landed months in process and store their mails; of a month that was read before only what is new."""
    totals = Totals()
    for one in landed:
        _store_month(store, one, prefix, receivers, seen_at, totals)
    note_reach(store, landed, seen_at)
    return totals.report()


def upsert_read(
    store: Store, landed: Sequence[Landed], items: Iterable[Message | Unreadable], *, seen_at: datetime
) -> Report:
    """Store what Spark read from landed months. `items` may come in any order."""
    totals = Totals()
    mails: dict[tuple[str, str], int] = {}
    for batch in batches(items):
        store_batch(store, batch, seen_at, totals)
        for item in batch:
            mails[item.list_id, item.month] = mails.get((item.list_id, item.month), 0) + 1
    for one in landed:
        _finish_month(store, one, mails.get((one.month.list_id, one.month.month), 0), totals)
    note_reach(store, landed, seen_at)
    return totals.report()


def _store_month(
    store: Store, one: Landed, prefix: str, receivers: Sequence[str], seen_at: datetime, totals: Totals
) -> None:
    """Store what is new in a landed month, then mark it as held."""
    if not is_readable(one) or one.month.path is None:
        _finish_month(store, one, 0, totals)
        return
    list_id, month = one.month.list_id, one.month.month
    with store.read() as session:
        mails = MailFilter(load_known_mails(session.marks, list_id, month))
    found = read_mbox(
        Path(one.month.path),
        list_id=list_id,
        month=month,
        prefix=prefix,
        receivers=receivers,
        is_wanted=mails.is_new,
        whole=is_whole(one),
    )
    stored = store_batches(store, found, seen_at, totals)
    totals.known += mails.skipped
    _finish_month(store, one, stored + mails.skipped, totals, mails.seen)


def _finish_month(store: Store, one: Landed, mails: int, totals: Totals, seen: Sequence[str] | None = None) -> None:
    """Mark a month as held, after all of its mails are stored; `seen` are the digests of all of them.

    What was held once stays held: a month that comes badly now, or with fewer mails than the archive itself
    counts, takes no ground from what was decided on the whole of it. It counts as held up to its last good
    look, and is asked for again. A month that has lost mails by the archive's own count is as whole as it gets.
    """
    month = replace(_check_end(one), mails=mails)
    with store.begin() as session:
        before = {(m.list_id, m.month): m for m in session.mail.load_months(month.list_id)}.get(
            (month.list_id, month.month)
        )
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
            since = f"{_HELD_UP_TO} {before.fetched_at:%Y-%m-%d %H:%M} UTC; since then {bad}"
            # what only files gave stays theirs: a file that breaks off makes it partial, and every poll asks for it
            month = before if before.why.startswith(FROM_FILES) else replace(before, why=since)
        elif bad and before is not None:
            month = replace(month, mails=max(mails, before.mails))
        session.mail.save_month(month)
        if not bad and one.stats:
            session.marks.save(_stats_mark(month.list_id, month.month), one.stats)
        if _is_settled(month):
            drop_known_mails(session.marks, month.list_id, month.month)
        elif seen is not None:
            save_known_mails(session.marks, month.list_id, month.month, seen)


def _check_end(one: Landed) -> ArchiveMonth:
    """The month, partial where its file does not end as one does that was written to its end."""
    how = find_break(Path(one.month.path), whole=True) if is_whole(one) and one.month.path is not None else ""
    return replace(one.month, status="partial", why=f"its file breaks off {how}") if how else one.month


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
        return session.marks.load(_stats_mark(stats.list_id, stats.month))


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

"""Mail from the archive: download changed months as files, and store their mails.

A month is marked as read only after its last mail is stored, so that after a crash it is read again and never lost;
known mails change nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Unpack

from kipflow.domain.clocks import month_end
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.domain.policy import Reading
from kipflow.domain.times import say_moment
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.mbox.files import find_break
from kipflow.services.away import note_outage, note_recovery
from kipflow.services.landing import FROM_FILES, HELD_UP_TO, WantedMonth, find_raw_file, is_settled, stats_mark
from kipflow.services.ports import Archive, Landed, Report, Store
from kipflow.services.storing import MailFilter, Storing, load_known_mails, save_known_mails

#: Connections to the archive at one time: all of Apache shares it.
MAX_CONNECTIONS = 2


def fetch_months(
    archive: Archive,
    wanted: Sequence[WantedMonth],
    raw: Path,
    now: datetime,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Generator[Landed, None, None]:
    """Download the wanted months to `raw`/LIST/MONTH.mbox, a few at a time, and verify them: in order, as they land."""

    def fetch(one: WantedMonth) -> Landed:
        target = find_raw_file(raw, one.list_id, one.month)
        target.parent.mkdir(parents=True, exist_ok=True)
        # asked before the month itself: mail that arrives in between makes the next poll read it again
        stats, counted = (one.stats, one.mails) if one.stats else _find_stats(archive, one, now)
        month = archive.fetch_month(one.list_id, one.month, target, now=now)
        on_progress(f"{one.list_id} {one.month}: {month.status}, {month.size} bytes {month.why}".rstrip())
        return Landed(month=month, stats=stats, counted=counted)

    with ThreadPoolExecutor(max_workers=MAX_CONNECTIONS) as pool:
        try:
            yield from pool.map(fetch, wanted)
        finally:
            pool.shutdown(cancel_futures=True)


def poll_months(
    store: Store,
    archive: Archive,
    wanted: Sequence[WantedMonth],
    raw: Path,
    now: datetime,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
    **how: Unpack[Reading],
) -> Report:
    """Fetch the wanted months and store their mails: each month is read while the next ones are downloaded.

    An interrupted run has stored what it fetched.
    """
    # closed at once if storing fails: downloads that have not begun are cancelled
    with closing(fetch_months(archive, wanted, raw, now, on_progress=on_progress)) as months:
        return read_months(store, months, seen_at=now, **how)


def note_reachability(store: Store, landed: Sequence[Landed], at: datetime) -> None:
    """Note whether the archive is reachable, by the months that it gave."""
    if any(one.is_given for one in landed):
        note_recovery(store, "archive")
    elif landed:
        note_outage(store, "archive", landed[0].month.why or landed[0].month.status, at=at)


def read_months(store: Store, months: Iterable[Landed], *, seen_at: datetime, **how: Unpack[Reading]) -> Report:
    """Read months in this process as they land, and store their mails; of a known month only the new ones."""
    storing, landed = Storing(store, seen_at), list[Landed]()
    for one in months:
        _store_month(storing, one, how)
        landed.append(one)
    note_reachability(store, landed, seen_at)
    return storing.report()


def upsert_read(
    store: Store, landed: Sequence[Landed], items: Iterable[Message | Unreadable], *, seen_at: datetime
) -> Report:
    """Store what Spark read from landed months; `items` in any order."""
    storing, mails = Storing(store, seen_at), Counter[tuple[str, str]]()

    def count() -> Iterator[Message | Unreadable]:
        for item in items:
            mails[item.list_id, item.month] += 1
            yield item

    storing.save(count())
    for one in landed:
        _finish_month(storing, one, mails[one.month.list_id, one.month.month])
    note_reachability(store, landed, seen_at)
    return storing.report()


def _store_month(storing: Storing, one: Landed, how: Reading) -> None:
    """Store what is new in a landed month, then mark it as held."""
    if one.file is None:
        _finish_month(storing, one, 0)
        return
    list_id, month = one.month.list_id, one.month.month
    with storing.store.read() as session:
        mails = MailFilter(load_known_mails(session.marks, list_id, month))
    reading = FileReading(list_id=list_id, month=month, **how)
    found = read_mbox(one.file, reading, is_wanted=mails.is_new, whole=one.is_whole)
    stored = storing.save(found)
    storing.counts["known"] += mails.skipped
    _finish_month(storing, one, stored + mails.skipped, mails.seen)


def _finish_month(storing: Storing, one: Landed, mails: int, seen: Sequence[str] | None = None) -> None:
    """Mark a month as held, after all of its mails are stored; `seen` are the digests of all of them.

    A month that was complete stays so: if it is damaged now, or has fewer mails than before, decisions on the complete
    month remain valid. It counts as held up to its last good download, and is fetched again. If the archive's own count
    confirms the lower number, the month is as complete as it can be.
    """
    month = replace(_check_end(one), mails=mails)
    with storing.store.begin() as session:
        before = session.mail.load_months(month.list_id).get((month.list_id, month.month))
        bad = "" if month.status == "complete" else f"{month.status}: {month.why}".rstrip(": ")
        if before is not None and not bad and mails < before.mails:
            if one.counted == mails:
                gone = f"the archive has {mails} mails of the {before.mails} that it had; what was read of them stays"
                month = replace(month, why=gone)
            else:
                bad = f"shrank from {before.mails} to {mails} mails"
        reason = bad or (month.why if before is None or before.why != month.why else "")
        if reason:
            storing.bad_months.append((month.list_id, month.month, reason))
        if before is not None and before.status == "complete" and bad:
            since = f"{HELD_UP_TO} {say_moment(before.fetched_at)}; since then {bad}"
            # a month from files stays as it is, and every poll asks for it
            month = before if before.why.startswith(FROM_FILES) else replace(before, why=since)
        elif bad and before is not None:
            month = replace(month, mails=max(mails, before.mails))
        session.mail.save_month(month)
        if not bad and one.stats:
            session.marks.save(stats_mark(month.list_id, month.month), one.stats)
        if is_settled(month):
            save_known_mails(session.marks, month.list_id, month.month, ())
        elif seen is not None:
            save_known_mails(session.marks, month.list_id, month.month, seen)


def _check_end(one: Landed) -> ArchiveMonth:
    """The month; partial if its file is truncated."""
    how = find_break(one.file, whole=True) if one.is_whole and one.file is not None else ""
    return replace(one.month, status="partial", why=f"its file breaks off {how}") if how else one.month


def _find_stats(archive: Archive, one: WantedMonth, now: datetime) -> tuple[str, int]:
    if month_end(one.month) <= now:
        return "", 0  # the month is over: it will not be checked for changes
    try:
        stats = archive.fetch_stats(one.list_id, one.month)
    except ServiceUnavailable:
        return "", 0
    return stats.digest, stats.mails

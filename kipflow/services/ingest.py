"""Messages from files: mbox, maildir, .eml, Pony Mail JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from kipflow.domain.arrivals import CLAIMED
from kipflow.domain.clocks import month_start, next_month
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.mail.archive import read_path
from kipflow.services.poll import FROM_FILES
from kipflow.services.ports import Report, Session, Store
from kipflow.services.storing import ingest_items

#: What an archive shows of an address to somebody who is not signed in.
_MASKED = re.compile(r"[\w.+-]{1,64}\.\.\.@")
_UNVOUCHED = f"{FROM_FILES}, and nothing in them says up to when (`kipflow ingest --complete-through`)"
#: A list and one of its months.
_Key = tuple[str, str]


@dataclass(slots=True)
class _File:
    """What one file holds of each month, until when hosts recorded arrivals on each list, and how it breaks off."""

    mails: dict[_Key, int] = field(default_factory=dict)
    through: dict[str, datetime] = field(default_factory=dict)
    broken: str = ""

    def add(self, item: Message | Unreadable, seen_at: datetime) -> None:
        if isinstance(item, Unreadable):
            self.broken = self.broken or (f"{item.source}: {item.why}" if item.lost else "")
        elif item.arrived_at is not None and item.arrived_at <= seen_at:
            key = (item.list_id, f"{item.arrived_at:%Y-%m}")
            self.mails[key] = self.mails.get(key, 0) + 1
            if item.arrived_from not in _CLAIMED:
                self.through[item.list_id] = max(item.arrived_at, self.through.get(item.list_id, item.arrived_at))


#: What vouches for no arrival; an archive's "epoch" stands in exports of threads, which are no months.
_CLAIMED = CLAIMED | {"epoch"}


def ingest_paths(
    store: Store,
    paths: Sequence[Path],
    *,
    list_id: str,
    lists: Mapping[str, str] | None = None,
    prefix: str,
    receivers: Sequence[str] = (),
    seen_at: datetime,
    complete_through: datetime | None = None,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Store every mail under `paths`, and note how far the months that they cover are held.

    With `lists` (address → the list that has it, or had it once) each mail is of the list that it names there;
    of `list_id` where it names none of them. A mail whose sender is masked ("ki...@x.example", in what Pony Mail
    gives to strangers) is not stored: it would keep the real one out.

    `complete_through` is an operator's word that the files hold all mail of their lists until then. Without it each
    box vouches for itself, up to the newest arrival in it that a receiving host recorded: never by a mail's Date. A
    month of a file that breaks off is partial, whoever vouches.
    """
    files: dict[str, _File] = {}

    def items() -> Iterator[Message | Unreadable]:
        for path in paths:
            on_progress(path.name)
            for item in _read(path, list_id, lists, prefix, receivers):
                name = f"{path}/{item.source.rpartition('#')[0] or item.source}"
                files.setdefault(name, _File()).add(item, seen_at)
                yield item

    report = ingest_items(store, items(), seen_at=seen_at)
    held, broken = _find_months(list(files.values()), complete_through and min(complete_through, seen_at))
    with store.begin() as session:
        _note_months(session, held, broken, seen_at)
    warnings = tuple(
        f"{why}; no acceptance rests on {_say_months(broken, why)}" for why in dict.fromkeys(broken.values())
    )
    return replace(report, warnings=(*report.warnings, *warnings))


def _read(
    path: Path, list_id: str, lists: Mapping[str, str] | None, prefix: str, receivers: Sequence[str]
) -> Iterator[Message | Unreadable]:
    found = read_path(
        path,
        list_id=list_id,
        month="",
        prefix=prefix,
        list_from_headers=lists is not None,
        receivers=receivers,
    )
    for item in found:
        if isinstance(item, Unreadable):
            yield item
        elif _MASKED.search(item.raw_from) and (not item.author_address or "..." in item.author_address):
            why = f"its sender is masked ({item.raw_from[:100]}): fetch the month's mbox, or export it signed in"
            yield Unreadable(source=item.source, why=why, list_id=item.list_id, month=item.month, lost=True)
        elif lists is not None:
            yield replace(item, list_id=lists.get(item.list_id, list_id))
        else:
            yield item


def _find_months(
    files: Sequence[_File], complete_through: datetime | None
) -> tuple[dict[_Key, tuple[int, datetime | None]], dict[_Key, str]]:
    """Of each month how many mails came and until when it is held (None: nothing says), and which are broken off.

    A file that gives no mail may hold any month's.
    """
    held: dict[_Key, tuple[int, datetime | None]] = {}
    broken: dict[_Key, str] = {}
    every = {key for file in files for key in file.mails}
    for file in files:
        if file.broken:
            broken |= {key: file.broken for key in sorted(file.mails or every) if key not in broken}
        is_box = sum(file.mails.values()) > 1
        for key, mails in file.mails.items():
            until = complete_through or (file.through.get(key[0]) if is_box else None)
            before = held.get(key, (0, None))
            times = [t for t in (before[1], until) if t is not None and t >= month_start(key[1])]
            held[key] = before[0] + mails, max(times, default=None)
    return held, broken


def _note_months(
    session: Session, held: Mapping[_Key, tuple[int, datetime | None]], broken: Mapping[_Key, str], now: datetime
) -> None:
    """Note the months, but for those that the archive itself gave or that are held further already."""
    known = {(m.list_id, m.month): m for m in session.load_months()}
    for key, (mails, until) in sorted(held.items()):
        list_id, month = key
        before = known.get(key)
        is_whole = key not in broken and until is not None
        at = min(until or now, month_start(next_month(month)), now)
        if before is not None and not _is_better(before, at, is_whole=is_whole):
            continue
        session.save_month(
            ArchiveMonth(
                list_id=list_id,
                month=month,
                status="complete" if is_whole else "partial",
                fetched_at=at,
                mails=max(mails, before.mails if before else 0),
                why=FROM_FILES if is_whole else f"{FROM_FILES}: {broken[key]}" if key in broken else _UNVOUCHED,
            )
        )


def _is_better(before: ArchiveMonth, at: datetime, *, is_whole: bool) -> bool:
    """Whether what files say of a month adds to what is known of it."""
    if not before.why.startswith(FROM_FILES):
        return False
    if before.status == "complete":
        return is_whole and at > before.fetched_at
    return is_whole or not before.why.startswith(f"{FROM_FILES}:")


def _say_months(broken: Mapping[_Key, str], why: str) -> str:
    return ", ".join(f"{list_id} {month}" for (list_id, month), reason in broken.items() if reason == why)

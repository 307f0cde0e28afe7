"""Messages from files: mbox, maildir, .eml, Pony Mail JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from kipflow.domain.clocks import month_start, next_month
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.mail.archive import read_path
from kipflow.services.poll import FROM_FILES
from kipflow.services.ports import Report, Store
from kipflow.services.storing import ingest_items

#: What an archive shows of an address to somebody who is not signed in.
_MASKED = re.compile(r"[\w.+-]{1,64}\.\.\.@")


def ingest_paths(
    store: Store,
    paths: Sequence[Path],
    *,
    list_id: str,
    lists: Mapping[str, str] | None = None,
    prefix: str,
    receivers: Sequence[str] = (),
    seen_at: datetime,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Store every mail under `paths`. Months that the mails cover count as held up to their newest mail.

    With `lists` (address → the list that has it, or had it once) each mail is of the list that it names there;
    of `list_id` where it names none of them. A mail whose sender is masked ("ki...@x.example", in what Pony Mail
    gives to strangers) is not stored: it would keep the real one out.

    Nothing vouches for mail after the newest one of a file; where a later month was read as well, the
    earlier one counts as whole.
    """
    newest: dict[tuple[str, str], datetime] = {}
    mails: dict[tuple[str, str], int] = {}

    def items() -> Iterator[Message | Unreadable]:
        for path in paths:
            on_progress(path.name)
            for item in _read(path, list_id, lists, prefix, receivers):
                # a clock that is ahead vouches for nothing
                if isinstance(item, Message) and item.arrived_at is not None and item.arrived_at <= seen_at:
                    key = (item.list_id, f"{item.arrived_at:%Y-%m}")
                    newest[key] = max(newest.get(key, item.arrived_at), item.arrived_at)
                    mails[key] = mails.get(key, 0) + 1
                yield item

    report = ingest_items(store, items(), seen_at=seen_at)
    _note_months(store, newest, mails, seen_at)
    return report


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
            yield Unreadable(source=item.source, why=why, list_id=item.list_id, month=item.month)
        elif lists is not None:
            yield replace(item, list_id=lists.get(item.list_id, list_id))
        else:
            yield item


def _note_months(
    store: Store, newest: dict[tuple[str, str], datetime], mails: dict[tuple[str, str], int], now: datetime
) -> None:
    """Keep months that the archive itself gave; note the others as read from files, up to the newest mail yet."""
    with store.begin() as session:
        known = {(m.list_id, m.month): m for m in session.load_months()}
        last = {list_id: max(m for x, m in newest if x == list_id) for list_id, _ in newest}
        for (list_id, month), at in sorted(newest.items()):
            if month < last[list_id]:
                at = month_start(next_month(month))
            at = min(at, now)
            before = known.get((list_id, month))
            if before is not None and (before.why != FROM_FILES or before.fetched_at >= at):
                continue
            session.save_month(
                ArchiveMonth(
                    list_id=list_id,
                    month=month,
                    status="complete",
                    fetched_at=at,
                    mails=max(mails[list_id, month], before.mails if before else 0),
                    why=FROM_FILES,
                )
            )

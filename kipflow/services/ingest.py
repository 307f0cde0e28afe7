"""Messages from files: mbox, maildir, .eml, Pony Mail JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Unpack

from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.policy import Reading
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.services.file_coverage import FileMonths
from kipflow.services.ports import Report, Store
from kipflow.services.reread import expire_readings
from kipflow.services.storing import ingest_items
from kipflow.services.undo import find_changes, load_held

#: The forms of mail files that can be read.
FORMS = "mbox, maildir and .eml files (also gz, bz2, xz), Pony Mail's JSON, and folders of these"
#: An address as an archive masks it for visitors who are not signed in.
_MASKED = re.compile(r"[\w.+-]{1,64}\.\.\.@")


def ingest_paths(
    store: Store,
    paths: Sequence[Path],
    *,
    list_id: str,
    lists: Mapping[str, str] | None = None,
    seen_at: datetime,
    complete_through: datetime | None = None,
    on_progress: Callable[[str], None] = lambda _: None,
    **how: Unpack[Reading],
) -> Report:
    """Store every mail under `paths`, and note up to when their months are held.

    With `lists` (present or former address → list) each mail belongs to the list that it names, else to `list_id`. A
    mail that names an unknown list is left out, with a warning. A mail with a masked sender ("ki...@x.example", as Pony
    Mail shows it to visitors) is not stored: it would keep the real mail out.

    `complete_through` is an operator's statement that the files hold all mail of their lists until then. Without it
    each mbox proves its list up to its newest arrival recorded by a receiving host, never by a mail's Date. A month of
    a truncated file is partial in any case, until a later file has the missing mail (`file_coverage`).
    """
    expire_readings(store, how.get("tags", ()))
    with store.begin() as session:
        months = FileMonths(session, seen_at)
        batch = session.batches.open("mail", [str(path) for path in paths], seen_at=seen_at)

    known = {list_id: list_id, **(lists or {})}
    unread: list[str] = []
    strange: Counter[str] = Counter()

    def items() -> Iterator[Message | Unreadable]:
        for path in paths:
            on_progress(path.name)
            has_mail, faults = False, list[Unreadable]()
            for item in _read(path, list_id, how, from_headers=lists is not None):
                if item.list_id not in known:
                    strange[item.list_id] += 1
                    has_mail = True
                    continue
                if known[item.list_id] != item.list_id:
                    item = replace(item, list_id=known[item.list_id])
                months.add(f"{path}/{item.source.rpartition('#')[0] or item.source}", item)
                if isinstance(item, Message):
                    has_mail = True
                elif not faults:
                    faults.append(item)
                yield item
            if not has_mail:
                unread.append(_say_unread(path, faults))

    report = ingest_items(store, items(), seen_at=seen_at, batch=batch)
    with store.begin() as session:
        before = load_held(session)
        broken = months.save(session, complete_through and min(complete_through, seen_at))
        session.batches.close(batch, find_changes(before, load_held(session)))
    months_of: dict[str, list[str]] = {}
    for (name, month), why in broken.items():
        months_of.setdefault(why, []).append(f"{name} {month}")
    warnings = [f"{why}; no acceptance rests on {', '.join(named)}" for why, named in months_of.items()]
    left_out = tuple(
        f"{mails} of the mails are left out: {name} is none of this community's lists; "
        f"`--list {name} --new-list` takes them"
        for name, mails in sorted(strange.items())
    )
    return replace(report, warnings=(*report.warnings, *unread, *warnings, *left_out))


def _say_unread(path: Path, faults: Sequence[Unreadable]) -> str:
    """The warning that a file or folder gave no mail, with the reason."""
    where = f" ({faults[0].source})" if path.is_dir() and faults else ""
    why = faults[0].why if faults else "the folder has no files" if path.is_dir() else "it has no mail"
    return f"nothing was read from {path}{where}: {why}; ingest reads {FORMS}"


def _read(path: Path, list_id: str, how: Reading, *, from_headers: bool) -> Iterator[Message | Unreadable]:
    """Every mail; those with a masked sender as unreadable."""
    reading = FileReading(list_id=list_id, month="", list_from_headers=from_headers, **how)
    for item in read_path(path, how=reading):
        if isinstance(item, Message) and _is_masked(item):
            why = f"its sender is masked ({item.raw_from[:100]}): fetch the month's mbox, or export it signed in"
            yield Unreadable(
                source=item.source,
                why=why,
                list_id=item.list_id,
                month=item.month,
                lost=True,
                message_id=item.message_id,
            )
        else:
            yield item


def _is_masked(mail: Message) -> bool:
    return _MASKED.search(mail.raw_from) is not None and (not mail.author_address or "..." in mail.author_address)

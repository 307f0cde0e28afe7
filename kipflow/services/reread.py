"""Read stored mails again after a change of the reading rules.

Raw months are kept as fetched, so nothing is downloaded again. A mail that reads differently now gets a new reading,
and history is corrected accordingly. A month whose raw file is gone keeps its old reading, which is reported.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Unpack

from kipflow.domain.facts import Unreadable
from kipflow.domain.policy import OwnTags, Reading
from kipflow.mail import version
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.services.landing import find_raw_file
from kipflow.services.ports import Report, Session, StaleMonth, Store
from kipflow.services.storing import Storing

#: The version of the rules by which all mails were last read again, if they could be.
RULES_MARK = "reading/rules"
#: The most mails that one poll reads again; the rest waits for the next poll.
IN_A_POLL = 20_000
#: The community's own words in subject tags by which mails were read.
TAGS_MARK = "reading/tags"


def expire_readings(store: Store, tags: OwnTags) -> None:
    """Mark every stored mail to be read again if the community's own words in subject tags have changed."""
    written = json.dumps(sorted(tags)) if tags else ""
    with store.begin() as session:
        if (session.marks.load(TAGS_MARK) or "") != written:
            session.mail.expire_readings()
            session.marks.save(TAGS_MARK, written)
            session.marks.save(RULES_MARK, "")


def reread(
    store: Store,
    *,
    seen_at: datetime,
    raw: Path | None = None,
    limit: int | None = None,
    on_progress: Callable[[str], None] = lambda _: None,
    **how: Unpack[Reading],
) -> Report:
    """Read raw months again whose mails were read by older rules; at most about `limit` mails.

    A raw month is looked for at its stored path, then in `raw`, where it would be put today. Costs one look-up if there
    is nothing to do. After an interruption it continues with the remaining months.
    """
    expire_readings(store, how.get("tags", ()))
    rules, storing = version.READING_RULES, Storing(store, seen_at)
    with store.read() as session:
        if session.marks.load(RULES_MARK) == str(rules):
            return storing.report()
        stale = session.mail.load_stale_months(rules)
        complete = {key for key, month in session.mail.load_months().items() if month.status == "complete"}
    mails = 0
    for position, month in enumerate(stale):
        if limit is not None and mails >= limit:
            report = storing.report()
            return replace(report, counts={**report.counts, "months_to_read_again": len(stale) - position})
        on_progress(f"{month.list_id} {month.month} again, {position + 1} of {len(stale)}")
        path, at = _find_raw(month, raw), (month.list_id, month.month)
        if path is not None:
            reading = FileReading(list_id=at[0], month=at[1], **how)
            source = read_mbox(path, reading, whole=at in complete)
            mails += storing.save(source)
        with store.begin() as session:
            _note_kept(session, month, path, storing)
    with store.begin() as session:
        session.marks.save(RULES_MARK, str(rules))
    return storing.report()


def _find_raw(month: StaleMonth, raw: Path | None) -> Path | None:
    """The month's raw file; None if it is gone, or the mail was ingested from other files."""
    if month.path is None:
        return None
    places = [Path(month.path)] if raw is None else [Path(month.path), find_raw_file(raw, month.list_id, month.month)]
    return next((place for place in places if place.is_file()), None)


def _note_kept(session: Session, month: StaleMonth, path: Path | None, storing: Storing) -> None:
    """Note how many mails of a month keep their old reading, and why."""
    rules = version.READING_RULES
    left = session.mail.count_stale(month.list_id, month.month, rules)
    if not left:
        return
    if month.path is None:
        gone = "they came from files: `kipflow ingest` of those reads them again"
    elif path is None:
        gone = f"the raw month is gone: a backfill of {month.month} fetches it again"
    else:
        gone = "the raw month does not hold them any more"
    mails = "1 mail keeps" if left == 1 else f"{left} mails keep"
    note = Unreadable(
        source=f"{month.list_id}/{month.month}",
        why=f"{mails} what rules older than {rules} read; {gone}",
        list_id=month.list_id,
        month=month.month,
    )
    session.mail.save_unreadable([note], seen_at=storing.seen_at)
    storing.warnings.append(f"{month.list_id} {month.month}: {note.why}")

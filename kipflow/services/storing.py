"""Mails into the store, a transaction for each batch, and what that came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice

from kipflow.domain.facts import Message, Unreadable
from kipflow.mail import version
from kipflow.services.ports import Report, Store

#: Mails per transaction: large enough to be quick, small enough to keep other writers waiting briefly.
BATCH = 500


def ingest_items(
    store: Store, items: Iterable[Message | Unreadable], *, seen_at: datetime, batch: int | None = None
) -> Report:
    """Store messages read from files that no archive month stands behind."""
    totals = Totals()
    store_batches(store, items, seen_at, totals, batch)
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


def store_batches(
    store: Store,
    items: Iterable[Message | Unreadable],
    seen_at: datetime,
    totals: Totals,
    origin: int | None = None,
) -> int:
    """Store what was read by today's rules, a transaction for each batch; how many items that were.

    `origin` is the ingest that it can be undone with, None where an archive gave it.
    """
    count, rest = 0, iter(items)
    while batch := list(islice(rest, BATCH)):
        bad = [x for x in batch if isinstance(x, Unreadable)]
        with store.begin() as session:
            report = session.mail.save_messages(
                (x for x in batch if isinstance(x, Message)),
                seen_at=seen_at,
                reading_rules=version.READING_RULES,
                batch=origin,
            )
            totals.unreadable += session.mail.save_unreadable(bad, seen_at=seen_at) if bad else 0
        totals.new += report.new
        totals.known += report.known
        totals.reread += report.reread
        totals.touched |= report.touched
        count += len(batch)
    return count

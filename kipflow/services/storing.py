"""Store mails, one transaction per batch, and report the counts; skip those of a month that were read already."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice

from kipflow.domain.facts import Message, Unreadable
from kipflow.mail import version
from kipflow.mbox.splitting import RawMail
from kipflow.services.ports import Marks, Report, Store

#: Mails per transaction: enough to be fast, few enough not to block other writers for long.
BATCH = 500


class Storing:
    """Stores mails, one transaction per batch, and collects the counts.

    `origin` is the ingest that the mails belong to, None if they are from an archive.
    """

    def __init__(self, store: Store, seen_at: datetime, origin: int | None = None) -> None:
        self.store, self.seen_at, self._origin = store, seen_at, origin
        self.counts = Counter(new=0, known=0, read_otherwise=0, unreadable=0)
        self._touched: set[int] = set()
        self.warnings: list[str] = []
        self.bad_months: list[tuple[str, str, str]] = []

    def save(self, items: Iterable[Message | Unreadable]) -> int:
        """Store items read by the present rules. Returns the number of items."""
        count, rest = 0, iter(items)
        while batch := list(islice(rest, BATCH)):
            mails = [x for x in batch if isinstance(x, Message)]
            bad = [x for x in batch if isinstance(x, Unreadable)]
            with self.store.begin() as session:
                report = session.mail.save_messages(
                    mails, seen_at=self.seen_at, reading_rules=version.READING_RULES, batch=self._origin
                )
                unreadable = session.mail.save_unreadable(bad, seen_at=self.seen_at) if bad else 0
            self.counts.update(new=report.new, known=report.known, read_otherwise=report.reread, unreadable=unreadable)
            self._touched |= report.touched
            count += len(batch)
        return count

    def report(self) -> Report:
        counts = {**self.counts, "proposals_touched": len(self._touched)}
        return Report(counts=counts, warnings=(*self.warnings, *say_months(self.bad_months)))


def ingest_items(
    store: Store, items: Iterable[Message | Unreadable], *, seen_at: datetime, batch: int | None = None
) -> Report:
    """Store messages read from files that are no archive month."""
    storing = Storing(store, seen_at, batch)
    storing.save(items)
    return storing.report()


def say_months(bad: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """A line for each month (list, month, why); consecutive months with the same reason share one."""
    for (list_id, why), group in groupby(bad, key=lambda one: (one[0], one[2])):
        months = [month for _, month, _ in group]
        span = months[0] if len(months) == 1 else f"{months[0]} to {months[-1]} ({len(months)} months)"
        yield f"{list_id} {span}: {why}"


# -- mails of a month that were read already --------------------------------------------------------
# An hourly poll with ten new mails in a month of thousands need not read the thousands again. Digests of their bytes
# are stored in the transaction that stores the month, and are valid for one version of the reading rules. Only months
# that can still grow have them. Spark reads first runs and backfills, where known mails are few, and needs none.

#: Bytes of a digest that are stored: enough to avoid collisions within a month.
_LENGTH = 12


class MailFilter:
    """Selects the mails of a month that were not read yet, and collects the digests of all."""

    def __init__(self, known: Container[str]) -> None:
        self.known = known
        self.seen: list[str] = []
        self.skipped = 0

    def is_new(self, mail: RawMail) -> bool:
        digest = hashlib.sha256(mail.data).hexdigest()[: 2 * _LENGTH]
        self.seen.append(digest)
        # a truncated mail cannot be recognized by its beginning
        if digest in self.known and not mail.truncated:
            self.skipped += 1
            return False
        return True


def load_known_mails(marks: Marks, list_id: str, month: str) -> frozenset[str]:
    """The digests of a month's mails that were read by the present rules."""
    rules, _, digests = (marks.load(_mark(list_id, month)) or "").partition(" ")
    return frozenset(digests.split()) if rules == str(version.READING_RULES) else frozenset()


def save_known_mails(marks: Marks, list_id: str, month: str, seen: Sequence[str]) -> None:
    """Store the digests of all mails of a month, all read by the present rules; none: it will not be read again."""
    if seen or marks.load(_mark(list_id, month)):
        digests = [str(version.READING_RULES), *dict.fromkeys(seen)] if seen else []
        marks.save(_mark(list_id, month), " ".join(digests))


def _mark(list_id: str, month: str) -> str:
    return f"read/{list_id}/{month}"

"""The mails of a month that were read already, by digests of their bytes.

An hourly poll with ten new mails in a month of thousands need not read the thousands again. Their digests are stored in
the transaction that stores the month, and are valid for one version of the reading rules. Only months that can still
grow have them.

Spark does not need them: it reads first runs and backfills, where known mails are few. A mail that is read twice adds
nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence

from kipflow.mail import version
from kipflow.mbox.splitting import RawMail
from kipflow.services.ports import Marks

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
    """Store the digests of all mails of a month, all read by the present rules."""
    marks.save(_mark(list_id, month), " ".join([str(version.READING_RULES), *dict.fromkeys(seen)]))


def drop_known_mails(marks: Marks, list_id: str, month: str) -> None:
    """Delete the digests of a month that will not be read again."""
    if marks.load(_mark(list_id, month)):
        marks.save(_mark(list_id, month), "")


def _mark(list_id: str, month: str) -> str:
    return f"read/{list_id}/{month}"

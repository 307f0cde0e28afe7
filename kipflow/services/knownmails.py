"""Which mails of a month were read already, by the digests of their bytes.

An hourly poll that finds ten new mails in a month of thousands need not read the thousands again. Their digests
are kept beside what they gave, in one transaction with the month, and hold for one version of the reading
rules: by newer ones every mail is read again. Only months that can still grow have them.

Where Spark reads there is no need for it: it is started for many new mails, a first run or a backfill, and beside
those the known ones cost little. What it reads twice adds nothing, as here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence

from kipflow.mail import version
from kipflow.mbox.splitting import RawMail
from kipflow.services.ports import Marks

#: Bytes of a digest that are kept: among a month's mails no two agree in so many by chance.
_LENGTH = 12


class MailFilter:
    """Lets the mails of a month pass that were not read yet; remembers all of them."""

    def __init__(self, known: Container[str]) -> None:
        self.known = known
        self.seen: list[str] = []
        self.skipped = 0

    def is_new(self, mail: RawMail) -> bool:
        digest = hashlib.sha256(mail.data).hexdigest()[: 2 * _LENGTH]
        self.seen.append(digest)
        # a mail too large to be held whole is not known by its beginning
        if digest in self.known and not mail.truncated:
            self.skipped += 1
            return False
        return True


def load_known_mails(marks: Marks, list_id: str, month: str) -> frozenset[str]:
    """The digests of a month's mails that today's rules read."""
    rules, _, digests = (marks.load(_mark(list_id, month)) or "").partition(" ")
    return frozenset(digests.split()) if rules == str(version.READING_RULES) else frozenset()


def save_known_mails(marks: Marks, list_id: str, month: str, seen: Sequence[str]) -> None:
    """Keep the digests of all mails of a month, every one of which was read by today's rules."""
    marks.save(_mark(list_id, month), " ".join([str(version.READING_RULES), *dict.fromkeys(seen)]))


def drop_known_mails(marks: Marks, list_id: str, month: str) -> None:
    """Forget them: the month is over and will not be read again."""
    if marks.load(_mark(list_id, month)):
        marks.save(_mark(list_id, month), "")


def _mark(list_id: str, month: str) -> str:
    return f"read/{list_id}/{month}"

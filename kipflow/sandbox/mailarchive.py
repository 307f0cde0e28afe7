"""The archive of one list: its mails in order of arrival, their index data, and its months as mbox."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email import policy
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser, BytesParser
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from kipflow.domain.times import as_utc
from kipflow.sandbox.mails import (
    ArchivedMail,
    Mail,
    format_envelope,
    format_separator,
    make_message_id,
    render_mail,
    render_trace,
)
from kipflow.sandbox.people import Resident
from kipflow.sandbox.quoting import compose

_HEADERS = BytesHeaderParser(policy=policy.compat32)
_FULL = BytesParser(policy=policy.default)
#: A Date further than this from the time of arrival is ignored, in seconds.
_BELIEVABLE = 40 * 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A mail of the archive with the data that listings show."""

    id: str
    message_id: str
    subject: str
    sender: str
    epoch: int
    in_reply_to: str
    references: tuple[str, ...]
    mail: ArchivedMail

    @property
    def sent_at(self) -> datetime:
        return datetime.fromtimestamp(self.epoch, UTC)


@lru_cache(maxsize=8_192)  # a pure function; every sandbox of a test run reads the same story
def read_entry(mail: ArchivedMail) -> Entry:
    """Extract from the raw mail what Pony Mail's index holds. Broken mails have empty fields."""
    headers = _HEADERS.parsebytes(mail.raw.partition(b"\n\n")[0])

    def header(name: str) -> str:
        return " ".join(str(headers.get(name) or "").split())

    # two copies of a mail are one document, as in Pony Mail's index
    name = hashlib.sha256(header("Message-ID").encode() or mail.raw).hexdigest()
    return Entry(
        id="".join(chr(ord("a") + int(c, 16)) if c.isdigit() else c for c in name[:32]),
        message_id=header("Message-ID"),
        subject=_decode(header("Subject")),
        sender=_decode(header("From")),
        epoch=int(_sent_at(header("Date"), mail.arrives_at).timestamp()),
        in_reply_to=header("In-Reply-To"),
        references=tuple(header("References").split()),
        mail=mail,
    )


def _decode(text: str) -> str:
    try:
        return str(make_header(decode_header(text)))
    except (LookupError, ValueError):
        return text


def _sent_at(date: str, fallback: datetime) -> datetime:
    """The Date header if it is plausible, else the time of arrival (as the archiver does)."""
    try:
        sent = as_utc(parsedate_to_datetime(date))
    except (TypeError, ValueError):
        return fallback
    return sent if abs((sent - fallback).total_seconds()) < _BELIEVABLE else fallback


def mask(sender: str) -> str:
    """The sender as an anonymous reader sees it: "Ana Castell <an...@castell.example>"."""
    return re.sub(r"([\w.+-]{1,2})[\w.+-]*@", r"\1...@", sender)


class MailArchive:
    """All mails of the list in order of arrival; `seen(now)` returns those that have arrived."""

    def __init__(self, mails: Iterable[ArchivedMail]) -> None:
        self.entries = [read_entry(mail) for mail in mails]
        self._sent: list[ArchivedMail] = []

    def seen(self, now: datetime) -> list[Entry]:
        return [e for e in self.entries if e.mail.arrives_at <= now]

    def month(self, month: str, now: datetime) -> list[Entry]:
        return [e for e in self.seen(now) if e.mail.month == month]

    def find(self, name: str, now: datetime) -> Entry | None:
        """The mail with this id, or this Message-ID with or without its angle brackets."""
        bare = name.strip().strip("<>")
        return next((e for e in self.seen(now) if bare and (e.id == bare or e.message_id.strip("<>") == bare)), None)

    # -- what visitors write, which outlives a restart -------------------------------------------
    def add(self, mail: ArchivedMail) -> Entry:
        entry = read_entry(mail)
        place = bisect(self.entries, mail.arrives_at, key=lambda e: e.mail.arrives_at)
        # a new list object: another thread that iterates over the old one is not disturbed
        self.entries = [*self.entries[:place], entry, *self.entries[place:]]
        self._sent.append(mail)
        return entry

    @property
    def sent(self) -> int:
        return len(self._sent)

    def export(self) -> Any:
        """Visitors' mails as JSON-compatible data."""
        return _SENT.dump_python(self._sent, mode="json")

    def restore(self, kept: Any) -> None:
        """Restore the result of `export`. Raises ValueError for anything else."""
        for mail in _SENT.validate_python(kept):
            self.add(mail)


_SENT = TypeAdapter(list[ArchivedMail])


def write_mail(
    archive: MailArchive, who: Resident, subject: str, words: str, answered: Entry | None, now: datetime
) -> Entry:
    """Send a visitor's mail to the list; it is in the archive at once."""
    at, key = now.replace(microsecond=0), f"visitor/{archive.sent + 1}"
    parent = answered.message_id if answered else ""
    mail = Mail(
        key=key,
        at=at,
        author=who,
        subject=subject,
        text=compose(words, author=who, parent=None, flags=frozenset()),
        # the time keeps the id apart from mails of an earlier run of the sandbox
        message_id=make_message_id(f"0|{at.isoformat()} {key}", who.emails[0]),
        in_reply_to=parent or None,
        references=(*answered.references, parent)[-8:] if answered and parent else (),
    )
    return _add(archive, render_mail(mail, received_at=at), at)


def receive_mail(archive: MailArchive, sender: str, raw: bytes, now: datetime) -> Entry:
    """Add a mail that came by SMTP, with LF line ends, to the archive."""
    at = now.replace(microsecond=0)
    top = render_trace(f"smtp/{archive.sent + 1}", sender, received_at=at)
    return _add(archive, top.encode() + re.sub(rb"(?m)^(>*From )", rb">\1", raw).rstrip(b"\n") + b"\n", at)


def _add(archive: MailArchive, raw: bytes, at: datetime) -> Entry:
    envelope = format_envelope(90_000 + archive.sent)
    return archive.add(ArchivedMail(arrives_at=at, month=f"{at:%Y-%m}", envelope=envelope, raw=raw))


def render_mbox(entries: Sequence[Entry]) -> bytes:
    """The mails as one mbox."""
    return b"".join(format_separator(e.mail.envelope, e.mail.arrives_at) + e.mail.raw + b"\n" for e in entries)


def find_root(seen: Sequence[Entry], entry: Entry) -> Entry:
    """The first mail of the thread that is in the archive."""
    by_id = {e.message_id: e for e in reversed(seen) if e.message_id}
    visited: set[str] = set()
    while entry.in_reply_to in by_id and entry.id not in visited:
        visited.add(entry.id)
        entry = by_id[entry.in_reply_to]
    return entry


def find_members(seen: Sequence[Entry], root: Entry) -> list[Entry]:
    """The thread's mails in order of arrival, the root first."""
    inside, members = {root.message_id}, [root]
    for entry in sorted(seen, key=lambda e: e.mail.arrives_at):
        if entry.id != root.id and entry.in_reply_to and entry.in_reply_to in inside:
            members.append(entry)
            inside.add(entry.message_id)
    return members


def body_of(entry: Entry) -> str:
    """The mail's text as a reader sees it; for HTML-only mails the markup."""
    try:
        part = _FULL.parsebytes(entry.mail.raw).get_body(preferencelist=("plain", "html"))
        return "" if part is None else str(part.get_content())
    except (LookupError, ValueError, KeyError, AttributeError):
        return entry.mail.raw.decode("utf-8", "replace")

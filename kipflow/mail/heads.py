"""Reads the headers of one mail: who wrote, when it came, which list, which mails it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any

from kipflow.domain.facts import Unreadable
from kipflow.domain.people import clean_address
from kipflow.domain.policy import OwnTags
from kipflow.domain.proposals import UNSEEN
from kipflow.domain.sameids import OURS
from kipflow.domain.senders import AddressSource
from kipflow.mail import limits
from kipflow.mail.content.arrival import find_arrival, find_date
from kipflow.mail.content.headers import (
    Headers,
    note_limits,
    parse_message_id,
    parse_message_ids,
    parse_references,
    read_text,
    split_mail,
)
from kipflow.mail.content.senders import Sender, find_sender, parse_mailbox, split_mailboxes
from kipflow.mail.limits import Unread
from kipflow.mail.subjects import drop_repeated_marks
from kipflow.mail.trackers import parse_mirrored

# one of these makes a piece of text a mail
_MAIL_FIELDS = (
    *("from", "subject", "date", "message-id", "to", "sender", "received", "return-path", "list-id", "mime-version"),
    *("content-type", "in-reply-to", "references"),
)
# invisible characters that a terminal or a page might obey; blanks are evened out separately
_CONTROL = re.compile(rf"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f{UNSEEN}]")
# characters that change the text direction: kept visible, so that no number is read across them
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where mails are read from, with defaults for mails that do not say.

    Args:
        list_id: the list's address; with `list_from_headers` only if a mail names none.
        month: "2026-03"; empty: taken from a mail's own time.
        prefix: the community's prefix of proposal numbers, "KIP".
        receivers: the hosts that receive the list's mail, whose lines on top of it are trusted.
        tags: the community's own words of tags.
    """

    list_id: str
    month: str
    prefix: str
    list_from_headers: bool = False
    receivers: Sequence[str] = ()
    tags: OwnTags = ()

    def refuse(self, source: str, why: str, *, lost: bool = False) -> Unreadable:
        return Unreadable(source=source, why=why, list_id=self.list_id, month=self.month, lost=lost)


class Head:
    """A mail split into headers and body. Further header values are read on demand: most are never needed."""

    def __init__(self, mail: bytes, headers: Headers, body: bytes, subject: str, place: Place, notes: Unread) -> None:
        self.headers, self.body, self.subject, self.place, self.notes = headers, body, subject, place, notes
        self.arrived_at, self.arrived_from = find_arrival(headers, mail, place.receivers)
        self.in_reply_to = next(iter(parse_message_ids(headers.text("in-reply-to"))), None)
        self.references = parse_references(headers)
        given = parse_message_id(headers.text("message-id"))
        # only kipflow gives such ids
        self.message_id = given if given and not given.startswith(OURS) else f"<kipflow.{self.digest}@missing>"

    @property
    def dated_at(self) -> datetime | None:
        return find_date(self.headers)

    @property
    def list_id(self) -> str:
        found = _find_list(*map(self.headers.raw, _LIST_FIELDS)) if self.place.list_from_headers else None
        return found or self.place.list_id

    @property
    def month(self) -> str:
        at = self.arrived_at
        return self.place.month or (f"{at.year}-{at.month:02}" if at is not None else "")

    @cached_property
    def sender(self) -> Sender:
        return _find_author(self.headers, self.place.list_id.lower(), self.subject)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of what was sent, equal across archives that add headers of their own."""
        parts = [b" ".join((self.headers.raw(name) or b"").split()) for name in ("from", "date", "subject")]
        content = self.body.translate(None, b" \t\r\n")  # archives differ in line ends and trailing blanks
        return sha256(b"\0".join((*parts, content))).hexdigest()

    @property
    def answers(self) -> bool:
        """Whether the mail refers to others, and is no automatic reply."""
        return bool(self.in_reply_to or self.references) and not self.is_automatic

    @property
    def is_automatic(self) -> bool:
        """Whether the mail declares itself an automatic reply (RFC 3834): "I am out of the office"."""
        return self._submitted.startswith(b"auto-replied")

    @property
    def is_generated(self) -> bool:
        """Whether the mail declares that a program wrote it by itself: a build report, a gateway's mail."""
        return self._submitted.startswith(b"auto-generated")

    @property
    def _submitted(self) -> bytes:
        return (self.headers.raw("auto-submitted") or b"").lower()

    @property
    def is_sealed(self) -> bool:
        """Whether the mail is encrypted."""
        kind = (self.headers.raw("content-type") or b"").lower()
        return kind.startswith(b"multipart/encrypted") or b"enveloped-data" in kind

    @property
    def author_name(self) -> str:
        return self.sender.name

    @property
    def author_address(self) -> str:
        return self.sender.address

    @property
    def address_source(self) -> AddressSource:
        return self.sender.source

    @property
    def raw_from(self) -> str:
        return self.sender.raw[:500]

    def find_facts(self) -> dict[str, Any]:
        """The values of a `Message` that the headers alone give."""
        return {name: getattr(self, name) for name in FACTS}


#: The values of a `Message` that its headers give.
FACTS = (
    *("message_id", "list_id", "month", "arrived_at", "arrived_from", "author_name", "author_address"),
    *("address_source", "raw_from", "subject", "in_reply_to", "references", "digest", "dated_at"),
)


def read_head(data: bytes, place: Place, unread: str = "") -> Head | str:
    """Split a mail into headers and body, or say why it is no mail. `unread`: why these bytes may be incomplete."""
    note = Unread(unread)
    if len(data) > limits.MAIL.size:
        note(limits.MAIL)
    mail = _even_line_ends(data[: limits.MAIL.size])
    if not mail or mail.isspace():
        return "empty"
    headers, body = split_mail(mail)
    if headers.first.keys().isdisjoint(_MAIL_FIELDS) or not any(map(headers.raw, _MAIL_FIELDS)):
        return "no mail headers"
    note_limits(mail, headers, note)
    return Head(mail, headers, body, _read_subject(headers, note), place, note)


def _even_line_ends(data: bytes) -> bytes:
    """The mail with "\\n" ending its lines, whatever ended them, from its first line that is not empty."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if b"\r" in data and b"\n" not in data.strip():
            data = data.replace(b"\r", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\n")


def _read_subject(headers: Headers, note: limits.Note) -> str:
    """The subject in one line; if it is too long, each mark in front of it only once."""
    written = headers.text("subject")
    if not (written.isascii() and written.isprintable()):
        written = _TURNS.sub("\ufffd", _CONTROL.sub("", written))
    subject = " ".join(written.split())
    if len(subject) <= limits.SUBJECT.size:
        return subject
    note(limits.SUBJECT)
    return drop_repeated_marks(subject)[:1000]


def _find_author(headers: Headers, list_id: str, subject: str) -> Sender:
    """The mail's writer; for a mirrored issue comment, who wrote it there."""
    sender = find_sender(headers, list_id)
    mirrored = parse_mirrored(subject) if not sender.address else None
    return sender if mirrored is None else replace(sender, name=mirrored.login)


#: The fields that name a list, in the order of `_find_list`.
_LIST_FIELDS = ("list-post", "list-id", "from", "to")


@lru_cache(maxsize=2048)
def _find_list(list_post: bytes | None, list_id: bytes | None, from_: bytes | None, to: bytes | None) -> str | None:
    """The list's address from List-Post, List-Id or To; None if they name none. One list's mails repeat them."""
    post = read_text(list_post).lower()
    if "mailto:" in post:
        address = parse_mailbox(post.replace("mailto:", "").split("?")[0])[1]
        if "@" in address:
            return clean_address(address)
    listed = read_text(list_id)
    if listed:
        name = parse_mailbox(listed)[1] or listed.strip().strip("<>")
        name = name.strip().lower()
        if "@" in name:
            return clean_address(name)
        if "." in name and " " not in name:
            local, _, domain = name.partition(".")
            return f"{local}@{domain}"
    name, written = parse_mailbox(read_text(from_))
    writer = "" if " via " in name else clean_address(written)
    for mailbox in split_mailboxes(read_text(to)):
        address = clean_address(parse_mailbox(mailbox)[1])
        if address.split("@")[0] in {"dev", "private", "general", "users", "user", "discuss"} and address != writer:
            return address
    return None

"""What the headers of one mail tell of it: who wrote, when it came, which list, which mails it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from kipflow.domain.proposals import UNSEEN
from kipflow.domain.roster import clean_address
from kipflow.domain.sameids import OURS
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
from kipflow.mail.subjects import drop_repeated_marks
from kipflow.mail.trackers import parse_mirrored

# one of these makes a piece of text a mail
_MAIL_FIELDS = (
    *("from", "subject", "date", "message-id", "to", "sender", "received", "return-path", "list-id", "mime-version"),
    *("content-type", "in-reply-to", "references"),
)
# what no one can see, and a terminal or a page might obey; blanks are evened out apart
_CONTROL = re.compile(rf"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f{UNSEEN}]")
# what turns the order of what is seen: left in sight, so that no number is read across it
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A mail taken apart, and the values of a `Message` that its headers alone give (`facts`)."""

    headers: Headers
    body: bytes
    subject: str
    sender: Sender
    facts: dict[str, Any]

    @property
    def answers(self) -> bool:
        """Whether the mail names others, and no program sent it in its owner's name."""
        return bool(self.facts["in_reply_to"] or self.facts["references"]) and not self.is_automatic

    @property
    def is_automatic(self) -> bool:
        """Whether a program answered in its owner's name, by its own word (RFC 3834): "I am out of the office"."""
        return self._submitted.startswith(b"auto-replied")

    @property
    def is_generated(self) -> bool:
        """Whether a program wrote the mail by itself, by its own word: a builder's report, a gateway's mail."""
        return self._submitted.startswith(b"auto-generated")

    @property
    def _submitted(self) -> bytes:
        return (self.headers.raw("auto-submitted") or b"").lower()

    @property
    def is_sealed(self) -> bool:
        """Whether the mail is encrypted."""
        kind = (self.headers.raw("content-type") or b"").lower()
        return kind.startswith(b"multipart/encrypted") or b"enveloped-data" in kind


def read_head(
    data: bytes, *, list_id: str, month: str, list_from_headers: bool, receivers: Sequence[str], note: limits.Note
) -> Head | str:
    """Take a mail apart and read its headers; of what is no mail, why it is none. See `messages.read_message`."""
    if len(data) > limits.MAIL.size:
        note(limits.MAIL)
    mail = _even_line_ends(data[: limits.MAIL.size])
    if not mail or mail.isspace():
        return "empty"
    headers, body = split_mail(mail)
    if not any(map(headers.raw, _MAIL_FIELDS)):
        return "no mail headers"
    note_limits(mail, headers, note)
    dated_at = find_date(headers)
    arrived_at, arrived_from = find_arrival(headers, mail, receivers, dated_at)
    found_list = _find_list(*map(headers.raw, _LIST_FIELDS))
    subject = _read_subject(headers, note)
    sender = _find_author(headers, list_id.lower(), subject)
    parents = parse_message_ids(headers.text("in-reply-to"))
    digest = _digest(headers, body)
    message_id = parse_message_id(headers.text("message-id"))
    if not message_id or message_id.startswith(OURS):  # nobody else gives such ids
        message_id = f"<kipflow.{digest}@missing>"
    facts = {
        "message_id": message_id,
        "list_id": (found_list or list_id) if list_from_headers else list_id,
        "month": month or (f"{arrived_at.year}-{arrived_at.month:02}" if arrived_at is not None else ""),
        "arrived_at": arrived_at,
        "arrived_from": arrived_from,
        "author_name": sender.name,
        "author_address": sender.address,
        "address_source": sender.source,
        "raw_from": sender.raw[:500],
        "subject": subject,
        "in_reply_to": parents[0] if parents else None,
        "references": parse_references(headers),
        "digest": digest,
        "dated_at": dated_at,
    }
    return Head(headers=headers, body=body, subject=subject, sender=sender, facts=facts)


def _even_line_ends(data: bytes) -> bytes:
    """The mail with "\\n" ending its lines, whatever ended them, from its first line that is not empty."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if b"\r" in data and b"\n" not in data.strip():
            data = data.replace(b"\r", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\n")


def _read_subject(headers: Headers, note: limits.Note) -> str:
    """The subject in one line; of one that is too long, each mark in front of it once."""
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
    return sender if mirrored is None else Sender(name=mirrored.login, address="", raw=sender.raw, source=sender.source)


#: The fields that name a list, in the order of `_find_list`.
_LIST_FIELDS = ("list-post", "list-id", "from", "to")


@lru_cache(maxsize=2048)
def _find_list(list_post: bytes | None, list_id: bytes | None, from_: bytes | None, to: bytes | None) -> str | None:
    """The list's address from List-Post, List-Id or To; None if they name none. One list's mails say the same."""
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


def _digest(headers: Headers, body: bytes) -> str:
    """A fingerprint of what was sent, equal across archives that add headers of their own."""
    parts = [b" ".join((headers.raw(name) or b"").split()) for name in ("from", "date", "subject")]
    content = body.translate(None, b" \t\r\n")  # archives differ in line ends and trailing blanks
    return sha256(b"\0".join((*parts, content))).hexdigest()

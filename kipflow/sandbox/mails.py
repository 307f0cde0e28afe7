"""Mails of the story, and their encoding into the bytes of an archive, with all oddities."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from kipflow.domain.texts import digest_text
from kipflow.sandbox.encodings import Oddity, encode_body
from kipflow.sandbox.people import Resident

LIST = "dev@sandbox.example"
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail before it is encoded. `at` is when the archive receives it; `text` is its whole body.

    `date_header` replaces the Date that follows from `at` (odd dates).
    """

    key: str
    at: datetime
    author: Resident
    subject: str
    text: str
    message_id: str
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    flags: frozenset[Oddity] = frozenset()
    date_header: str | None = None

    @property
    def address(self) -> str:
        if Oddity.NEW_ADDRESS in self.flags:
            return f"{self.author.id}@newmailbox.example"
        alternative = Oddity.OTHER_ADDRESS in self.flags and len(self.author.emails) > 1
        return self.author.emails[1 if alternative else 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMail:
    """A mail as archived: raw bytes (without the mbox separator), time of arrival, and month."""

    arrives_at: datetime
    month: str
    envelope: str
    raw: bytes


def make_message_id(key: str, address: str) -> str:
    """A Message-ID that depends on the story only, so that a mail has the same id at any anchor."""
    return f"<CA{digest_text(key, 24)}@mail.{address.rpartition('@')[2]}>"


def format_date(at: datetime, zone: int, *flags: Oddity) -> str:
    """A Date header, in the sender's zone, in one of the forms seen in the wild."""
    local = at.astimezone(timezone(timedelta(minutes=zone)))
    sign, minutes = ("+", zone) if zone >= 0 else ("-", -zone)
    offset = f"{sign}{minutes // 60:02d}{minutes % 60:02d}"
    if Oddity.GMT in flags:
        local, offset = at.astimezone(UTC), "GMT"
    day = "" if Oddity.NO_WEEKDAY in flags else f"{DAYS[local.weekday()]}, "
    year = f"{local.year % 100:02d}" if Oddity.TWO_DIGIT_YEAR in flags else f"{local.year}"
    return f"{day}{local.day} {MONTHS[local.month - 1]} {year} {local:%H:%M:%S} {offset}"


def format_separator(envelope: str, at: datetime) -> bytes:
    """The "From " line that opens a mail in an mbox."""
    moment = at.astimezone(UTC)
    day, month = DAYS[moment.weekday()], MONTHS[moment.month - 1]
    return f"From {envelope} {day} {month} {moment.day:02d} {moment:%H:%M:%S} {moment.year}\n".encode()


def format_envelope(number: int) -> str:
    """The bounce address of the list's mail with this number."""
    return f"dev-return-{number}-archive=lists.sandbox.example@sandbox.example"


def archive(mails: Iterable[Mail]) -> list[ArchivedMail]:
    """These mails as the list's archive holds them, in order of arrival."""
    held: list[ArchivedMail] = []
    for number, mail in enumerate(sorted(mails, key=lambda m: (m.at, m.key)), start=1):
        envelope = format_envelope(10_000 + number)
        copies = 2 if Oddity.TWICE in mail.flags else 1
        for copy in range(copies):
            at = mail.at + timedelta(minutes=3 * copy)
            raw = render_mail(mail, received_at=at)
            held.append(ArchivedMail(arrives_at=at, month=f"{at:%Y-%m}", envelope=envelope, raw=raw))
    return sorted(held, key=lambda m: (m.arrives_at, m.envelope))


# -- headers -----------------------------------------------------------------------------------

#: Headers that the list's own hosts prepend: route, and authentication of the sender.
_TRACE = """\
Received: from mx1.sandbox.example (mx1.sandbox.example [198.51.100.7])
\tby lists.sandbox.example (Postfix) with ESMTPS id {token}
\tfor <dev@sandbox.example>; {stamp} (UTC)
Authentication-Results: mx1.sandbox.example;
\tdkim=pass header.d={theirs}; spf=pass smtp.mailfrom={theirs}
Received: from mail.{theirs} (mail.{theirs} [203.0.113.25])
\tby mx1.sandbox.example (Postfix) with ESMTPS id {nekot}
\tfor <dev@sandbox.example>; {stamp} (UTC)
"""
_NO_TRACE = "Received: by lists.sandbox.example (Postfix)\n"  # without a time
_LIST = """\
Mailing-List: contact dev-help@sandbox.example; run by ezmlm
Precedence: bulk
List-Post: <mailto:dev@sandbox.example>
List-Id: <dev.sandbox.example>
Delivered-To: mailing list dev@sandbox.example
"""


def render_trace(key: str, sender: str, *, received_at: datetime, trace: str = _TRACE) -> str:
    """The headers that the list's hosts prepend to a mail of this sender."""
    token, theirs = digest_text(key, 11).upper(), sender.partition("@")[2]
    hops = trace.format(theirs=theirs, token=token, nekot=token[::-1], stamp=format_date(received_at, 0))
    return f"Return-Path: <{sender}>\n{hops}{_LIST}"


def render_mail(mail: Mail, *, received_at: datetime) -> bytes:
    """The mail as bytes with LF line ends; "From " lines of the body are escaped unless it has `FROM_LINE`."""
    trace = _NO_TRACE if Oddity.NO_DATE_AT_ALL in mail.flags else _TRACE
    top = render_trace(mail.key, mail.address, received_at=received_at, trace=trace)
    types, body = encode_body(mail.key, mail.text, mail.flags)
    headers = [*_address_headers(mail), *_thread_headers(mail), *types]
    text = top + "".join(f"{name}: {value}\n" for name, value in headers)
    return text.encode("utf-8") + b"\n" + body.rstrip(b"\n") + b"\n"


def _address_headers(mail: Mail) -> list[tuple[str, str]]:
    name, to_list = mail.author.name, f"<{LIST}>"
    mailbox = f"{encode_words(name)} <{mail.address}{'.INVALID' if Oddity.INVALID in mail.flags else ''}>"
    if Oddity.VIA_REPLY_TO in mail.flags:
        return [("From", f'"{name} via dev" {to_list}'), ("Reply-To", mailbox), ("To", to_list)]
    replies = [("Reply-To", LIST), ("To", LIST)]
    if Oddity.VIA_CC in mail.flags:
        copies = f"Elin Borg <elin@skerry.example>, {mailbox}"
        return [("From", f"{encode_words(f'{name} via dev')} {to_list}"), *replies, ("Cc", copies)]
    return [("From", mailbox), *replies]


def _thread_headers(mail: Mail) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if Oddity.NO_SUBJECT not in mail.flags:
        subject = encode_words(mail.subject)
        if Oddity.FOLDED in mail.flags:
            middle = subject.find(" ", len(subject) // 2)
            subject = subject if middle < 0 else f"{subject[:middle]}\n\t{subject[middle + 1 :]}"
        found.append(("Subject", subject))
    if mail.date_header is not None:
        found.append(("Date", mail.date_header))
    elif not mail.flags & {Oddity.NO_DATE, Oddity.NO_DATE_AT_ALL}:
        written = mail.at - timedelta(days=11) if Oddity.SLOW_CLOCK in mail.flags else mail.at
        found.append(("Date", format_date(written, mail.author.zone, *mail.flags)))
    if Oddity.NO_ID not in mail.flags:
        found.append(("Message-ID", mail.message_id))
    if mail.in_reply_to is not None:
        found.append(("In-Reply-To", mail.in_reply_to))
    if mail.references:
        found.append(("References", "\n ".join(mail.references)))
    return found


def encode_words(text: str) -> str:
    """`text` as a header value: unchanged if ASCII, else in encoded words of at most 75 characters."""
    if text.isascii():
        return text
    words, chunk = [], ""
    for letter in text:
        if len((chunk + letter).encode()) > 42:
            words.append(chunk)
            chunk = ""
        chunk += letter
    words.append(chunk)
    return "\n ".join(f"=?UTF-8?B?{base64.b64encode(w.encode()).decode()}?=" for w in words)

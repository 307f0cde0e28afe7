"""A mail of the story, and how it turns into the bytes that an archive holds, oddities and all."""

from __future__ import annotations

import base64
import hashlib
import html
import quopri
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from kipflow.sandbox.people import Resident
from kipflow.sandbox.plans import Oddity

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_QUOTED_LINES = 60


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
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def address(self) -> str:
        alternative = Oddity.OTHER_ADDRESS in self.flags and len(self.author.emails) > 1
        return self.author.emails[1 if alternative else 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMail:
    """A mail as an archive gives it: raw bytes (without the mbox separator), from when on, and its month."""

    arrives_at: datetime
    month: str
    envelope: str
    raw: bytes


def make_message_id(seed: int, key: str, address: str) -> str:
    """A Message-ID that depends on the story alone, so that the same mail keeps its name at any anchor."""
    digest = hashlib.sha256(f"{seed}|{key}".encode()).hexdigest()
    return f"<CA{digest[:24]}@mail.{address.rpartition('@')[2]}>"


def format_date(at: datetime, zone: int, *flags: Oddity) -> str:
    """A Date header, in the sender's zone, in one of the forms seen in the wild."""
    local = at.astimezone(timezone(timedelta(minutes=zone)))
    sign, minutes = ("+", zone) if zone >= 0 else ("-", -zone)
    offset = f"{sign}{minutes // 60:02d}{minutes % 60:02d}"
    if Oddity.GMT in flags:
        local, offset = at.astimezone(UTC), "GMT"
    day = "" if Oddity.NO_WEEKDAY in flags else f"{_DAYS[local.weekday()]}, "
    year = f"{local.year % 100:02d}" if Oddity.TWO_DIGIT_YEAR in flags else f"{local.year}"
    return f"{day}{local.day} {_MONTHS[local.month - 1]} {year} {local:%H:%M:%S} {offset}"


def format_separator(envelope: str, at: datetime) -> bytes:
    """The "From " line that opens a mail in an mbox."""
    moment = at.astimezone(UTC)
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"From {envelope} {day} {month} {moment.day:02d} {moment:%H:%M:%S} {moment.year}\n".encode()


def archive(mails: Iterable[Mail], list_id: str) -> list[ArchivedMail]:
    """What the list's archive holds of these mails, in order of arrival."""
    held: list[ArchivedMail] = []
    for number, mail in enumerate(sorted(mails, key=lambda m: (m.at, m.key)), start=1):
        box, _, domain = list_id.partition("@")
        envelope = f"{box}-return-{10_000 + number}-archive=lists.{domain}@{domain}"
        copies = 2 if Oddity.TWICE in mail.flags else 1
        for copy in range(copies):
            at = mail.at + timedelta(minutes=3 * copy)
            raw = render_mail(mail, list_id, received_at=at)
            held.append(ArchivedMail(arrives_at=at, month=f"{at:%Y-%m}", envelope=envelope, raw=raw))
    return sorted(held, key=lambda m: (m.arrives_at, m.envelope))


# -- headers -----------------------------------------------------------------------------------


def render_mail(mail: Mail, list_id: str, *, received_at: datetime) -> bytes:
    """The mail as bytes with LF line ends, "From " lines of the body escaped unless the mail says not to."""
    box, _, domain = list_id.partition("@")
    headers = [("Return-Path", f"<{mail.address}>")]
    if Oddity.NO_DATE_AT_ALL not in mail.flags:
        stamp = format_date(received_at + timedelta(seconds=4), 0)
        token = hashlib.sha256(mail.key.encode()).hexdigest()[:11].upper()
        headers.append(
            (
                "Received",
                f"from mx1.{domain} (mx1.{domain} [198.51.100.7])\n\tby lists.{domain} (Postfix) with ESMTPS id {token}"
                f"\n\tfor <{list_id}>; {stamp} (UTC)",
            )
        )
    headers += [
        ("Mailing-List", f"contact {box}-help@{domain}; run by ezmlm"),
        ("Precedence", "bulk"),
        ("List-Post", f"<mailto:{list_id}>"),
        ("List-Id", f"<{box}.{domain}>"),
        ("Delivered-To", f"mailing list {list_id}"),
    ]
    headers += _address_headers(mail, list_id)
    headers += _thread_headers(mail)
    headers += mail.headers
    type_headers, body = _encode_body(mail)
    headers += type_headers
    text = "".join(f"{name}: {value}\n" for name, value in headers)
    return text.encode("utf-8") + b"\n" + body.rstrip(b"\n") + b"\n"


def _address_headers(mail: Mail, list_id: str) -> list[tuple[str, str]]:
    box = list_id.partition("@")[0]
    name, address = mail.author.name, mail.address
    found: list[tuple[str, str]] = []
    if Oddity.VIA_REPLY_TO in mail.flags:
        found.append(("From", f'"{name} via {box}" <{list_id}>'))
        found += [("Reply-To", f"{encode_words(name)} <{address}>"), ("To", f"<{list_id}>")]
    elif Oddity.VIA_CC in mail.flags:
        found.append(("From", f"{encode_words(f'{name} via {box}')} <{list_id}>"))
        found += [("Reply-To", list_id), ("To", list_id)]
        found.append(("Cc", f"Elin Borg <elin@skerry.example>, {encode_words(name)} <{address}>"))
    else:
        shown = f"{address}.INVALID" if Oddity.INVALID in mail.flags else address
        found.append(("From", f"{encode_words(name)} <{shown}>"))
        found += [("Reply-To", list_id), ("To", list_id)]
    return found


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
        found.append(("Date", format_date(mail.at, mail.author.zone, *mail.flags)))
    if Oddity.NO_ID not in mail.flags:
        found.append(("Message-ID", mail.message_id))
    if mail.in_reply_to is not None:
        found.append(("In-Reply-To", mail.in_reply_to))
    if mail.references:
        found.append(("References", "\n ".join(mail.references)))
    return found


def encode_words(text: str) -> str:
    """`text` as a header value: as it is in ASCII, else in encoded words of at most 75 characters."""
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


# -- bodies ------------------------------------------------------------------------------------


def _encode_body(mail: Mail) -> tuple[list[tuple[str, str]], bytes]:
    flags, text = mail.flags, mail.text
    mime = [("MIME-Version", "1.0")]
    if Oddity.HTML in flags:
        return [*mime, ("Content-Type", "text/html; charset=utf-8")], _escape(text_to_html(text), flags).encode()
    if Oddity.ALTERNATIVE in flags:
        return _encode_alternative(mail)
    if Oddity.BASE64 in flags:
        body = base64.encodebytes(text.encode())
        kind = ("Content-Type", 'text/plain; charset="UTF-8"')
        return [*mime, kind, ("Content-Transfer-Encoding", "base64")], body
    if Oddity.QUOTED_PRINTABLE in flags:
        body = quopri.encodestring(_escape(text, flags).encode())
        kind = ("Content-Type", "text/plain; charset=utf-8")
        return [*mime, kind, ("Content-Transfer-Encoding", "quoted-printable")], body
    if Oddity.FLOWED in flags:
        kind = ("Content-Type", "text/plain; charset=utf-8; format=flowed")
        return [*mime, kind, ("Content-Transfer-Encoding", "8bit")], _escape(_flow(text), flags).encode()
    if Oddity.LATIN1 in flags:
        kind = ("Content-Type", "text/plain; charset=iso-8859-1")
        body = _escape(text, flags).encode("latin-1", "replace")
        return [*mime, kind, ("Content-Transfer-Encoding", "8bit")], body
    if Oddity.UNKNOWN_CHARSET in flags:
        return [*mime, ("Content-Type", "text/plain; charset=x-sandbox-9")], _escape(text, flags).encode()
    kind = ("Content-Type", f"text/plain; charset={'us-ascii' if text.isascii() else 'utf-8'}")
    return [*mime, kind], _escape(text, flags).encode()


def _encode_alternative(mail: Mail) -> tuple[list[tuple[str, str]], bytes]:
    boundary = "----=_" + hashlib.sha256(mail.key.encode()).hexdigest()[:20]
    part = (
        f'--{boundary}\nContent-Type: text/{{kind}}; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\n\n'
    )
    body = b"".join(
        [
            part.format(kind="plain").encode() + quopri.encodestring(mail.text.encode()) + b"\n",
            part.format(kind="html").encode() + quopri.encodestring(text_to_html(mail.text).encode()) + b"\n",
            f"--{boundary}--\n".encode(),
        ]
    )
    headers = [("MIME-Version", "1.0"), ("Content-Type", f'multipart/alternative; boundary="{boundary}"')]
    return headers, body


def _escape(text: str, flags: frozenset[Oddity]) -> str:
    if Oddity.FROM_LINE in flags:
        return text
    return "\n".join(f">{line}" if line.startswith("From ") else line for line in text.split("\n"))


def _flow(text: str) -> str:
    """`text` as format=flowed: wrapped lines end with a space, quote marks are kept, the rest is stuffed."""
    lines = text.split("\n")
    flowed: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(">"):
            flowed.append(line)
            continue
        soft = len(line) > 50 and following and not following.startswith(">")
        stuffed = f" {line}" if line.startswith((" ", "From ")) else line
        flowed.append(f"{stuffed} " if soft else stuffed)
    return "\n".join(flowed)


def text_to_html(text: str) -> str:
    """The HTML that a mail program would send for `text`: quoted lines in nested blockquotes."""
    out, depth = ["<html><head><style>p { margin: 0 }</style></head><body>"], 0
    for line in text.split("\n"):
        level = 0
        while line.startswith(">"):
            level, line = level + 1, line[1:].removeprefix(" ")
        while depth < level:
            out.append('<blockquote class="quote" style="border-left: 1px solid #ccc">')
            depth += 1
        while depth > level:
            out.append("</blockquote>")
            depth -= 1
        out.append(f"<div>{html.escape(line) or '<br>'}</div>")
    out += ["</blockquote>"] * depth
    return "\n".join(out) + "</body></html>"


# -- quoting -----------------------------------------------------------------------------------


def compose(words: str, *, author: Resident, parent: Mail | None, flags: frozenset[Oddity], list_id: str) -> str:
    """A whole body: the author's words, the quoted parent in their manner, signature, list footer."""
    parts = []
    own = wrap(words)
    if parent is None or Oddity.BARE in flags:
        parts.append(own)
    elif Oddity.OUTLOOK in flags:
        parts += [own, _outlook_block(parent, list_id)]
    else:
        manner = _manner(author, flags)
        intro = attribution(parent, daylight=Oddity.DAYLIGHT in flags)
        quoted = quote(_template_of(parent) if Oddity.TEMPLATE in flags else parent.text)
        if manner is Oddity.TOP:
            parts += [own, _sign(author), f"{intro}\n{quoted}"]
        elif manner is Oddity.BOTTOM:
            parts += [f"{intro}\n{quoted}", own, _sign(author)]
        else:
            parts += [f"{intro}\n{_interleave(quoted, own)}", _sign(author)]
        return _join(parts, flags, list_id)
    if Oddity.BARE not in flags:
        parts.insert(1, _sign(author))
    return _join(parts, flags, list_id)


def _join(parts: list[str], flags: frozenset[Oddity], list_id: str) -> str:
    if Oddity.FOOTER in flags:
        box, _, domain = list_id.partition("@")
        rule = "-" * 69
        parts = [
            *parts,
            f"{rule}\nTo unsubscribe, e-mail: {box}-unsubscribe@{domain}\nFor additional commands, e-mail: {box}-help@{domain}",
        ]
    return "\n\n".join(p for p in parts if p)


def _manner(author: Resident, flags: frozenset[Oddity]) -> Oddity:
    for manner in (Oddity.TOP, Oddity.BOTTOM, Oddity.INLINE):
        if manner in flags:
            return manner
    return Oddity(author.quoting)


def _sign(author: Resident) -> str:
    return "\n".join(author.signature)


def wrap(words: str) -> str:
    """Paragraphs of at most 76 columns; lines that are a list or a table stay as they are."""
    kept = []
    for paragraph in words.split("\n\n"):
        if "\n" in paragraph or len(paragraph) <= 76:
            kept.append(paragraph)
        else:
            kept.append(textwrap.fill(paragraph, 76, break_long_words=False, break_on_hyphens=False))
    return "\n\n".join(kept)


def quote(text: str) -> str:
    """`text` with quote marks, cut where a thread grew too deep for anybody to read."""
    lines = text.split("\n")[:_QUOTED_LINES]
    return "\n".join(f">{line}" if line.startswith(">") else f"> {line}".rstrip() for line in lines)


def attribution(parent: Mail, *, daylight: bool = False) -> str:
    """The line above a quote. Its form depends on the quoted mail, as if on the program that answers."""
    local = parent.at.astimezone(timezone(timedelta(minutes=parent.author.zone)))
    name = parent.author.name
    if daylight:
        return f"On {format_date(parent.at, 60)}, {name} wrote:"
    form = int(hashlib.sha256(parent.key.encode()).hexdigest(), 16) % 4
    day, month = _DAYS[local.weekday()], _MONTHS[local.month - 1]
    if form == 0:
        return f"On {day}, {month} {local.day}, {local.year} at {local:%H:%M} {name} <{parent.address}>\nwrote:"
    if form == 1:
        return f"On {local:%Y-%m-%d %H:%M}, {name} wrote:"
    if form == 2:
        return f"Am {local:%d.%m.%y} um {local:%H:%M} schrieb {name}:"
    return f"On {day}, {local.day} {month} {local.year} at {local:%H:%M}, {name} <{parent.address}> wrote:"


def _outlook_block(parent: Mail, list_id: str) -> str:
    local = parent.at.astimezone(timezone(timedelta(minutes=parent.author.zone)))
    head = (
        f"From: {parent.author.name} <{parent.address}>\nSent: {local:%d %B %Y %H:%M}\nTo: {list_id}\n"
        f"Subject: {parent.subject}"
    )
    return f"{'_' * 32}\n{head}\n\n{parent.text}"


def _interleave(quoted: str, own: str) -> str:
    """The own words after the first paragraph of the quote, the rest of the quote below."""
    blocks = quoted.split("\n>\n")
    head, rest = blocks[0], blocks[1:4]
    return "\n\n".join(p for p in (head, own, "\n>\n".join(rest)) if p)


def _template_of(parent: Mail) -> str:
    """The part of the parent that holds its ballot template, where it has one."""
    start = parent.text.find("[ ] +1")
    return parent.text if start < 0 else parent.text[start:]

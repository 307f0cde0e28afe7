"""How people write and answer: above, below or between the lines they quote."""

from __future__ import annotations

import hashlib
import textwrap
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial

from kipflow.sandbox.data import SEED
from kipflow.sandbox.encodings import Oddity
from kipflow.sandbox.mails import DAYS, LIST, MONTHS, Mail, format_date, make_message_id
from kipflow.sandbox.people import Resident

_QUOTED_LINES = 60


def write_mail(
    key: str,
    at: datetime,
    author: Resident,
    subject: str,
    words: str,
    parent: Mail | None,
    *,
    flags: frozenset[Oddity] = frozenset(),
    message_id: str = "",
    date_header: str | None = None,
) -> Mail:
    """A mail of the story; one without a `message_id` of its own gets one from its key."""
    mail = Mail(
        key=key,
        at=at,
        author=author,
        subject=subject,
        text=compose(words, author=author, parent=parent, flags=flags),
        message_id=message_id,
        in_reply_to=parent.message_id if parent else None,
        references=(*parent.references, parent.message_id)[-8:] if parent else (),
        flags=flags,
        date_header=date_header,
    )
    return mail if message_id else replace(mail, message_id=make_message_id(f"{SEED}|{key}", mail.address))


def compose(words: str, *, author: Resident, parent: Mail | None, flags: frozenset[Oddity]) -> str:
    """A whole body: the author's words, the parent quoted in their style, signature, list footer."""
    own, signature = wrap(words), "\n".join(author.signature)
    if Oddity.BARE in flags:
        parts = [own]
    elif parent is None:
        parts = [own, signature]
    elif Oddity.OUTLOOK in flags:
        parts = [own, signature, _outlook_block(parent)]
    else:
        parts = _answer(own, signature, parent, Oddity(author.quoting), flags)
    if Oddity.FOOTER in flags:
        parts.append(_FOOTER)
    return "\n\n".join(p for p in parts if p)


_FOOTER = f"""\
{"-" * 69}
To unsubscribe, e-mail: dev-unsubscribe@sandbox.example
For additional commands, e-mail: dev-help@sandbox.example"""


def _answer(own: str, signature: str, parent: Mail, usual: Oddity, flags: frozenset[Oddity]) -> list[str]:
    manner = next((m for m in (Oddity.TOP, Oddity.BOTTOM, Oddity.INLINE) if m in flags), usual)
    intro = attribution(parent, with_offset=Oddity.ATTRIBUTION in flags)
    template = max(0, parent.text.find("[ ] +1"))  # the parent's ballot template, if it has one
    quoted = quote(parent.text[template if Oddity.TEMPLATE in flags else 0 :])
    if manner is Oddity.TOP:
        return [own, signature, f"{intro}\n{quoted}"]
    if manner is Oddity.BOTTOM:
        return [f"{intro}\n{quoted}", own, signature]
    return [f"{intro}\n{_interleave(quoted, own)}", signature]


def wrap(words: str) -> str:
    """Paragraphs of at most 76 columns; lines that are a list or a table stay as they are."""
    fill = partial(textwrap.fill, width=76, break_long_words=False, break_on_hyphens=False)
    return "\n\n".join(text if "\n" in text or len(text) <= 76 else fill(text) for text in words.split("\n\n"))


def quote(text: str) -> str:
    """`text` with quote marks, cut if quotes are nested too deeply to be read."""
    lines = text.split("\n")[:_QUOTED_LINES]
    return "\n".join(f">{line}" if line.startswith(">") else f"> {line}".rstrip() for line in lines)


def attribution(parent: Mail, *, with_offset: bool = False) -> str:
    """The line above a quote. Its form depends on the quoted mail, in place of the mail program."""
    local = parent.at.astimezone(timezone(timedelta(minutes=parent.author.zone)))
    name = parent.author.name
    if with_offset:
        return f"On {format_date(parent.at, 60)}, {name} wrote:"
    day, month, address = DAYS[local.weekday()], MONTHS[local.month - 1], parent.address
    forms = (
        f"On {day}, {month} {local.day}, {local.year} at {local:%H:%M} {name} <{address}>\nwrote:",
        f"On {local:%Y-%m-%d %H:%M}, {name} wrote:",
        f"Am {local:%d.%m.%y} um {local:%H:%M} schrieb {name}:",
        f"On {day}, {local.day} {month} {local.year} at {local:%H:%M}, {name} <{address}> wrote:",
    )
    return forms[int(hashlib.sha256(parent.key.encode()).hexdigest(), 16) % 4]


def _outlook_block(parent: Mail) -> str:
    local = parent.at.astimezone(timezone(timedelta(minutes=parent.author.zone)))
    head = (
        f"From: {parent.author.name} <{parent.address}>\nSent: {local:%d %B %Y %H:%M}\nTo: {LIST}\n"
        f"Subject: {parent.subject}"
    )
    return f"{'_' * 32}\n{head}\n\n{parent.text}"


def _interleave(quoted: str, own: str) -> str:
    """The own words after the first paragraph of the quote, the rest of the quote below."""
    blocks = quoted.split("\n>\n")
    head, rest = blocks[0], blocks[1:4]
    return "\n\n".join(p for p in (head, own, "\n>\n".join(rest)) if p)

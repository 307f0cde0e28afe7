"""What can be odd about a mail, and bodies in the encodings that mail programs use, good and bad."""

from __future__ import annotations

import base64
import html
import quopri
from collections.abc import Callable
from enum import StrEnum

from kipflow.domain.texts import digest_text


class Oddity(StrEnum):
    """What can be odd about a mail as it is written or archived."""

    HTML = "html"  # text/html only
    ALTERNATIVE = "alternative"  # text/plain and text/html
    BASE64 = "b64"
    QUOTED_PRINTABLE = "qp"
    FLOWED = "flowed"
    LATIN1 = "latin1"
    UNKNOWN_CHARSET = "unknowncharset"
    VIA_REPLY_TO = "viareply"  # "Name via dev", the real address in Reply-To
    VIA_CC = "viacc"  # the same, the real address as last Cc
    INVALID = "invalid"  # name@company.INVALID
    OTHER_ADDRESS = "alt"  # writes from their second address
    NEW_ADDRESS = "newaddr"  # writes from an address that the roster does not have
    NO_DATE = "nodate"  # no Date, but Received lines
    NO_DATE_AT_ALL = "nodateatall"  # no Date, and a Received without a time
    SLOW_CLOCK = "slowclock"  # a Date that is eleven days old
    NO_ID = "noid"
    NO_SUBJECT = "nosubject"
    TWICE = "twice"  # the archive holds it twice
    FROM_LINE = "fromline"  # a body line "From …" left unescaped
    TWO_DIGIT_YEAR = "year2"
    NO_WEEKDAY = "noweekday"
    GMT = "gmt"
    FOLDED = "folded"  # a subject over several lines
    REPEATED = "re2"  # Re: Re: Fwd:
    RE_UPPER = "upper"  # RE:
    AW = "aw"
    FORWARD = "fwd"
    TOP = "top"
    BOTTOM = "bottom"
    INLINE = "inline"
    OUTLOOK = "outlook"  # From/Sent/To/Subject block above the quoted mail
    BARE = "bare"  # nothing but these words, no greeting, quote or signature
    FOOTER = "footer"  # the list's footer under the mail
    TEMPLATE = "template"  # quotes the ballot template
    ATTRIBUTION = "attribution"  # an attribution line with a +0100 in it


_PLAIN = "text/plain; charset="
#: Oddity → content type, transfer encoding, encoder. A mail's first one applies. Base64 hides "From " lines.
_ENCODINGS: dict[Oddity, tuple[str, str, Callable[[str], bytes]]] = {
    Oddity.HTML: ("text/html; charset=utf-8", "", lambda text: text_to_html(text).encode()),
    Oddity.BASE64: (f'{_PLAIN}"UTF-8"', "base64", lambda text: base64.encodebytes(text.encode())),
    Oddity.QUOTED_PRINTABLE: (
        f"{_PLAIN}utf-8", "quoted-printable", lambda text: quopri.encodestring(_escape(text).encode()),
    ),
    Oddity.FLOWED: (f"{_PLAIN}utf-8; format=flowed", "8bit", lambda text: _flow(text).encode()),
    Oddity.LATIN1: (f"{_PLAIN}iso-8859-1", "8bit", lambda text: _escape(text).encode("latin-1", "replace")),
    Oddity.UNKNOWN_CHARSET: (f"{_PLAIN}x-sandbox-9", "", lambda text: _escape(text).encode()),
    Oddity.FROM_LINE: (f"{_PLAIN}us-ascii", "", str.encode),
}  # fmt: skip


def encode_body(key: str, text: str, flags: frozenset[Oddity]) -> tuple[list[tuple[str, str]], bytes]:
    """The MIME headers and the encoded body; `key` makes the boundary unique."""
    if Oddity.ALTERNATIVE in flags and Oddity.HTML not in flags:
        return _encode_alternative(key, text)
    usual = (f"{_PLAIN}{'us-ascii' if text.isascii() else 'utf-8'}", "", lambda text: _escape(text).encode())
    kind, transfer, encode = next((e for flag, e in _ENCODINGS.items() if flag in flags), usual)
    transfers = [("Content-Transfer-Encoding", transfer)] if transfer else []
    return [("MIME-Version", "1.0"), ("Content-Type", kind), *transfers], encode(text)


def _encode_alternative(key: str, text: str) -> tuple[list[tuple[str, str]], bytes]:
    boundary, body = "----=_" + digest_text(key, 20), b""
    for kind, shown in (("plain", text), ("html", text_to_html(text))):
        head = f'--{boundary}\nContent-Type: text/{kind}; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable'
        body += f"{head}\n\n".encode() + quopri.encodestring(shown.encode()) + b"\n"
    headers = [("MIME-Version", "1.0"), ("Content-Type", f'multipart/alternative; boundary="{boundary}"')]
    return headers, body + f"--{boundary}--\n".encode()


def _escape(text: str) -> str:
    return "\n".join(f">{line}" if line.startswith("From ") else line for line in text.split("\n"))


def _flow(text: str) -> str:
    """`text` as format=flowed: wrapped lines end with a space, quote marks are kept, other lines are space-stuffed."""
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
    opening = '<blockquote class="quote" style="border-left: 1px solid #ccc">'
    out, depth = ["<html><head><style>p { margin: 0 }</style></head><body>"], 0
    for line in text.split("\n"):
        level = 0
        while line.startswith(">"):
            level, line = level + 1, line[1:].removeprefix(" ")
        out += [opening] * (level - depth) + ["</blockquote>"] * (depth - level)
        depth = level
        out.append(f"<div>{html.escape(line) or '<br>'}</div>")
    out += ["</blockquote>"] * depth
    return "\n".join(out) + "</body></html>"

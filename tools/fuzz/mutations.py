"""Mutations that keep a mail parseable: random bytes seldom get past the header block.

Every function maps bytes and a generator to bytes; the same generator state gives the same bytes.
"""

from __future__ import annotations

import base64
import html
import quopri
from collections.abc import Callable
from random import Random

Change = Callable[[bytes, Random], bytes]

CHARSETS = (
    *("utf-8", "us-ascii", "iso-8859-1", "windows-1252", "windows-1251", "koi8-r", "gb2312", "gb18030", "big5"),
    *("iso-2022-jp", "shift_jis", "euc-kr", "utf-7", "utf-16", "utf-16le", "utf-32", "unknown-8bit", "x-user-defined"),
    *("cp437", "hz-gb-2312", "iso-2022-kr", "idna", "punycode", "hex", "rot13", "unicode_escape", "", "utf-8*"),
)
WORDS = (
    *(b"+1", b"-1", b"+0", b"0", b"+1 (binding)", b"-0.9", b"=2B1", b"+1 if renamed", b"[x] +1", b"[ ] -1"),
    *(b"I withdraw my -1.", b"changing my vote to +1", b"The vote has passed with 3 binding +1 votes", b"> +1"),
    *(b"On Tue, Mar 3, 2026 at 9:14 AM Jun Okafor <jun@okafor.example> wrote:", b"-----Original Message-----"),
    *(b"From: Jun Okafor <jun@okafor.example>", b"Sent: Tuesday, March 3, 2026 9:14 AM", b"-- ", b"________________"),
    *(b"Subject: Re: [VOTE] KIP-7", b"Von: x", b"\xe5\x8f\x91\xe4\xbb\xb6\xe4\xba\xba: x"),
    *(b"-----BEGIN PGP SIGNED MESSAGE-----", b"-----BEGIN PGP SIGNATURE-----", b"\xc2\xa0", b"\xe2\x80\x8b"),
    *(b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xff\xfe", b"\x00", b"\r", b"\x0c", b"\x1b$B", b"\x1b(B", b"\xe2\x80\xa8"),
    *(b"<blockquote>", b"</div>", b"<![CDATA[", b"&#x110000;", b"&#xd800;"),
    *(b"From jun@okafor.example Tue Mar  3 10:00:00 2026", b"Binding votes:", b"* Mara Lind", b"1. Jun Okafor", b"=\n"),
    *(b"=?",),
)
OPENINGS = (
    *(b"<div class=gmail_quote>", b"<blockquote type=cite>", b"<div id=divRplyFwdMsg>", b"<table><tr>"),
    b"<div style='display:none'>",
)
HEADERS = (
    *(b"From: =?utf-8?q?J=C3=BAn?= <jun@okafor.example>", b"From: Jun via dev <dev@commons.example>"),
    *(b"From: a, b <c@d.example>", b"Reply-To: jun@okafor.example", b"Cc: x: a@b.example, c@d.example;"),
    *(b"Sender: =?x?b?====?=", b"Date: 31 Feb 99 25:61 +9999", b"Date: Tue, 3 Mar 2026 10:00:00 +0000"),
    *(b"Date: Mon, 1 Jan 0000 00:00:00 -2400", b"Date: 99999999999999999999", b"Subject: [RESULT] [VOTE] KIP-7: x"),
    *(b"Subject: Re: [VOTE] KIP-7", b"Subject: [CANCELLED] [VOTE] KIP-7", b"Subject: =?utf-16?b?//4=?="),
    *(b"Content-Transfer-Encoding: base64", b"Content-Transfer-Encoding: quoted-printable"),
    *(b"Content-Transfer-Encoding: x-uuencode", b"Content-Type: text/plain; format=flowed; delsp=yes"),
    *(b"Content-Type: text/html; charset=utf-8", b"Content-Type: message/rfc822"),
    *(b'Content-Type: multipart/mixed; boundary="b"', b"Content-Type: text/enriched"),
    *(b"Content-Disposition: attachment", b"Content-Type: multipart/alternative; boundary*0=a; boundary*1=b"),
    *(b"Message-ID: <1@mail.example>", b"Message-ID:", b"X-Kipflow-Epoch: 9999999999999999"),
    *(b"In-Reply-To: <root@mail.example>", b"References: <root@mail.example> <1@mail.example>"),
    *(b"List-Id: <dev.commons.example>", b"Received: from x; Tue, 3 Mar 2026 10:00:00 +0000"),
    *(b"List-Post: <mailto:dev@commons.example>", b"X-Original-From: Jun <jun@okafor.example>"),
)


def split(mail: bytes) -> tuple[list[bytes], bytes]:
    """Header lines (folded ones together) and body."""
    head, _, body = mail.partition(b"\n\n")
    fields: list[bytes] = []
    for line in head.split(b"\n"):
        if fields and line[:1] in (b" ", b"\t"):
            fields[-1] += b"\n" + line
        else:
            fields.append(line)
    return fields, body


def join(fields: list[bytes], body: bytes) -> bytes:
    return b"\n".join(fields) + b"\n\n" + body


def with_header(fields: list[bytes], name: bytes, value: bytes | None) -> list[bytes]:
    """`fields` with one header set, or removed (None)."""
    kept = [f for f in fields if not f.lower().startswith(name.lower() + b":")]
    return kept if value is None else [*kept, name + b": " + value]


def change_headers(mail: bytes, random: Random) -> bytes:
    fields, body = split(mail)
    place = random.randrange(len(fields) + 1)
    match random.randrange(6):
        case 0 if fields:
            fields.pop(min(place, len(fields) - 1))
        case 1:
            new = random.choice(HEADERS)
            fields = [*with_header(fields, new.partition(b":")[0], None), new]
        case 2:
            fields.insert(place, random.choice(HEADERS))
        case 3 if fields:
            index = min(place, len(fields) - 1)
            fields[index] = change_text(fields[index], random)
        case 4 if fields:
            index = min(place, len(fields) - 1)
            fields[index] = fields[index].replace(b" ", random.choice([b"\n ", b"\n\t", b"  ", b"\r\n "]))
        case _:
            random.shuffle(fields)
    return join(fields, body)


def change_text(text: bytes, random: Random) -> bytes:
    """Drop, double, swap, quote or break lines; insert words; repeat a piece many times."""
    lines = text.split(b"\n")
    place = random.randrange(len(lines))
    match random.randrange(9):
        case 0:
            lines.pop(place)
        case 1:
            lines.insert(place, random.choice(WORDS))
        case 2:
            lines[place] = random.choice(WORDS) + lines[place]
        case 3:
            lines[place] += random.choice([b" ", b"", b"\t"]) + random.choice(WORDS)
        case 4:
            mark = random.choice([b"> ", b">", b"| ", b"JO> ", b"    ", b"* ", b": "])
            quoted = lines[place : place + random.randrange(1, 20)]
            lines[place:] = [*(mark + line for line in quoted), *lines[place + 20 :]]
        case 5:
            random.shuffle(lines)
        case 6:
            cut = random.randrange(len(text) + 1)
            return text[:cut] + random.choice([b"\n", b" \n", b"=\n", b"\r\n", b"\xa0"]) + text[cut:]
        case 7:
            start = random.randrange(len(text) + 1)
            piece = text[start : start + random.choice([1, 2, 5, 20, 200])]
            return text[:start] + piece * random.choice([2, 10, 100, 2_000]) + text[start:]
        case _:
            start, length = random.randrange(len(text) + 1), random.choice([1, 5, 50])
            return text[:start] + text[start + length :]
    return b"\n".join(lines)


def change_body(mail: bytes, random: Random) -> bytes:
    fields, body = split(mail)
    return join(fields, change_text(body, random))


def change_encoding(mail: bytes, random: Random) -> bytes:
    """Change the body's transfer encoding or charset; one time in three the header keeps the old value."""
    fields, body = split(mail)
    charset = random.choice(CHARSETS)
    try:
        recoded = body.decode("utf-8", "replace").encode(charset, "replace")
    except (LookupError, UnicodeError, TypeError):
        recoded = body
    kind = random.choice([b"base64", b"quoted-printable", b"8bit"])
    if kind == b"base64":
        recoded = base64.encodebytes(recoded)
    elif kind == b"quoted-printable":
        recoded = quopri.encodestring(recoded)
    if random.randrange(3):
        fields = with_header(fields, b"Content-Transfer-Encoding", kind)
        fields = with_header(fields, b"Content-Type", b"text/plain; charset=" + charset.encode())
    return join(fields, recoded)


def wrap_in_parts(mail: bytes, random: Random) -> bytes:
    """Make the body one part among others, or an attached mail."""
    fields, body = split(mail)
    content = [f for f in fields if f.lower().startswith(b"content-")]
    rest = [f for f in fields if not f.lower().startswith(b"content-")]
    boundary = b"b%d" % random.randrange(4)
    own = b"\n".join(content) + b"\n\n" + body
    other = random.choice(
        [
            b"\n\n+1\n",
            b"Content-Type: text/html\n\n<p>-1</p>\n",
            b"Content-Type: text/plain\nContent-Disposition: attachment\n\n+1\n",
            b"Content-Type: message/rfc822\n\n" + mail,
            b"Content-Type: text/calendar\n\nBEGIN:VCALENDAR\n",
            b"",
        ]
    )
    parts = [own, other] if random.randrange(2) else [other, own]
    kind = random.choice([b"mixed", b"alternative", b"signed", b"related", b"digest", b"report", b"appledouble"])
    mark = b"\n--" + boundary
    whole = mark + b"\n" + (mark + b"\n").join(parts) + (mark + b"--\n" if random.randrange(4) else b"")
    return join([*rest, b"Content-Type: multipart/" + kind + b'; boundary="' + boundary + b'"'], whole)


def change_to_html(mail: bytes, random: Random) -> bytes:
    """Turn the body into HTML, its lines in elements that mail programs use."""
    fields, body = split(mail)
    lines = [html.escape(line).encode() for line in body.decode("utf-8", "replace").split("\n")]
    tag = random.choice([b"p", b"div", b"span", b"td", b"li", b"blockquote", b"pre", b"font", b"o:p", b"h1"])
    marked = [b"<" + tag + b">" + line + b"</" + tag + b">" for line in lines]
    place = random.randrange(len(marked) + 1)
    marked.insert(place, random.choice(OPENINGS))
    fields = with_header(with_header(fields, b"Content-Type", b"text/html"), b"Content-Transfer-Encoding", None)
    return join(fields, random.choice([b"\n", b"<br>", b""]).join(marked))


def change_archive(archive: bytes, random: Random) -> bytes:
    """Change, double, drop or move one mail of an archive; damage envelope lines."""
    pieces = archive.split(b"\n\nFrom ")
    place = random.randrange(len(pieces))
    match random.randrange(7):
        case 0:
            pieces.insert(place, random.choice(pieces))
        case 1:
            pieces.pop(place)
        case 2:
            random.shuffle(pieces)
        case 3:
            pieces[place] = pieces[place].replace(b"2026", random.choice([b"26", b"", b"2026 +0100", b"99999"]), 1)
        case _:
            envelope, _, mail = pieces[place].partition(b"\n")
            pieces[place] = envelope + b"\n" + change_mail(mail, random)
    return random.choice([b"\n\nFrom "] * 6 + [b"\nFrom ", b"\r\n\r\nFrom "]).join(pieces)


MAIL_CHANGES: tuple[Change, ...] = (
    *(change_headers, change_headers, change_body, change_body, change_body),
    *(change_encoding, wrap_in_parts, change_to_html),
)


def change_mail(mail: bytes, random: Random) -> bytes:
    return random.choice(MAIL_CHANGES)(mail, random)


CHANGES: dict[str, Change] = {
    "mail": change_mail,
    "mbox": change_archive,
    "page": change_text,
    "text": change_text,
    "html": change_text,
    "headers": change_headers,
}


def mutate(data: bytes, *, target: str, seed: int, limit: int) -> bytes:
    """`data` after one to three structured changes, at most `limit` bytes."""
    random = Random(seed)  # noqa: S311 (repeatable on purpose)
    # mostly short inputs: a long one costs as much as fifty
    limit = limit if random.randrange(20) == 0 else min(limit, max(12_000, len(data)))
    for _ in range(random.randrange(1, 4)):
        data = CHANGES[target](data or b"\n", random)[:limit]
    return data

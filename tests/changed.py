"""Mails of the corpus and wiki pages after small changes, which get further into a reader than random bytes do."""

from __future__ import annotations

import base64
import io
import quopri
from collections.abc import Callable
from functools import cache

from hypothesis import strategies as st

from kipflow.mail.content.headers import split_mail
from kipflow.mbox.splitting import split_mbox
from tests.corpus import load_mail_cases, load_vote_cases

Change = Callable[[st.DrawFn, bytes], bytes]

#: Lines that a mail may hold anywhere, in its head or its body.
LINES = st.sampled_from(
    [
        *(b"+1", b"-1 (binding)", b"[x] +1", b"[ ] -1", b"> +1", b"I withdraw my -1.", b"=2B1", b"-- ", b"=?", b"=\n"),
        *(b"The vote has passed with 3 binding +1 votes", b"On Tue, Mar 3, 2026 Jun <jun@okafor.example> wrote:"),
        *(b"-----Original Message-----", b"-----BEGIN PGP SIGNED MESSAGE-----", b"From: Jun <jun@okafor.example>"),
        *(b"From jun@okafor.example Tue Mar  3 10:00:00 2026", b"Binding votes:", b"* Mara Lind", b"\r"),
        *(b"\xed\xa0\x80", b"\xff\xfe", b"\x00", b"\x1b$B", b"&#xd800;", b"&#x110000;", b"<p>", b"\xe2\x80\xa8"),
        *(b"From: =?utf-8?q?J=C3=BAn?= <jun@okafor.example>", b"From: a, b <c@d.example>", b"Sender: =?x?b?====?="),
        *(b"From: =?utf-8?q?J=1Bun=0A=9F?= <jun@okafor.example>", b"Subject: =?utf-8?q?[VOTE]_KIP-7:=00_x=0Ay=1B?="),
        *(b"Subject: [RESULT] [VOTE] KIP-7: x", b"Subject: Re: [VOTE] KIP-7", b"Subject: =?utf-16?b?//4=?="),
        *(b"Date: 31 Feb 99 25:61 +9999", b"Date: Mon, 1 Jan 0000 00:00:00 -2400", b"X-Kipflow-Epoch: 9999999999999"),
        *(b"Content-Transfer-Encoding: x-uuencode", b"Content-Type: text/plain; format=flowed; delsp=yes"),
        *(b"Content-Type: text/html; charset=utf-8", b"Content-Type: message/rfc822", b"Message-ID:"),
        *(b'Content-Type: multipart/mixed; boundary="b"', b"--b", b"--b--", b"In-Reply-To: <root@mail.example>"),
    ]
)
CHARSETS = st.sampled_from(
    ["utf-8", "windows-1252", "koi8-r", "iso-2022-jp", "utf-7", "utf-16", "idna", "x-user-defined"]
)
ENCODINGS: dict[bytes, Callable[[bytes], bytes]] = {
    b"base64": base64.encodebytes,
    b"quoted-printable": quopri.encodestring,
    b"8bit": bytes,
}


def change_lines(draw: st.DrawFn, mail: bytes) -> bytes:
    """Drop, insert, lengthen, quote, swap or repeat lines."""
    lines = mail.split(b"\n")
    start = draw(st.integers(0, len(lines) - 1))
    end = start + draw(st.integers(1, 10))
    some = lines[start:end]
    new = draw(LINES)
    mark = draw(st.sampled_from([b"> ", b">", b"| ", b"JO> ", b"    ", b"* "]))
    changed = [
        [],
        [new, *some],
        [some[0] + b" " + new, *some[1:]],
        [mark + line for line in some],
        some[::-1],
        some * 50,
    ]
    return b"\n".join([*lines[:start], *draw(st.sampled_from(changed)), *lines[end:]])


def change_encoding(draw: st.DrawFn, mail: bytes) -> bytes:
    """Write the body in another charset and encoding, in HTML or with a part beside it; the old fields stay."""
    head, _, body = mail.partition(b"\n\n")
    charset, name = draw(CHARSETS), draw(st.sampled_from(sorted(ENCODINGS)))
    kind = draw(st.sampled_from([b"text/plain", b"text/html", b"multipart/alternative; boundary=b"]))
    text = body.decode("utf-8", "replace")
    if kind == b"text/html":
        text = "".join(f"<p>{line}</p>" for line in text.split("\n"))
    if b"boundary" in kind:
        body = b"--b\n\n" + body + b"\n--b\nContent-Type: text/html\n\n<p>-1</p>\n--b--\n"
    else:
        try:
            body = ENCODINGS[name](text.encode(charset, "replace"))
        except (LookupError, UnicodeError):  # no such charset in Python; idna refuses long words
            body = ENCODINGS[name](body)
        kind += b"; charset=" + charset.encode() + b"\nContent-Transfer-Encoding: " + name
    return b"Content-Type: " + kind + b"\n" + head + b"\n\n" + body


@cache
def load_archives() -> list[bytes]:
    """Each archive of the corpus."""
    return [case.mbox for case in load_vote_cases().values()]


@cache
def load_mails() -> list[bytes]:
    """Each mail of the corpus, without its envelope line."""
    mails = {raw.data.partition(b"\n")[2] for box in load_archives() for raw in split_mbox(io.BytesIO(box))}
    return sorted({*mails, *(case.data for case in load_mail_cases().values())})


@cache
def load_bodies() -> list[bytes]:
    """Each mail's body."""
    return sorted({split_mail(mail)[1] for mail in load_mails()})


@st.composite
def changed(draw: st.DrawFn, seeds: Callable[[], list[bytes]], *changes: Change) -> bytes:
    """One of the `seeds` after up to three changes."""
    found = draw(st.sampled_from(seeds()))
    for change in draw(st.lists(st.sampled_from(changes), max_size=3)):
        found = change(draw, found)
    return found

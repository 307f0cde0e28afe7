"""Bodies of mails in the encodings that mail programs use, good and bad."""

from __future__ import annotations

import base64
import hashlib
import html
import quopri

from kipflow.sandbox.plans import Oddity


def encode_body(key: str, text: str, flags: frozenset[Oddity]) -> tuple[list[tuple[str, str]], bytes]:
    """The MIME headers and the encoded body; `key` makes the boundary its own."""
    mime = [("MIME-Version", "1.0")]
    if Oddity.HTML in flags:
        return [*mime, ("Content-Type", "text/html; charset=utf-8")], _escape(text_to_html(text), flags).encode()
    if Oddity.ALTERNATIVE in flags:
        return _encode_alternative(key, text)
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


def _encode_alternative(key: str, text: str) -> tuple[list[tuple[str, str]], bytes]:
    boundary = "----=_" + hashlib.sha256(key.encode()).hexdigest()[:20]
    part = (
        f'--{boundary}\nContent-Type: text/{{kind}}; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\n\n'
    )
    body = b"".join(
        [
            part.format(kind="plain").encode() + quopri.encodestring(text.encode()) + b"\n",
            part.format(kind="html").encode() + quopri.encodestring(text_to_html(text).encode()) + b"\n",
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

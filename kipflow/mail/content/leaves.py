"""Decodes one part of a mail to text: transfer encodings, charsets, flowed, enriched and HTML text."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message as _StdMessage
from functools import lru_cache

from kipflow.mail import limits
from kipflow.mail.content.charsets import decode
from kipflow.mail.content.encodedwords import decode_base64
from kipflow.mail.content.html import parse_html
from kipflow.mail.content.text import unflow


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentType:
    """A Content-Type taken apart; names and the type itself in lower case."""

    type: str = "text/plain"
    params: dict[str, str] = field(default_factory=dict)


_PARAM = re.compile(r";\s*([\w*-]{1,40})\s*=\s*(?:\"([^\"]{0,300})\"|([^\s;]{0,300}))")


@lru_cache(maxsize=1024)
def parse_content_type(text: str) -> ContentType:
    """A Content-Type header; anything invalid counts as plain text."""
    head = text.split(";", 1)[0].strip().lower()
    params: dict[str, str] = {}
    for match in _PARAM.finditer(text[: limits.CONTENT_TYPE.size]):
        name = match.group(1).lower()
        value = match.group(2) if match.group(2) is not None else match.group(3)
        base = name.split("*")[0]
        if "*" in name:
            # boundary*0=…; boundary*1=… (RFC 2231): one value in pieces
            value = params.get(base, "") + (value.split("'")[-1] if name.endswith("*") else value)
        elif base in params:
            continue
        params[base] = value
    kind = head if re.fullmatch(r"[\w.+-]+/[\w.+-]+", head) else "text/plain"
    return ContentType(type=kind, params=params)


#: Whether an HTML source is worth parsing.
Wanted = Callable[[str], bool]


def read_leaf(content: ContentType, encoding: str, body: bytes, note: limits.Note, is_wanted: Wanted) -> str:
    if encoding and _KNOWN_ENCODING.search(encoding) is None:
        note(limits.ENCODED)
    data = _decode_transfer(encoding.lower(), body)
    charset = content.params.get("charset")
    if content.type == "text/html" and not charset and (meta := _META_CHARSET.search(data, 0, 4_000)) is not None:
        charset = meta.group(1).decode("ascii")
    if charset and "utf7" in charset.lower().replace("-", "").replace("_", ""):
        note(limits.UTF_7)
    text = decode(data, charset)
    if content.type == "text/html" or _LOOKS_LIKE_HTML.match(text[:400]):
        return parse_html(text, note) if is_wanted(text) else ""
    if content.type in {"text/enriched", "text/richtext"}:
        return _read_enriched(text)
    if content.params.get("format", "").lower() == "flowed":
        return unflow(text, delsp=content.params.get("delsp", "").lower() == "yes", note=note)
    return text


#: Declared as plain text, but begins with an element, closed or not
_LOOKS_LIKE_HTML = re.compile(
    r"\s*<(?:!doctype html|html|head|body|div|p|span|table)(?:\s[^<>]{0,300})?/?>", re.IGNORECASE
)
_META_CHARSET = re.compile(rb"<meta[^<>]{0,200}charset\s{0,8}=\s{0,8}[\"']?([\w.:-]{2,40})", re.IGNORECASE)


_KNOWN_ENCODING = re.compile(r"base64|quoted|uuencode|[78][\s-]?bit|binary|none|plain|us-ascii|utf-?8", re.IGNORECASE)
_PADDED_BREAK = re.compile(rb"=[ \t]{1,80}(?=\r?\n)")
_MAX_PIECES = 200


def _decode_transfer(encoding: str, body: bytes) -> bytes:
    if "base64" in encoding:
        encoded, rest = _cut_base64(body)
        pieces = encoded.split(b"=", _MAX_PIECES)
        # encoded piece by piece, each with a padding of its own
        whole = all(piece.strip() == b"" for piece in pieces[1:])
        decoded = decode_base64(encoded) if whole else b"".join(decode_base64(piece) or b"" for piece in pieces)
        return body if not encoded or decoded is None else decoded + rest
    if "quoted" in encoding:
        # some servers pad lines with blanks, which hides a soft line break from a strict reader
        return binascii.a2b_qp(_PADDED_BREAK.sub(b"=", body) if b"= " in body or b"=\t" in body else body)
    if "uuencode" in encoding:
        part = _StdMessage()
        part["Content-Transfer-Encoding"] = "x-uuencode"
        part.set_payload(body.decode("latin-1"))
        plain = part.get_payload(decode=True)
        return plain if isinstance(plain, bytes) else body
    return body


# no line of base64 has two words with a blank between them
_PLAIN_LINE = re.compile(rb"^[ \t]*[^\s]+[ \t]+[^\s]", re.MULTILINE)


def _cut_base64(body: bytes) -> tuple[bytes, bytes]:
    """Split base64 from the plain text that a list server put below it; all is plain if the claim is wrong."""
    # most base64 holds no blank at all, and the pattern is slow to find that out
    plain = _PLAIN_LINE.search(body) if b" " in body or b"\t" in body else None
    if plain is None:
        return body, b""
    encoded, rest = body[: plain.start()], body[plain.start() :]
    # a word or a rule right above belongs to the text: an encoded line is longer, or ends in padding
    lines = encoded.split(b"\n")
    while lines and not _is_base64_line(lines[-1].strip()):
        rest = lines.pop() + b"\n" + rest
    if lines:
        return b"\n".join(lines), b"\n" + rest
    decoded = decode_base64(encoded) or b"\0"  # broken lines, garbage between them: the decoded result decides
    return (encoded, body[plain.start() :]) if _CONTROL.search(decoded) is None else (b"", body)


_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f-\xff]")


def _is_base64_line(line: bytes) -> bool:
    return len(line) % 4 == 0 and re.fullmatch(rb"[A-Za-z0-9+/]{4,}={0,2}", line) is not None


_ENRICHED_TAG = re.compile(r"<(/?)([A-Za-z0-9-]{1,60})>")
_ENRICHED_PARAM = re.compile(r"<param>[^<]{0,500}</param>", re.IGNORECASE)


def _read_enriched(text: str) -> str:
    """RFC 1896 text: an excerpt is a quote, other markup is dropped."""
    text = _ENRICHED_PARAM.sub("", text)
    lines: list[str] = []
    depth = 0
    for line in text.split("\n"):
        depth += len(re.findall(r"<excerpt>", line, re.IGNORECASE))
        plain = _ENRICHED_TAG.sub("", line).replace("<<", "<")
        lines.append("> " * min(depth, 5) + plain if depth else plain)
        depth = max(0, depth - len(re.findall(r"</excerpt>", line, re.IGNORECASE)))
    return "\n".join(lines)

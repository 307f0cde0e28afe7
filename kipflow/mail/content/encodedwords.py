"""Encoded words in header fields (RFC 2047), and base64 as mails have it."""

from __future__ import annotations

import binascii
import re

from kipflow.mail.content.charsets import decode

# =?charset?B?...?= ; the text may hold spaces where a mailer forgot to encode them
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]{0,4000})\?=")
_WORD_GAP = re.compile(r"(\?=)\s{1,8}(=\?)")


def decode_words(text: str) -> str:
    """`text` with RFC 2047 encoded words decoded; broken ones stay as they are.

    Neighbouring words of one charset are joined as bytes, because some mailers cut a character in two.
    """
    if "=?" not in text:
        return text
    text = _WORD_GAP.sub(r"\1\2", text)
    out: list[str] = []
    pending, pending_charset, position = b"", "", 0
    for match in _WORD.finditer(text):
        raw = match.group(3).encode("utf-8", "replace")
        data = binascii.a2b_qp(raw, header=True) if match.group(2) in "qQ" else decode_base64(raw)
        charset = match.group(1).split("*")[0].lower()
        between = text[position : match.start()]
        if between or charset != pending_charset:
            out.append(decode(pending, pending_charset))
            out.append(between)
            pending, pending_charset = b"", charset
        pending += data if data is not None else match.group(0).encode()
        position = match.end()
    out.append(decode(pending, pending_charset))
    out.append(text[position:])
    return "".join(out)


_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


def decode_base64(raw: bytes) -> bytes | None:
    """Decode base64, even with garbage in it or without its padding; None if nothing is left."""
    clean = _NOT_BASE64.sub(b"", raw)
    clean = clean[: len(clean) - 1] if len(clean) % 4 == 1 else clean
    if not clean:
        return None if raw.strip() else b""
    return binascii.a2b_base64(clean + b"=" * (-len(clean) % 4))

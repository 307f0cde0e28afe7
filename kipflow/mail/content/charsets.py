"""Bytes to text, whatever a mail claims about its charset. Never raises."""

from __future__ import annotations

import codecs
import re

# names seen in real mail that Python does not know, or knows as a subset of what senders mean
_NAMED = {
    "cp1252": "us-ascii ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 latin1 latin-1",
    "iso-8859-8": "iso-8859-8-i",
    "gb18030": "gb2312 gbk x-gbk cp936",
    "cp949": "ks_c_5601-1987 euc-kr",
    "cp932": "x-sjis shift_jis windows-31j",
    "utf-8": "utf8mb4 unicode-1-1-utf-8",
    "mac-roman": "macintosh x-mac-roman",
}
_MEANT = {name: codec for codec, names in _NAMED.items() for name in names.split()}

# codecs that no mail uses as a charset, or that cost more than linear time on hostile input
_REFUSED = frozenset({"idna", "punycode", "utf_7", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})


def decode(data: bytes, charset: str | None) -> str:
    """The text of `data`: valid UTF-8 first where the claim is a single-byte charset, then the claim.

    >>> decode("é".encode(), "iso-8859-1")
    'é'
    """
    if data.isascii() and (charset is None or not charset.lower().startswith(("utf-7", "utf-16", "iso-2022", "hz"))):
        return data.decode("ascii").replace("\x00", "")
    # an unknown charset, or none: most likely UTF-8, else what it looks like
    codec = _find_codec(charset) or "utf-8"
    # "iso-8859-1" over UTF-8 bytes is the commonest wrong claim, and valid UTF-8 is no accident
    for attempt in ("utf-8",) if codec == "cp1252" else (codec, "utf-8"):
        try:
            return data.decode(attempt).replace("\x00", "")
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode(_guess(data) if codec == "utf-8" else codec, "replace").replace("\x00", "")


# pairs of bytes as GB2312 writes Chinese; Western text has a letter after its accents
_CHINESE = re.compile(rb"(?:[\x00-\x7f]|[\xa1-\xf7][\xa1-\xfe])*")
_ENOUGH_CHINESE = 8


def _guess(data: bytes) -> str:
    """Decode bytes that claim to be UTF-8 and are not: broken UTF-8, Chinese, or Western text."""
    text = data[:4_000].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if sum(1 for char in text if char > "\x7f") - broken > broken:
        return "utf-8"
    high = sum(1 for byte in data[:4_000] if byte > 0x7F)
    return "gb18030" if high >= _ENOUGH_CHINESE and _CHINESE.fullmatch(data) else "cp1252"


def _find_codec(charset: str | None) -> str | None:
    """Python's name of the text codec that a header calls `charset`; None if there is none."""
    if not charset:
        return None
    name = charset.strip().strip("\"'").lower().split("*")[0][:40]
    name = _MEANT.get(name, name)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # bytes-to-bytes codecs (zlib, hex) are looked up in the same way as charsets
    is_text = getattr(info, "_is_text_encoding", True)
    return info.name if is_text and info.name.replace("-", "_") not in _REFUSED else None

"""Header blocks read leniently from bytes: fields, encoded words, dates, message ids."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz

from kipflow.mail.charsets import decode

MAX_HEADER_BLOCK = 256 * 1024
MAX_FIELD = 16 * 1024
MAX_FIELDS = 1_000

_FIELD = re.compile(rb"([!-9;-~]{1,76})[ \t]*:")
_WHOLE_FIELD = re.compile(rb"^([!-9;-~]{1,76})[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)", re.M)
_UNFOLD = re.compile(rb"\n[ \t]+")
#: The fields that anything here reads; others are not kept.
READ_FIELDS = frozenset(
    b"""from sender reply-to x-reply-to to cc subject date message-id in-reply-to references received delivery-date
    resent-date return-path list-id list-post mime-version content-type content-transfer-encoding content-disposition
    x-original-from x-original-sender x-kipflow-epoch""".split()
)
_KNOWN_FIELD = re.compile(rb"^(?:subject|from|date|message-id|to|content-type|mime-version|received):", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Headers:
    """The fields of one header block, names in lower case, in order, values unfolded but not decoded."""

    fields: tuple[tuple[str, bytes], ...]

    def raw(self, name: str) -> bytes | None:
        """The first value of `name`, undecoded."""
        return next((value for key, value in self.fields if key == name), None)

    def text(self, name: str) -> str:
        """The first value of `name` with encoded words decoded; empty if absent."""
        value = self.raw(name)
        return "" if value is None else decode_words(decode(value, None))

    def all(self, name: str) -> list[bytes]:
        return [value for key, value in self.fields if key == name]


def split_mail(data: bytes) -> tuple[Headers, bytes]:
    """A mail (or MIME part) with LF line ends as its headers and its body."""
    if data.startswith(b"\n"):
        return Headers(()), data[1:]
    head_end = data.find(b"\n\n", 0, MAX_HEADER_BLOCK)
    if head_end < 0:
        block, rest_at = data[:MAX_HEADER_BLOCK], min(len(data), MAX_HEADER_BLOCK)
    else:
        block, rest_at = data[:head_end], head_end + 2
    found = _WHOLE_FIELD.findall(block)
    lines = sum(value.count(b"\n") for _, value in found) + len(found)
    if lines + block.startswith((b"From ", b">From ")) != block.count(b"\n") + 1:
        return _split_damaged(data, block, rest_at)  # some line is neither a field nor a fold
    fields = []
    for name, value in found:
        lower = name.lower()
        if lower in READ_FIELDS:
            if b"\n" in value:
                value = _UNFOLD.sub(b" ", value[:MAX_FIELD])
            fields.append((lower.decode("ascii"), value[:MAX_FIELD].strip()))
    return Headers(tuple(fields[:MAX_FIELDS])), data[rest_at:]


def _split_damaged(data: bytes, block: bytes, rest_at: int) -> tuple[Headers, bytes]:
    """The same, line by line, for a block that holds lines which are neither fields nor folds."""
    fields: list[tuple[str, bytes]] = []
    last_known = max((m.start() for m in _KNOWN_FIELD.finditer(block)), default=-1)
    position = 0
    while position < len(block) and len(fields) < MAX_FIELDS:
        line_end = block.find(b"\n", position)
        line_end = len(block) if line_end < 0 else line_end
        line = block[position:line_end]
        match = _FIELD.match(line)
        if line[:1] in (b" ", b"\t") and fields:
            _append(fields, line)
        elif match is not None:
            fields.append((match.group(1).decode("ascii").lower(), line[match.end() : match.end() + MAX_FIELD].strip()))
        elif line.startswith((b"From ", b">From ")):
            pass  # envelope lines, some archives keep two
        elif not fields and position < 500 and last_known > position:
            pass  # rubbish before the first field
        elif fields and last_known > position:
            _append(fields, line)  # a fold that lost its indentation
        else:
            # no separator between headers and body: the body starts here
            return Headers(tuple(fields)), data[position:]
        position = line_end + 1
    return Headers(tuple(fields)), data[rest_at:]


def _append(fields: list[tuple[str, bytes]], line: bytes) -> None:
    if not fields:
        return
    name, value = fields[-1]
    if len(value) < MAX_FIELD:
        fields[-1] = (name, (value + b" " + line.strip())[:MAX_FIELD])


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
        data = _decode_word(match.group(2), match.group(3))
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


def _decode_word(encoding: str, text: str) -> bytes | None:
    raw = text.encode("utf-8", "replace")
    if encoding in "qQ":
        return binascii.a2b_qp(raw, header=True)
    return decode_base64(raw)


_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


def decode_base64(raw: bytes) -> bytes | None:
    """Base64 with rubbish in it or its padding lost; None if nothing is left of it."""
    clean = _NOT_BASE64.sub(b"", raw)
    clean = clean[: len(clean) - 1] if len(clean) % 4 == 1 else clean
    if not clean:
        return None if raw.strip() else b""
    return binascii.a2b_base64(clean + b"=" * (-len(clean) % 4))


_ISO = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?", re.I)
_FIRST_YEAR, _LAST_YEAR = 1985, 2100


def parse_date(text: str) -> datetime | None:
    """A time from a header, aware UTC; None if it isn't one or its year is not believable."""
    text = text.strip()[:120]
    iso = _ISO.match(text)
    try:
        if iso is not None:
            zone = (iso.group(7) or "Z").upper().replace(":", "")
            seconds = 0 if zone == "Z" else int(zone[0] + "1") * (int(zone[1:3]) * 3600 + int(zone[3:5]) * 60)
            year, month, day, hour, minute = (int(iso.group(i)) for i in range(1, 6))
            second = int(iso.group(6) or 0)
        else:
            parsed = parsedate_tz(text)
            if parsed is None:
                return None
            seconds = parsed[9] or 0
            year, month, day, hour, minute, second = parsed[:6]
        offset = timezone(timedelta(seconds=seconds)) if abs(seconds) <= 15 * 3600 else UTC
        moment = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=offset).astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


_ENVELOPE = re.compile(rb"^>?From (\S{0,320})\s+([^\n]{8,80})")


def parse_envelope_date(data: bytes) -> datetime | None:
    """The time in an mbox "From " line at the start of `data`."""
    match = _ENVELOPE.match(data[:500])
    return None if match is None else parse_date(match.group(2).decode("ascii", "replace"))


_ID = re.compile(r"<\s*([^<>\s]{1,500})\s*>")


def parse_message_ids(text: str) -> tuple[str, ...]:
    """The message ids in a header, each once, in order, with their angle brackets."""
    return tuple(dict.fromkeys(f"<{found}>" for found in _ID.findall(text[:MAX_FIELD])))


def parse_message_id(text: str) -> str | None:
    """A mail's own id. Some mailers forget the brackets, or fold within them."""
    ids = parse_message_ids(text)
    if ids:
        return ids[0]
    bare = "".join(text.split()).strip("<>")
    return f"<{bare[:500]}>" if bare else None

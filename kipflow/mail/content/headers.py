"""Header blocks read leniently from bytes: fields, encoded words, dates, message ids."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz

from kipflow.mail import limits
from kipflow.mail.content.charsets import decode

MAX_HEADER_BLOCK, MAX_FIELD, MAX_FIELDS = limits.HEADERS.size, limits.FIELD.size, limits.FIELDS.size

_FIELD = re.compile(rb"([!-9;-~]{1,76})[ \t]*:")
_UNFOLD = re.compile(rb"\n[ \t]+")
#: The fields that anything here reads; others are not kept.
READ_FIELDS = frozenset(
    b"""from sender reply-to x-reply-to to cc subject date message-id in-reply-to references received delivery-date
    resent-date return-path list-id list-post mime-version content-type content-transfer-encoding content-disposition
    x-original-from x-original-sender authentication-results arc-authentication-results""".split()
)
_NAMES = {name: name.decode("ascii") for name in READ_FIELDS}
_KNOWN_FIELD = re.compile(rb"^(?:subject|from|date|message-id|to|content-type|mime-version|received):", re.I | re.M)


def _any_of(names: Iterable[bytes]) -> bytes:
    """A pattern of these names in any case, by first letter: `re` then skips other lines at their first byte."""
    initials = sorted({name[:1] for name in names})
    by_initial = ((initial, b"|".join(sorted(n[1:] for n in names if n[:1] == initial))) for initial in initials)
    return b"|".join(b"[%b%b](?i:%b)" % (initial, initial.upper(), rest) for initial, rest in by_initial)


_END = re.compile(rb"\n\n")  # a literal: `re` finds it faster in bytes than `bytes.find` does
_READ_FIELD = re.compile(rb"\n(" + _any_of(_NAMES) + rb")[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)")
_NO_FIELD = re.compile(rb"\n(?![!-9;-~]{1,76}[ \t]*:|[ \t])")


@dataclass(frozen=True, slots=True)
class Headers:
    """The fields of one header block that are read, each as it stands first, names in lower case.

    `last_first` are all of them with the names as written, the last one first.
    """

    first: Mapping[str, bytes]
    last_first: Sequence[tuple[bytes, bytes]] = ()

    def select(self, names: frozenset[str]) -> Iterator[tuple[str, bytes]]:
        """Every field of these names, in order, as it stands."""
        for written, value in reversed(self.last_first):
            name = _NAMES.get(written.lower(), "")
            if name in names:
                yield name, value

    def raw(self, name: str) -> bytes | None:
        """The first value of `name`, unfolded but not decoded."""
        value = self.first.get(name)
        if value is None:
            return None
        if b"\n" in value:
            value = _UNFOLD.sub(b" ", value[:MAX_FIELD])
        return value[:MAX_FIELD].strip()

    def text(self, name: str) -> str:
        """The first value of `name` with encoded words decoded; empty if absent."""
        return read_text(self.raw(name))


def note_limits(data: bytes, headers: Headers, note: limits.Note) -> None:
    """Note the bounds that the headers of a mail or part reach; `data` is all of it."""
    if len(data) > MAX_HEADER_BLOCK and not data.startswith(b"\n") and _END.search(data, 0, MAX_HEADER_BLOCK) is None:
        note(limits.HEADERS)
    if len(headers.last_first) >= MAX_FIELDS:
        note(limits.FIELDS)
    if any(len(value) > MAX_FIELD for value in headers.first.values()):
        note(limits.FIELD)


def unfold(value: bytes) -> str:
    """A field of plain ASCII in one line."""
    return _UNFOLD.sub(b" ", value[:MAX_FIELD]).strip().decode("ascii", "replace")


def read_text(value: bytes | None) -> str:
    """The text of a field's value; empty if the field is not there."""
    return decode_words(decode(value, None)) if value else ""


def split_mail(data: bytes) -> tuple[Headers, bytes]:
    """A mail (or MIME part) with LF line ends as its headers and its body."""
    if data.startswith(b"\n"):
        return Headers({}), data[1:]
    end = _END.search(data, 0, MAX_HEADER_BLOCK)
    if end is None:
        block, rest_at = data[:MAX_HEADER_BLOCK], min(len(data), MAX_HEADER_BLOCK)
    else:
        block, rest_at = data[: end.start()], end.end()
    # every field stands behind a line break; an envelope line is the only one that may be no field
    lines = block if block.startswith((b"From ", b">From ")) else b"\n" + block
    if _NO_FIELD.search(lines) is not None or _FIELD.match(lines) is not None or _starts_folded(lines):
        return _split_damaged(data, block, rest_at)
    found = _READ_FIELD.findall(lines)
    del found[MAX_FIELDS:]
    found.reverse()  # the first of several wins
    return Headers({_NAMES[name.lower()]: value for name, value in found}, found), data[rest_at:]


def _starts_folded(lines: bytes) -> bool:
    """Whether the first line that should be a field goes on from one that is not there."""
    first = lines.find(b"\n") + 1
    return first > 0 and lines[first : first + 1] in (b" ", b"\t")


def _split_damaged(data: bytes, block: bytes, rest_at: int) -> tuple[Headers, bytes]:
    """The same, line by line, for a block that holds lines which are neither fields nor folds."""
    fields: list[tuple[bytes, bytes]] = []
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
            fields.append((match.group(1), line[match.end() : match.end() + MAX_FIELD].strip()))
        elif line.startswith((b"From ", b">From ")):
            pass  # envelope lines, some archives keep two
        elif not fields and position < 500 and last_known > position:
            pass  # rubbish before the first field
        elif fields and last_known > position:
            _append(fields, line)  # a fold that lost its indentation
        else:
            # no separator between headers and body: the body starts here
            return _keep_read(fields), data[position:]
        position = line_end + 1
    return _keep_read(fields), data[rest_at:]


def _keep_read(fields: list[tuple[bytes, bytes]]) -> Headers:
    fields.reverse()
    return Headers({_NAMES[n.lower()]: value for n, value in fields if n.lower() in _NAMES}, fields)


def _append(fields: list[tuple[bytes, bytes]], line: bytes) -> None:
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
# what nearly all mails write, at a tenth of the price of reading anything: "Tue, 3 Mar 2026 10:00:00 +0100 (CET)"
_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_USUAL = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? {1,2}(\d{1,2}) ([A-Z][a-z]{2}) "
    r"(199\d|20\d\d) (\d\d):(\d\d):(\d\d) ([+-])(0\d|1[0-4])([0-5]\d)(?: {1,2}\([A-Z]{1,5}\))?\Z",
    re.ASCII,
)


# an envelope line's, as nearly all archives write it: "Tue Mar  3 10:00:00 2026"
_ASCTIME = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ( \d|\d\d) (\d\d):(\d\d):(\d\d) (199\d|20\d\d)\s*\Z", re.ASCII
)
_ODD_ZONE = re.compile(r"(?:\b(?:GMT|UTC|UT))?([+-])(\d\d?)(?::?(\d\d))?(?=\s*(?:\(|$))|(?<=\d)Z$")
_FOREIGN_MONTH = re.compile(
    r"(?<=\d[ -])(?:(?P<Feb>fév|fev)|(?P<Mar>mär|mrz|maa|mrt)|(?P<Apr>avr|abr)|(?P<May>mai|maj|mei|mag)|"
    r"(?P<Jun>juin|giu)|(?P<Jul>juil|lug)|(?P<Aug>aoû|ago)|(?P<Sep>set)|(?P<Oct>okt|ott|out)|(?P<Dec>dez|déc|dic))\w{0,7}\.?",
    re.IGNORECASE,
)


def _as_written_elsewhere(text: str) -> str:
    """A date as the standard has it, where its zone ("+01:00", "GMT+0100") or month ("Mär") is written otherwise."""
    text = _FOREIGN_MONTH.sub(lambda match: str(match.lastgroup), text)
    return _ODD_ZONE.sub(lambda z: f"{z[1]}{int(z[2]):02}{z[3] or '00'}" if z[1] else " +0000", text)


def parse_date(text: str) -> datetime | None:
    """A time from a header, aware UTC; None if it isn't one or its year is not believable."""
    text = text.strip()[:120]
    usual = _USUAL.match(text)
    if usual is not None and usual.group(2) in _MONTHS:
        day, name, year, hour, minute, second, sign, east, past = usual.groups()
        try:
            local = datetime(
                int(year), _MONTHS[name], int(day), int(hour), int(minute), min(int(second), 59), tzinfo=UTC
            )
        except ValueError:
            return None
        if east == past == "00":
            return local
        offset = int(east) * 60 + int(past)
        return local - timedelta(minutes=-offset if sign == "-" else offset)
    iso = _ISO.match(text)
    try:
        if iso is not None:
            zone = (iso.group(7) or "Z").upper().replace(":", "")
            seconds = 0 if zone == "Z" else int(zone[0] + "1") * (int(zone[1:3]) * 3600 + int(zone[3:5]) * 60)
            year, month, day, hour, minute = (int(iso.group(i)) for i in range(1, 6))
            second = int(iso.group(6) or 0)
        else:
            parsed = parsedate_tz(_as_written_elsewhere(text))
            if parsed is None:
                return None
            seconds = parsed[9] or 0
            year, month, day, hour, minute, second = parsed[:6]
            year += 1900 if 100 <= year < 200 else 0  # years since 1900, as C counts them
        zone_told = timezone(timedelta(seconds=seconds)) if abs(seconds) <= 15 * 3600 else UTC
        moment = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone_told).astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


_ENVELOPE = re.compile(rb"^>?From (\S{0,320})\s+([^\n]{8,80})")


def parse_envelope_date(data: bytes) -> datetime | None:
    """The time in an mbox "From " line at the start of `data`."""
    match = _ENVELOPE.match(data[:500])
    if match is None:
        return None
    text = match.group(2).decode("ascii", "replace")
    usual = _ASCTIME.match(text)
    if usual is None or usual.group(1) not in _MONTHS:
        return parse_date(text)
    name, day, hour, minute, second, year = usual.groups()
    try:
        at = datetime(int(year), _MONTHS[name], int(day), int(hour), int(minute), min(int(second), 59), tzinfo=UTC)
    except ValueError:
        return None
    return at


_ID = re.compile(r"<\s*([^<>\s]{1,500})\s*>")


_BARE_ID = re.compile(r"[^\s<>@()\"]{1,400}@[^\s<>@()\"]{1,200}")


def parse_message_ids(text: str) -> tuple[str, ...]:
    """The message ids in a header, each once, in order, with their angle brackets."""
    if not text:
        return ()
    found = _ID.findall(text[:MAX_FIELD])
    if not found and "<" not in text:
        bare = text[:MAX_FIELD].replace(",", " ").split()
        found = bare if all(map(_BARE_ID.fullmatch, bare)) else []  # the brackets forgotten
    return tuple(dict.fromkeys([f"<{name}>" for name in found]))


def parse_references(headers: Headers) -> tuple[str, ...]:
    """Every mail that References names, in order; of a field that is too long, those at either end of it.

    A mail belongs to a thread by any of them: with the root left out its vote would be lost.
    """
    value = headers.first.get("references", b"")
    ends = (value,) if len(value) <= MAX_FIELD else (value[:MAX_FIELD], value[-MAX_FIELD:])
    return tuple(
        dict.fromkeys(name for end in ends for name in parse_message_ids(read_text(_UNFOLD.sub(b" ", end).strip())))
    )


def parse_message_id(text: str) -> str | None:
    """A mail's own id. Some mailers forget the brackets, or fold within them."""
    ids = parse_message_ids(text)
    if ids:
        return ids[0]
    bare = "".join(text.split()).strip("<>")
    return f"<{bare[:500]}>" if bare else None

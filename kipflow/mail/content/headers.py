"""Header blocks read leniently from bytes: fields and message ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kipflow.mail import limits
from kipflow.mail.content.charsets import decode
from kipflow.mail.content.encodedwords import decode_words

MAX_HEADER_BLOCK, MAX_FIELD, MAX_FIELDS = limits.HEADERS.size, limits.FIELD.size, limits.FIELDS.size

_FIELD = re.compile(rb"([!-9;-~]{1,76})[ \t]*:")
_UNFOLD = re.compile(rb"\n[ \t]+")
#: The fields that anything here reads; others are not kept.
READ_FIELDS = frozenset(
    b"""from sender reply-to x-reply-to to cc subject date message-id in-reply-to references received delivery-date
    resent-date return-path list-id list-post mime-version content-type content-transfer-encoding content-disposition
    x-original-from x-original-sender authentication-results arc-authentication-results received-spf
    auto-submitted""".split()
)
_NAMES = {name: name.decode("ascii") for name in READ_FIELDS}
#: The same names in their usual spellings, so that few must be put into lower case.
_WRITTEN = {written: read for name, read in _NAMES.items() for written in (name, name.title())} | {
    b"Message-ID": "message-id",
    b"MIME-Version": "mime-version",
}
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
    """The fields of one header block that are read: the first of each name, names in lower case.

    `fields` has all fields in order; those that are not read have no name. `size` is the block's size in bytes.
    """

    first: Mapping[str, bytes]
    fields: Sequence[tuple[str, bytes]] = ()
    size: int = 0

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
    if len(headers.fields) >= MAX_FIELDS:
        note(limits.FIELDS)
    if headers.size > MAX_FIELD and any(len(value) > MAX_FIELD for value in headers.first.values()):
        note(limits.FIELD)


def unfold(value: bytes) -> str:
    """A field of plain ASCII in one line."""
    return _UNFOLD.sub(b" ", value[:MAX_FIELD]).strip().decode("ascii", "replace")


def read_text(value: bytes | None) -> str:
    """The text of a field's value; empty if the field is not there."""
    if not value:
        return ""
    if b"=?" not in value and b"\0" not in value and value.isascii():
        return value.decode("ascii")
    return decode_words(decode(value, None))


def split_mail(data: bytes) -> tuple[Headers, bytes]:
    """A mail (or MIME part) with LF line ends as its headers and its body."""
    if data.startswith(b"\n"):
        return Headers({}), data[1:]
    # every field follows a line break; only an envelope line need not be a field
    lines = data if data.startswith((b"From ", b">From ")) else b"\n" + data[:MAX_HEADER_BLOCK]
    added = int(lines is not data)
    limit = min(len(data), MAX_HEADER_BLOCK) + added
    odd = _NO_FIELD.search(lines, 0, limit)
    # the first line that is no field is the empty one after the headers
    is_plain = odd is None or lines.startswith(b"\n\n", odd.start(), limit)
    if not is_plain or _FIELD.match(lines) is not None or _starts_folded(lines):
        return _split_damaged(data)
    end, rest_at = (limit, limit) if odd is None else (odd.start(), odd.start() + 2)
    found = _READ_FIELD.findall(lines, 0, end)
    del found[MAX_FIELDS:]
    return _keep_read(found, rest_at - added), data[rest_at - added :]


def _starts_folded(lines: bytes) -> bool:
    """Whether the first line continues a field that is missing."""
    first = lines.find(b"\n") + 1
    return first > 0 and lines[first : first + 1] in (b" ", b"\t")


def _split_damaged(data: bytes) -> tuple[Headers, bytes]:
    """The same, line by line, for a block with lines that are neither fields nor folds."""
    end = _END.search(data, 0, MAX_HEADER_BLOCK)
    block = data[: MAX_HEADER_BLOCK if end is None else end.start()]
    rest_at = min(len(data), MAX_HEADER_BLOCK) if end is None else end.end()
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
            pass  # garbage before the first field
        elif fields and last_known > position:
            _append(fields, line)  # a fold that lost its indentation
        else:
            # no separator between headers and body: the body starts here
            return _keep_read(fields, position), data[position:]
        position = line_end + 1
    return _keep_read(fields, rest_at), data[rest_at:]


def _keep_read(fields: list[tuple[bytes, bytes]], size: int) -> Headers:
    named = [(_WRITTEN.get(name) or _NAMES.get(name.lower(), ""), value) for name, value in fields]
    first = dict(reversed(named))  # the first of several wins
    first.pop("", None)
    return Headers(first, named, size)


def _append(fields: list[tuple[bytes, bytes]], line: bytes) -> None:
    name, value = fields[-1]
    if len(value) < MAX_FIELD:
        fields[-1] = (name, (value + b" " + line.strip())[:MAX_FIELD])


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
    """Every mail that References names, in order; if the field is too long, only those at both ends.

    A mail belongs to a thread by any of them: without the root its vote would be lost.
    """
    value = headers.first.get("references")
    if not value:
        return ()
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

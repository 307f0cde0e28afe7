"""Archives of mail as files: mbox (also packed), maildir, single mails, folders, Pony Mail's JSON.

Splitting works on bytes with `bytes.find`, in bounded memory however long the archive or one mail is.
"""

from __future__ import annotations

import bz2
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import Message, Unreadable
from kipflow.mail.exports import read_export
from kipflow.mail.messages import MAX_MAIL, read_message

CHUNK = 1024 * 1024
#: What a damaged or vanished file raises while it is read.
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)
#: Containers that are told by name instead of being read as bad mail.
_PACKED = {
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"PK\x03\x04": "a zip file",
    b"7z\xbc\xaf\x27\x1c": "a 7z file",
}
_BOM = b"\xef\xbb\xbf"
_JSON = {".json", ".jsonl", ".ndjson"}


@dataclass(frozen=True, slots=True)
class RawMail:
    """One mail of an archive, its envelope line included. `position` counts from 0."""

    position: int
    data: bytes
    truncated: bool = False


# From sender@x  Thu Jan  1 10:00:00 2026 ; some archives leave out the sender, some add a zone
_ENVELOPE = re.compile(
    rb"From (?:\S{0,320}\s+)?.{0,60}\d{1,2}:\d\d.{0,40}$|From \S{1,320}@\S{1,320}\s*$|From -\s.{0,80}$|From "
    rb"MAILER[-_]DAEMON\b.{0,80}$"
)
_FROM_LINE = re.compile(rb"\nFrom ")  # a literal: `re` finds it in bytes in half the time of `bytes.find`
_HEADER_LINE = re.compile(rb"(?:[!-9;-~]{1,76}[ \t]*:|>From )")
_MMDF = b"\x01\x01\x01\x01\n"


def split_mbox(stream: BinaryIO) -> Iterator[RawMail]:
    """The mails of an mbox, in order.

    A "From " line starts a mail only if it looks like an envelope and a header follows it, because many
    archives do not escape such lines in bodies. A file that starts otherwise is one mail (or an MMDF box).
    """
    first = stream.read(CHUNK)
    lead = len(first) - len(first.lstrip(b"\r\n"))
    if first[lead:].startswith(_MMDF):
        yield from _split_mmdf(first + stream.read(64 * CHUNK))
        return
    pieces = _split_pieces(first[lead:], stream)
    for position, (data, truncated) in enumerate(pieces):
        yield RawMail(position, data, truncated)


def _split_pieces(buffer: bytes, stream: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    begin, search_from = 0, 1
    dropped = False
    while True:
        cut = find_boundary(buffer, search_from)
        if cut >= 0:
            # cut to the same length wherever chunks happen to end
            yield buffer[begin : min(cut, begin + MAX_MAIL)], dropped or cut - begin > MAX_MAIL
            begin, search_from, dropped = cut, cut + 1, False
            continue
        buffer, begin = buffer[begin:], 0
        try:
            more = stream.read(CHUNK)
        except DAMAGE:
            if buffer.strip():
                yield buffer[:MAX_MAIL], dropped  # what was read before the damage is not lost
            raise
        if not more:
            # a boundary in the last bytes has no header line after it and is none
            if buffer.strip(b"\r\n \t\x00"):
                yield buffer[:MAX_MAIL], dropped or len(buffer) > MAX_MAIL
            return
        # a boundary may be cut in two by the chunk: look again from just before its end
        search_from = max(1, len(buffer) - 2_000)
        if len(buffer) > MAX_MAIL + CHUNK:
            buffer, dropped = buffer[:MAX_MAIL] + buffer[-2_000:], True
            search_from = MAX_MAIL
        buffer += more


def find_boundary(buffer: bytes, start: int) -> int:
    """Where the next mail begins; -1 if that can't be told from this buffer."""
    position = max(0, start - 1)
    while True:
        match = _FROM_LINE.search(buffer, position)
        if match is None:
            return -1
        found = match.start()
        line_end = buffer.find(b"\n", found + 1, found + 1000)
        if line_end < 0:
            if len(buffer) - found < 1000:
                return -1
        elif len(buffer) - line_end < 80 and buffer.find(b"\n", line_end + 1) < 0:
            return -1  # too little of the next line is here to judge
        elif _is_envelope(buffer, found + 1, line_end):
            return found + 1
        position = found + 1


def _is_envelope(buffer: bytes, start: int, line_end: int) -> bool:
    line = buffer[start:line_end].rstrip(b"\r")
    return _ENVELOPE.match(line) is not None and _HEADER_LINE.match(buffer, line_end + 1) is not None


def _split_mmdf(data: bytes) -> Iterator[RawMail]:
    mails = [part for part in data.split(_MMDF) if part.strip()]
    for position, part in enumerate(mails):
        yield RawMail(position, part)


def read_mbox(
    path: Path,
    *,
    list_id: str,
    month: str,
    prefix: str,
    permalink: str | None = None,
    source: str | None = None,
    list_from_headers: bool = False,
    receivers: Sequence[str] = (),
    is_wanted: Callable[[RawMail], bool] | None = None,
) -> Iterator[Message | Unreadable]:
    """Read a month as mbox, plain or gzipped. A damaged file yields its readable mails, then why it ends.

    `source` names the archive in each mail's own (default: "list/month"); `permalink` is accepted for
    symmetry with other readers and not needed to read a mail. Of the mails only those are read that
    `is_wanted` (None: all of them).
    """
    del permalink
    name = source or f"{list_id}/{month}"
    try:
        with _open(path) as stream:
            yield from read_mails(
                filter(is_wanted, split_mbox(stream)) if is_wanted is not None else split_mbox(stream),
                name=name,
                list_id=list_id,
                month=month,
                prefix=prefix,
                list_from_headers=list_from_headers,
                receivers=receivers,
            )
    except DAMAGE as error:
        why = str(error) or type(error).__name__
        yield Unreadable(source=name, why=f"the file is damaged or cannot be read: {why}", list_id=list_id, month=month)


def read_mails(
    mails: Iterable[RawMail],
    *,
    name: str,
    list_id: str,
    month: str,
    prefix: str,
    list_from_headers: bool = False,
    receivers: Sequence[str] = (),
    first_position: int = 0,
) -> Iterator[Message | Unreadable]:
    """Read split mails; `first_position` is the place in the archive of the first of them."""
    for raw in mails:
        where = f"{name}#{first_position + raw.position}"
        yield read_message(
            raw.data,
            source=where,
            list_id=list_id,
            month=month,
            prefix=prefix,
            list_from_headers=list_from_headers,
            receivers=receivers,
        )
        if raw.truncated:
            why = f"only its first {MAX_MAIL >> 20} MiB were read"
            yield Unreadable(source=where, why=why, list_id=list_id, month=month)


def _open(path: Path) -> BinaryIO:
    """The file as a stream of what it holds, unpacked where it is gzip, bzip2 or xz."""
    with path.open("rb") as probe:
        start = probe.read(6)
    if start.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", _Gunzip(path))
    if start.startswith(b"BZh"):
        return cast("BinaryIO", bz2.open(path))
    return cast("BinaryIO", lzma.open(path)) if start.startswith(b"\xfd7zXZ") else path.open("rb")


class _Gunzip:
    """A gzipped file as a stream that gives all it holds before it raises for damage (`GzipFile` gives less)."""

    def __init__(self, path: Path) -> None:
        self._raw = path.open("rb")
        self._inflate = zlib.decompressobj(31)
        self._rest = b""

    def __enter__(self) -> _Gunzip:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def read(self, size: int) -> bytes:
        """At most `size` of the next bytes; empty at the end.

        Raises:
            EOFError: the file ends within its compressed data.
            zlib.error: the compressed data are damaged.
        """
        while True:
            if self._inflate.eof:
                self._rest = self._inflate.unused_data.lstrip(b"\0") or self._raw.read(64 * 1024)
                if not self._rest:
                    return b""
                self._inflate = zlib.decompressobj(31)  # another member follows
            data = self._inflate.decompress(self._rest, size)
            self._rest = self._inflate.unconsumed_tail
            if data:
                return data
            if not self._rest and not self._inflate.eof:
                self._rest = self._raw.read(64 * 1024)
                if not self._rest:
                    raise EOFError("the compressed file ends too early")


def read_path(
    path: Path,
    *,
    list_id: str,
    month: str,
    prefix: str,
    list_from_headers: bool = False,
    receivers: Sequence[str] = (),
) -> Iterator[Message | Unreadable]:
    """Read whatever mail `path` holds: an mbox, one mail, a maildir, Pony Mail JSON, or a folder of these.

    Of a folder every file is read, each once, but for hidden ones and a maildir's unfinished deliveries. Links
    to files are followed, links to folders are not.
    """
    if path.is_dir():
        refused: list[Unreadable] = []
        seen: set[Path] = set()
        for file in sorted(_walk(path, refused, list_id, month)):
            if (real := file.resolve()) not in seen:
                seen.add(real)
                yield from _read_file(
                    file,
                    str(file.relative_to(path)),
                    list_id=list_id,
                    month=month,
                    prefix=prefix,
                    list_from_headers=list_from_headers,
                    receivers=receivers,
                )
        yield from refused
    elif path.is_file():
        yield from _read_file(
            path,
            path.name,
            list_id=list_id,
            month=month,
            prefix=prefix,
            list_from_headers=list_from_headers,
            receivers=receivers,
        )
    else:
        # a pipe or a device would keep its reader waiting for ever
        why = "neither a file nor a folder" if path.exists() else "no such file"
        yield Unreadable(source=str(path), why=why, list_id=list_id, month=month)


def _walk(root: Path, refused: list[Unreadable], list_id: str, month: str) -> Iterator[Path]:
    """The files below a folder; what can't be looked into is noted in `refused`."""

    def refuse(error: OSError) -> None:
        why = f"cannot be looked into: {error.strerror or type(error).__name__}"
        refused.append(Unreadable(source=str(error.filename or root), why=why, list_id=list_id, month=month))

    for folder, names, files in os.walk(root, onerror=refuse):
        names[:] = [n for n in names if not n.startswith(".") and n != "tmp"]
        for name in files:
            if not name.startswith(".") and (found := Path(folder, name)).is_file():
                yield found


def _read_file(
    path: Path, name: str, *, list_id: str, month: str, prefix: str, list_from_headers: bool, receivers: Sequence[str]
) -> Iterator[Message | Unreadable]:
    try:
        with _open(path) as stream:
            start = stream.read(4096)
    except DAMAGE as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        yield Unreadable(source=name, why=f"cannot be read: {why}", list_id=list_id, month=month)
        return
    packed = next((what for magic, what in _PACKED.items() if start.startswith(magic)), None)
    if packed is None and start[257:262] == b"ustar":
        packed = "a tar file"
    if packed is not None:
        yield Unreadable(source=name, why=f"{packed}: unpack it first", list_id=list_id, month=month)
    elif not start.strip():
        yield Unreadable(source=name, why="the file is empty", list_id=list_id, month=month)
    elif path.suffix.lower() in _JSON and start.removeprefix(_BOM).lstrip()[:1] in (b"{", b"["):
        yield from _read_json(
            path,
            name,
            list_id=list_id,
            month=month,
            prefix=prefix,
            list_from_headers=list_from_headers,
            receivers=receivers,
        )
    else:
        yield from read_mbox(
            path,
            list_id=list_id,
            month=month,
            prefix=prefix,
            source=name,
            list_from_headers=list_from_headers,
            receivers=receivers,
        )


def _read_json(
    path: Path, name: str, *, list_id: str, month: str, prefix: str, list_from_headers: bool, receivers: Sequence[str]
) -> Iterator[Message | Unreadable]:
    try:
        for position, mail in enumerate(read_export(path)):
            where = f"{name}#{position}"
            if isinstance(mail, str):
                yield Unreadable(source=where, why=mail, list_id=list_id, month=month)
                continue
            yield read_message(
                mail,
                source=where,
                list_id=list_id,
                month=month,
                prefix=prefix,
                list_from_headers=list_from_headers,
                receivers=receivers,
            )
    except UnreadableInput as error:
        yield Unreadable(source=name, why=error.why, list_id=list_id, month=month)

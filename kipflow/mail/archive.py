"""Archives of mail as files: mbox (also gzipped), maildir, single mails, folders, Pony Mail's JSON.

Splitting works on bytes with `bytes.find`, in bounded memory however long the archive or one mail is.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from kipflow.domain.facts import Message, Unreadable
from kipflow.mail.messages import MAX_MAIL, read_message

CHUNK = 1024 * 1024
#: What a damaged or vanished file raises while it is read.
DAMAGE = (OSError, EOFError, zlib.error)


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
    first_position: int = 0,
) -> Iterator[Message | Unreadable]:
    """Read split mails; `first_position` is the place in the archive of the first of them."""
    for raw in mails:
        where = f"{name}#{first_position + raw.position}"
        yield read_message(
            raw.data, source=where, list_id=list_id, month=month, prefix=prefix, list_from_headers=list_from_headers
        )
        if raw.truncated:
            why = f"only its first {MAX_MAIL >> 20} MiB were read"
            yield Unreadable(source=where, why=why, list_id=list_id, month=month)


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as probe:
        is_gzip = probe.read(2) == b"\x1f\x8b"
    return cast("BinaryIO", _Gunzip(path)) if is_gzip else path.open("rb")


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
    path: Path, *, list_id: str, month: str, prefix: str, list_from_headers: bool = False
) -> Iterator[Message | Unreadable]:
    """Read whatever mail `path` holds: an mbox, one mail, a maildir, Pony Mail JSON, or a folder of these."""
    if path.is_dir():
        files = sorted(
            p
            for p in path.rglob("*")
            if p.is_file() and not any(part.startswith(".") for part in p.relative_to(path).parts)
        )
        for file in files:
            if "tmp" not in file.relative_to(path).parts[:-1]:  # a maildir's unfinished deliveries
                yield from _read_file(
                    file,
                    str(file.relative_to(path)),
                    list_id=list_id,
                    month=month,
                    prefix=prefix,
                    list_from_headers=list_from_headers,
                )
        return
    if not path.exists():
        yield Unreadable(source=str(path), why="no such file", list_id=list_id, month=month)
        return
    yield from _read_file(
        path, path.name, list_id=list_id, month=month, prefix=prefix, list_from_headers=list_from_headers
    )


def _read_file(
    path: Path, name: str, *, list_id: str, month: str, prefix: str, list_from_headers: bool
) -> Iterator[Message | Unreadable]:
    try:
        with _open(path) as stream:
            start = stream.read(4096)
    except DAMAGE as error:
        yield Unreadable(source=name, why=f"cannot be read: {error}", list_id=list_id, month=month)
        return
    if not start.strip():
        yield Unreadable(source=name, why="the file is empty", list_id=list_id, month=month)
    elif start.lstrip()[:1] in (b"{", b"[") and path.suffix.lower() == ".json":
        yield from _read_json(
            path, name, list_id=list_id, month=month, prefix=prefix, list_from_headers=list_from_headers
        )
    else:
        yield from read_mbox(
            path, list_id=list_id, month=month, prefix=prefix, source=name, list_from_headers=list_from_headers
        )


def _read_json(
    path: Path, name: str, *, list_id: str, month: str, prefix: str, list_from_headers: bool
) -> Iterator[Message | Unreadable]:
    try:
        document = json.loads(path.read_bytes()[: 64 * CHUNK])
    except (ValueError, OSError, RecursionError) as error:
        yield Unreadable(source=name, why=f"not valid JSON: {error}", list_id=list_id, month=month)
        return
    position = -1
    for position, mail in enumerate(_find_mails(document)):
        yield read_message(
            _as_mail(mail),
            source=f"{name}#{position}",
            list_id=list_id,
            month=month,
            prefix=prefix,
            list_from_headers=list_from_headers,
        )
    if position < 0:
        yield Unreadable(source=name, why="no mails as Pony Mail's JSON has them", list_id=list_id, month=month)


def _find_mails(document: Any) -> Iterator[dict[str, Any]]:
    """The mails in an answer of email.lua, thread.lua or stats.lua, whatever it wraps them in."""
    stack = [document]
    for _ in range(200_000):
        if not stack:
            return
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict):
            if "subject" in node and ("from" in node or "body" in node):
                yield node
            stack.extend(reversed([v for k, v in node.items() if k in ("emails", "thread", "children", "email") and v]))


def _as_mail(mail: dict[str, Any]) -> bytes:
    """Pony Mail's JSON form of a mail as the mail it was made from, as far as it tells."""

    def line(value: object) -> str:
        return " ".join(str(value or "").split())

    fields = {
        "From": mail.get("from"),
        "Subject": mail.get("subject"),
        "Date": mail.get("date") or "",
        "Message-ID": mail.get("message-id") or mail.get("mid") or mail.get("id"),
        "In-Reply-To": mail.get("in-reply-to"),
        "References": mail.get("references"),
        "To": mail.get("to"),
        "Cc": mail.get("cc"),
        "List-Id": mail.get("list_raw") or mail.get("list"),
    }
    head = [f"{name}: {line(value)}" for name, value in fields.items() if line(value)]
    epoch = mail.get("epoch")
    if isinstance(epoch, int | float) and 0 < epoch < 4_000_000_000:
        head.append(f"X-Kipflow-Epoch: {int(epoch)}")
    head.append("Content-Type: text/plain; charset=utf-8")
    return ("\n".join(head) + "\n\n" + str(mail.get("body") or "")).encode("utf-8", "replace")

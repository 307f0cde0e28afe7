"""Parts of a large mbox, so that several processes can read one file at the same time.

A part is a range of bytes; it holds the mails that begin in it. Where mails begin is told by the same
rule as in `archive`, which looks at no more than an envelope line and the line after it: so the parts of
a file give the very mails that reading it whole gives, with the same positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from kipflow.domain.facts import Message, Unreadable
from kipflow.mail.archive import CHUNK, find_boundary, read_mails, split_mbox

#: The longest line that can open a mail, with the line after it: what a search keeps of earlier bytes.
_OVERLAP = 2_000


def is_splittable(path: Path) -> bool:
    """Whether `path` is a plain mbox: not compressed, not another kind of box, and begun by an envelope line."""
    try:
        with path.open("rb") as stream:
            return stream.read(_OVERLAP).lstrip(b"\r\n").startswith(b"From ")
    except OSError:
        return False


def find_mail_start(stream: BinaryIO, offset: int) -> int | None:
    """Where the first mail at or after `offset` begins; None if no more mail does."""
    if offset <= 0:
        return 0
    base = offset - 1  # the line break before an envelope line belongs to the search
    stream.seek(base)
    buffer = b""
    while more := stream.read(CHUNK):
        buffer += more
        found = find_boundary(buffer, 1)
        if found >= 0:
            return base + found
        base += max(0, len(buffer) - _OVERLAP)
        buffer = buffer[-_OVERLAP:]
    return None


def count_mails(path: Path, start: int, end: int) -> int:
    """How many mails begin in the range from `start` up to `end` (in bytes, `end` not included)."""
    with path.open("rb") as stream:
        return sum(1 for _ in split_mbox(_cut(stream, start, end)))


def read_range(
    path: Path,
    start: int,
    end: int,
    *,
    first_position: int,
    list_id: str,
    month: str,
    prefix: str,
    receivers: Sequence[str] = (),
) -> Iterator[Message | Unreadable]:
    """Read the mails that begin in a range of bytes; `first_position` is how many begin before it."""
    name = f"{list_id}/{month}"
    try:
        with path.open("rb") as stream:
            part = split_mbox(_cut(stream, start, end))
            yield from read_mails(
                part,
                name=name,
                list_id=list_id,
                month=month,
                prefix=prefix,
                receivers=receivers,
                first_position=first_position,
            )
    except OSError as error:
        why = f"the file is damaged or cannot be read: {error}"
        yield Unreadable(source=name, why=why, list_id=list_id, month=month)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Slice:
    """So many of the next bytes of a stream, as a stream."""

    def __init__(self, stream: _Readable, length: int) -> None:
        self._stream, self._left = stream, length

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


def _cut(stream: BinaryIO, start: int, end: int) -> BinaryIO:
    """The bytes from the first mail that begins in the range to the first that begins after it."""
    size = stream.seek(0, 2)
    first = find_mail_start(stream, start)
    after = find_mail_start(stream, end) if end < size else None
    first = size if first is None else first
    after = size if after is None else after
    stream.seek(first)
    return cast("BinaryIO", _Slice(stream, max(0, after - first)))

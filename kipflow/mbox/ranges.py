"""Parts of a large mbox, so that several processes can read one file at the same time.

A part is a range of bytes; it holds the mails that begin in it. Where a mail begins depends only on the file's head and
on the bytes that follow (`separators`). So a file read in parts gives exactly the mails of the file read whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kipflow.mbox.separators import LOOK, Form, Found, Kind, Search, learn_form
from kipflow.mbox.splitting import CHUNK, RawMail, Readable, split_mbox


def is_splittable(path: Path) -> bool:
    """Whether `path` is a plain mbox: not compressed, not another kind of box, and begun by an envelope line."""
    try:
        with path.open("rb") as stream:
            return stream.read(LOOK).lstrip(b"\r\n").startswith(b"From ")
    except OSError:
        return False


def find_mail_start(stream: BinaryIO, offset: int, form: Form) -> Found | None:
    """The beginning of the first mail at or after `offset`; None if no more mail begins."""
    if offset <= 0:
        return Found(0, 1, Kind.START)
    base = offset - 1  # the line break before an envelope line belongs to the search
    stream.seek(base)
    buffer, start = b"", 1
    while True:
        more = stream.read(CHUNK)
        buffer += more
        search = Search(buffer, form, final=not more)
        found = search.find(start)
        while found.kind is Kind.DOUBTFUL:
            found = search.find(found.resume)
        if found.at >= 0:
            return found._replace(at=base + found.at)
        if not more:
            return None
        base += found.resume - 1
        buffer, start = buffer[found.resume - 1 :], 1


def count_mails(path: Path, start: int, end: int) -> int:
    """How many mails begin in the range from `start` up to `end` (in bytes, `end` not included)."""
    with path.open("rb") as stream:
        return sum(1 for _ in split_range(stream, start, end))


def split_range(stream: BinaryIO, start: int, end: int, *, whole: bool = False) -> Iterator[RawMail]:
    """The mails of a plain mbox that begin in a range of bytes, the first at position 0.

    Raises:
        OSError: the file is damaged.
    """
    size = stream.seek(0, 2)
    stream.seek(0)
    form = learn_form(stream.read(LOOK))
    first = find_mail_start(stream, start, form)
    after = find_mail_start(stream, end, form) if end < size else None
    if first is None:
        return
    stream.seek(first.at)
    part = _Slice(stream, max(0, (size if after is None else after.at) - first.at))
    yield from split_mbox(part, form=form, whole=whole, first=first, is_last=after is None)


class _Slice:
    """The next `length` bytes of a stream, as a stream."""

    def __init__(self, stream: Readable, length: int) -> None:
        self._stream, self._left = stream, length

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data

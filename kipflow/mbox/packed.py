"""Opens files as streams of their content, unpacked if they are gzip, bzip2 or xz."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

#: Errors that a damaged or vanished file raises while it is read.
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ"


def open_box(path: Path) -> BinaryIO:
    """The file as a stream of its unpacked content."""
    start = _read_start(path)
    if start.startswith(_GZIP):
        return cast("BinaryIO", _Gunzip(path))
    if start.startswith(_BZIP2):
        return cast("BinaryIO", bz2.open(path))
    return cast("BinaryIO", lzma.open(path)) if start.startswith(_XZ) else path.open("rb")


def is_packed(path: Path) -> bool:
    return _read_start(path).startswith((_GZIP, _BZIP2, _XZ))


def _read_start(path: Path) -> bytes:
    with path.open("rb") as probe:
        return probe.read(6)


class _Gunzip:
    """A gzipped file as a stream that gives all readable bytes before it raises for damage (`GzipFile` gives less)."""

    def __init__(self, path: Path) -> None:
        self._raw = path.open("rb")
        self._pieces = inflate(iter(partial(self._raw.read, 64 * 1024), b""), 256 * 1024)

    def __enter__(self) -> _Gunzip:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def read(self, _size: int) -> bytes:
        """Some of the next bytes; empty at the end. Raises as `inflate`."""
        return next(self._pieces, b"")


def inflate(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The content of gzipped data in pieces of at most `most` bytes, so that a small input cannot fill the memory.

    Raises:
        EOFError: the data end too early.
        zlib.error: they are damaged.
    """
    member = zlib.decompressobj(31)
    for data in chunks:
        is_full = False  # then more of the piece may wait in the decompressor
        while data or is_full:
            if member.eof:  # another member follows, or zeros that fill a block
                data = data.lstrip(b"\0")
                if not data:
                    break
                member = zlib.decompressobj(31)
            piece = member.decompress(data, most)
            is_full = len(piece) == most and not member.eof
            data = member.unconsumed_tail or member.unused_data
            if piece:
                yield piece
    if not member.eof:
        raise EOFError("the compressed file ends too early")

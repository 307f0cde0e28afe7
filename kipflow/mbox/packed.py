"""Opens files as streams of their content, unpacked if they are gzip, bzip2 or xz."""

from __future__ import annotations

import bz2
import lzma
import zlib
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

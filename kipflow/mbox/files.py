"""Mbox files: how many mails they hold, whether they are complete, and cutting off a last mail that may not be."""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from kipflow.mbox.endings import DAMAGED
from kipflow.mbox.packed import DAMAGE, is_packed, open_box
from kipflow.mbox.separators import LOOK, Bytes, Form, Found, find_starts, learn_form
from kipflow.mbox.splitting import CHUNK, split_mbox


@contextmanager
def mapped(file: BinaryIO) -> Iterator[Bytes]:
    """The bytes of an open file without reading them all; an empty file cannot be mapped."""
    if file.seek(0, 2) == 0:
        yield b""
        return
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def count_starts(path: Path, *, doubtful: bool = False) -> int:
    """How many mails begin in a plain mbox; with `doubtful` also lines that only look like the start of one."""
    with path.open("rb") as file, mapped(file) as data:
        return sum(1 for _ in find_starts(data, learn_form(data[:LOOK]), doubtful=doubtful)) if len(data) else 0


def drop_last_mail(path: Path) -> int:
    """Cut the last mail off a plain mbox; returns how many mails are left.

    If a box broke off, its last mail may be incomplete: half a mail may lack the line that takes its vote back, or
    the Message-ID that identifies it.
    """
    with path.open("r+b") as file:
        with mapped(file) as data:
            starts = list(find_starts(data, learn_form(data[:LOOK]))) if len(data) else [0]
        file.truncate(starts[-1])
    return len(starts) - 1


def find_break(path: Path, *, whole: bool = False) -> str:
    """How the end of a mail file shows that it was cut off; empty if nothing shows that.

    `whole`: the archive itself confirms its length.
    """
    try:
        with open_box(path) as stream:
            form, begin = (None, None) if is_packed(path) else _find_last_chunk(stream)
            last = deque(split_mbox(stream, form=form, whole=whole, first=begin), maxlen=1)
    except DAMAGE as error:
        return f"{DAMAGED}: {error or type(error).__name__}"
    return last[0].cut if last else ""


def _find_last_chunk(stream: BinaryIO) -> tuple[Form, Found]:
    """The form of a plain mbox, and where one of its last mails begins: the stream is left there."""
    size = stream.seek(0, 2)
    stream.seek(0)
    form = learn_form(stream.read(LOOK))
    found, length = 0, CHUNK
    while length < size and not found:
        base = stream.seek(size - length)
        start = _first_start(stream.read(length), form)
        found, length = (base + start if start else 0), length * 4
    return form, Found(stream.seek(found), 1)


def _first_start(tail: bytes, form: Form) -> int:
    starts = find_starts(tail, form)
    next(starts)
    return next(starts, 0)

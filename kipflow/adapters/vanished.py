"""Mails that vanished from an archive stay in the month's file.

Archives lose mail: somebody asks for its removal, an index is rebuilt, a month is truncated. A month is always read
from its downloaded file, now and by later rules. So the file keeps such mails, after those that the archive still has.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import BinaryIO

from kipflow.mbox.files import mapped
from kipflow.mbox.separators import LOOK, find_starts, learn_form

_BLANK = re.compile(rb"\n\r?\n")
_ID = re.compile(rb"\nmessage-id[ \t]*:[ \t\r\n]*([^\s>]{1,998}>?)", re.IGNORECASE)
_CHUNK = 1 << 20


def keep_vanished(before: Path, part: Path) -> tuple[str, ...]:
    """Append to the mbox `part` the mails of `before` that it lacks, by Message-ID. Returns their ids.

    Mails without a Message-ID are left out: nobody can know whether they vanished.
    """
    if not before.is_file() or before.stat().st_size == 0:
        return ()
    held, given = _find_mails(before), _find_mails(part)
    gone = [message_id for message_id in held if message_id not in given]
    if not gone:
        return ()
    with open(before, "rb") as source, open(part, "r+b") as target:
        _end_with_blank_line(target)
        for message_id in gone:
            start, end = held[message_id]
            source.seek(start)
            while start < end and (chunk := source.read(min(_CHUNK, end - start))):
                target.write(chunk)
                start += len(chunk)
            _end_with_blank_line(target)
    return tuple(message_id.decode("utf-8", "replace") for message_id in gone)


def _end_with_blank_line(target: BinaryIO) -> None:
    """Move to the end of the file, and make sure that it ends with a blank line, as the next mail requires."""
    target.seek(0, 2)
    size = target.tell()
    if size:
        target.seek(max(0, size - 2))
        tail = target.read(2)
        target.write(b"" if tail == b"\n\n" else b"\n" if tail.endswith(b"\n") else b"\n\n")


def _find_mails(path: Path) -> dict[bytes, tuple[int, int]]:
    """Message-ID → start and end of its first mail in bytes, in the order of the file."""
    found: dict[bytes, tuple[int, int]] = {}
    with open(path, "rb") as file, mapped(file) as data:
        starts = [*find_starts(data, learn_form(data[:LOOK])), len(data)]
        for start, end in itertools.pairwise(starts):
            blank = _BLANK.search(data, start, end)
            match = _ID.search(data, start, blank.start() + 1) if blank is not None else None
            if match is not None:
                found.setdefault(match.group(1), (start, end))
    return found

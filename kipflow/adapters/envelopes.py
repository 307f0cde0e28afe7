"""Where the mails of an mbox begin, seen over its bytes."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

#: An envelope line, and a header (or a further ">From ") below it: many a sentence begins with "From".
_START = re.compile(rb"\nFrom [^\n]{0,300}\d:\d\d[^\n]{0,60}\n(?=[!-9;-~]{1,76}[ \t]*:|>From )")
_FROM = re.compile(rb"^From ", re.MULTILINE)


def find_starts(data: mmap.mmap) -> list[int]:
    """The positions, in bytes, at which mails begin; the first is 0."""
    return [0, *(match.start() + 1 for match in _START.finditer(data))]


def drop_last_mail(path: Path) -> int:
    """Cut the last mail off an mbox, and how many mails are left (lines that begin with "From ").

    Of a box that broke off nobody can tell whether its last mail is whole: half a mail may lack the line that takes
    its vote back, or the Message-ID by which it would be known again.
    """
    with open(path, "r+b") as file:
        if path.stat().st_size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                end = find_starts(data)[-1]
                left = sum(1 for _ in _FROM.finditer(data, 0, end))
            file.truncate(end)
            return left
    return 0

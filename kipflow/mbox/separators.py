"""Where a mail begins in an mbox: one definition for files, downloads and parts of large files.

A line "From x Mon Mar  2 10:00:00 2026" separates mails only if headers like those of this box's other mails
follow it, because such lines also occur in bodies: pasted, quoted, or forged. In an archive, whose server writes a
Received on top of every mail, a line without such headers is text. In a box that no server wrote it may be either: the
mail counts as one, and as `LOOSE`.
The head of a box shows which of these it is (`learn_form`). Whether a line separates depends on that and on the next
`LOOK` bytes, not on how a file is read, in chunks or in parts. The time is proportional to the bytes, whatever they
are.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

#: Bytes in which the headers of a mail are searched.
LOOK = 64 * 1024
#: Most bytes of a line that can separate mails, and of the name of the header below it.
_LINE, _NAME = 1_000, 200

Bytes = bytes | mmap.mmap

_FROM_LINE = re.compile(rb"\nFrom ")  # a literal: `re` finds it in bytes in half the time of `bytes.find`
# From sender@x  Thu Jan  1 10:00:00 2026 ; some archives leave out the sender, some add a zone
_ENVELOPE = re.compile(
    rb"From (?:\S{0,320}\s+)?.{0,60}\d{1,2}:\d\d.{0,40}$|From \S{1,320}@\S{1,320}\s*$|From -(?:\s.{0,80})?$|From "
    rb"MAILER[-_]DAEMON\b.{0,80}$"
)
# a sender that is an address, or none: what a box of addresses has besides ("From -", bounces)
_OF_ADDRESS = re.compile(rb"\nFrom [^\s@]{1,320}@\S")
_ADDRESSED = re.compile(rb"From (?:[^\s@]{1,320}@\S|-(?:\s|$)|MAILER[-_]DAEMON\b|\s*$)")
_HEADER_LINE = re.compile(rb"(?:[!-9;-~]{1,76}[ \t]{0,20}:|>From )")
_BLANK, _PLAIN_BLANK = re.compile(rb"\n\r?\n"), re.compile(rb"\n\n")


_USUAL_TRACE, _USUAL_ID, _OTHER_ID = b"\nReceived:", b"\nMessage-ID:", b"\nMessage-Id:"
_USUAL_HEADERS = 16 * 1024


def _field(names: bytes) -> re.Pattern[bytes]:
    # the line break is outside the group, so that `re` skips to it
    return re.compile(rb"\n(?i:" + names + rb")[ \t]{0,20}:")


_MESSAGE_ID, _RECEIVED, _LIST_ID = _field(b"message-id"), _field(b"received"), _field(b"list-id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What the mails of a box have in common.

    `traced`: a Received, which servers set; `named`: a Message-ID; `addressed`: an address in their separator.
    """

    traced: bool = False
    named: bool = False
    addressed: bool = False


def learn_form(head: bytes) -> Form:
    """The form of a box from its first `LOOK` bytes.

    The first mail shows whether servers left their trace, because no body comes before it. If they did not, most of
    the mails that begin in the head show whether this box's mails have a Message-ID.
    """
    head = b"\n" + head[:LOOK].lstrip(b"\r\n")
    addressed = _OF_ADDRESS.match(head) is not None
    if _has(_RECEIVED, head, 0):
        return Form(traced=True, named=_has(_MESSAGE_ID, head, 0), addressed=addressed)
    named = [_has(_MESSAGE_ID, head, start) for start in find_starts(head, Form())]
    return Form(named=named[0] and 2 * sum(named) > len(named), addressed=addressed)


def _has(field: re.Pattern[bytes], head: bytes, start: int) -> bool:
    """Whether the headers that begin at `start` have a field."""
    blank = _BLANK.search(head, start + 1)
    return field.search(head, start, len(head) if blank is None else blank.start() + 1) is not None


class Kind(Enum):
    """What a line is: a separator, perhaps a separator (`LOOSE`), one that only looks like it, or any other line."""

    START = 1
    LOOSE = 2
    DOUBTFUL = 3
    TEXT = 4


class Found(NamedTuple):
    """A line that separates mails, or looks like it, at `at`.

    -1: none was found; the search continues from `resume` when more bytes are available.
    """

    at: int
    resume: int
    kind: Kind = Kind.TEXT


class Search:
    """Looks for separators in one buffer, from front to back."""

    def __init__(self, buffer: Bytes, form: Form, *, final: bool = False) -> None:
        """`final` says that nothing follows the buffer."""
        self._buffer, self._form, self._final = buffer, form, final
        # whether only real separators were found so far: then a quicker check is tried first
        self._is_calm = True
        # pattern → where it was found last (-1: not), and up to where it was looked for
        self._seen: dict[re.Pattern[bytes], tuple[int, int]] = {}

    def find(self, start: int) -> Found:
        """The first separator, or line that looks like one, at or after `start`; a line break comes before it."""
        buffer = self._buffer
        position = max(0, start - 1)
        while True:
            match = _FROM_LINE.search(buffer, position)
            if match is None:
                return Found(-1, max(start, len(buffer) - 4))
            at = match.start() + 1
            kind = self._judge(at)
            if kind is None:
                return Found(-1, at)
            self._is_calm = self._is_calm and kind in {Kind.START, Kind.TEXT}
            if kind is not Kind.TEXT:
                return Found(at, at + 1, kind)
            position = at

    def _judge(self, at: int) -> Kind | None:
        """What the line at `at` is; None if more bytes are needed to decide."""
        buffer, size = self._buffer, len(self._buffer)
        line_end = buffer.find(b"\n", at, at + _LINE)
        if line_end < 0:
            return Kind.TEXT if self._final or size - at >= _LINE else None
        line = buffer[at:line_end].rstrip(b"\r")
        if _ENVELOPE.match(line) is None:
            return Kind.TEXT
        if _HEADER_LINE.match(buffer, line_end + 1) is None:
            is_known = self._final or size - line_end > _NAME or buffer.find(b"\n", line_end + 1) >= 0
            return Kind.TEXT if is_known else None
        limit = line_end + LOOK
        end = self._find_blank(line_end, limit)
        is_broken_off = end < 0 and size < limit
        if is_broken_off and not self._final:
            return None
        if self._form.addressed and _ADDRESSED.match(line) is None:
            return Kind.DOUBTFUL
        if is_broken_off:
            return Kind.START  # the box ends in these headers: that they are few proves nothing
        return self._judge_headers(line_end, limit if end < 0 else end + 1)

    def _judge_headers(self, start: int, end: int) -> Kind:
        """Whether these headers are those of a mail of this box."""
        form, find = self._form, self._buffer.find
        # the spellings of nearly all mails: ten times cheaper to find
        if (
            self._is_calm
            and find(_USUAL_TRACE, start, end) >= 0
            and (find(_USUAL_ID, start, end) >= 0 or find(_OTHER_ID, start, end) >= 0)
        ):
            return Kind.START
        if not form.traced and not form.named:
            return Kind.START
        named = self._next(_MESSAGE_ID, start, end) >= 0
        if not form.traced:
            return Kind.START if named else Kind.LOOSE
        received, listed = (self._next(field, start, end) >= 0 for field in (_RECEIVED, _LIST_ID))
        if not received:
            # a server left its trace on the other mails; anybody can write the rest into a body
            return Kind.LOOSE if named and listed else Kind.DOUBTFUL
        # a few mails have no Message-ID, but then both traces of a list's server
        return Kind.START if named or listed else Kind.DOUBTFUL

    def _find_blank(self, start: int, end: int) -> int:
        """The end of the headers; -1: not before `end`."""
        found = _PLAIN_BLANK.search(self._buffer, start, start + _USUAL_HEADERS) if self._is_calm else None
        if found is not None and self._buffer.find(b"\r", start, found.start()) < 0:
            return found.start()
        return self._next(_BLANK, start, end)

    def _next(self, pattern: re.Pattern[bytes], start: int, end: int) -> int:
        """Where the pattern begins next between `start` and `end`; -1: nowhere. Looks at no byte twice."""
        found, seen = self._seen.get(pattern, (-1, 0))
        if found < start:
            begin = max(start, seen - 100)
            if begin >= end:
                return -1
            match = pattern.search(self._buffer, begin, end)
            found = -1 if match is None else match.start()
            self._seen[pattern] = found, end if found < 0 else found + 1
        return found if found < end else -1


def find_starts(data: Bytes, form: Form, *, doubtful: bool = False) -> Iterator[int]:
    """Where the mails of a whole box begin, the first at 0; with `doubtful` also where one might."""
    yield 0
    search = Search(data, form, final=True)
    found = search.find(1)
    while found.at >= 0:
        if doubtful or found.kind is not Kind.DOUBTFUL:
            yield found.at
        found = search.find(found.resume)

"""Splits an mbox into its mails, as bytes: in bounded memory, however long the box or one mail is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from kipflow.mbox.endings import DAMAGED, MID_LINE, find_cut
from kipflow.mbox.packed import DAMAGE
from kipflow.mbox.separators import LOOK, Form, Found, Kind, Search, learn_form

#: Bytes read at once. The allocator gives each larger buffer back to the system, which costs more than it saves.
CHUNK = 256 * 1024
#: Most bytes that are read of one mail.
MAX_MAIL = 16 * 1024 * 1024
#: Most lines remembered of one mail that only look like the start of another.
MAX_DOUBTS = 20
_MMDF = b"\x01\x01\x01\x01\n"


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class RawMail(NamedTuple):
    """One mail of an archive, its envelope line included. `position` counts from 0.

    `doubts` are the offsets of lines in it that look like the start of another mail and were not taken for one;
    `cut` says how the box ends within it (empty: it does not). A `loose` one may be text of the mail before it. `at` is
    its offset in the unpacked box.
    """

    position: int
    data: bytes
    truncated: bool = False
    doubts: tuple[int, ...] = ()
    cut: str = ""
    loose: bool = False
    at: int = 0


def split_mbox(
    stream: Readable,
    *,
    form: Form | None = None,
    whole: bool = False,
    first: Found | None = None,
    is_last: bool = True,
) -> Iterator[RawMail]:
    """The mails of an mbox, in order. A file that starts differently is one mail, or an MMDF box.

    Args:
        stream: the box, or a part of one that begins where a mail does.
        form: what the mails of the box have in common; None: learned from its head.
        whole: the archive itself confirms that this is all of the box.
        first: where in the box the stream begins; None: at its beginning.
        is_last: whether the box ends where the stream does.

    Raises:
        OSError, EOFError, zlib.error, lzma.LZMAError: the stream is damaged; what came before it was given.
    """
    pieces = _Pieces(stream, first.at if first is not None else 0)
    form = learn_form(pieces.buffer) if form is None else form
    if pieces.skip_empty_lines().startswith(_MMDF):
        found = (m for m in pieces.split(_find_mmdf) if m.data.removeprefix(_MMDF).strip())
        for position, mail in enumerate(found):
            data = mail.data.removeprefix(_MMDF)
            yield mail._replace(position=position, data=data, at=mail.at + len(mail.data) - len(data))
    else:
        for mail in pieces.split(_separators_of(form), first):
            if pieces.tail and is_last:
                after_others = mail.position > 0 or (first is not None and first.at > 0)
                cut = DAMAGED if pieces.damage else _find_cut(mail, pieces.tail, form, after_others, whole)
                yield mail._replace(cut=cut)
            else:
                yield mail
    if pieces.damage is not None:
        raise pieces.damage


def _find_cut(mail: RawMail, tail: bytes, form: Form, after_others: bool, whole: bool) -> str:
    if mail.truncated:  # its parts are not in memory: only the end of its last line can be checked
        return "" if tail.endswith(b"\n") else MID_LINE
    return find_cut(mail.data, form, after_others=after_others, whole=whole)


#: Searches a buffer from an offset on; `True`: nothing follows the buffer.
Find = Callable[[bytes, int, bool], Iterator[Found]]


def _separators_of(form: Form) -> Find:
    def find(buffer: bytes, start: int, final: bool) -> Iterator[Found]:
        search = Search(buffer, form, final=final)
        while True:
            found = search.find(start)
            yield found
            start = found.resume

    return find


def _find_mmdf(buffer: bytes, start: int, final: bool) -> Iterator[Found]:
    del final  # a mark is a mark, whatever follows
    while True:
        at = buffer.find(_MMDF, start)
        start = max(start, len(buffer) - len(_MMDF) + 1) if at < 0 else at + 1
        yield Found(at, start)


class _Pieces:
    """A stream cut where a search finds something; of a piece longer than `MAX_MAIL` only the beginning is kept."""

    def __init__(self, stream: Readable, base: int) -> None:
        self._stream = stream
        #: Where the buffer begins in the box, and how many bytes of the current mail are left out of it.
        self._base, self._gap = base, 0
        self.damage: Exception | None = None
        #: The last bytes of the stream, when its last piece is given.
        self.tail = b""
        self._ended = False
        self.buffer = b""
        while len(self.buffer) < LOOK and self._fill():
            pass

    def _fill(self) -> bool:
        if not self._ended:
            try:
                more = self._stream.read(CHUNK)
            except DAMAGE as error:
                self.damage, more = error, b""
            self.buffer += more
            self._ended = not more
        return not self._ended

    def skip_empty_lines(self) -> bytes:
        found = self.buffer.lstrip(b"\r\n")
        self._base += len(self.buffer) - len(found)
        self.buffer = found
        return found

    def split(self, find: Find, first: Found | None = None) -> Iterator[RawMail]:
        position, begin, resume, dropped = 0, 0, 1, False
        loose = first is not None and first.kind is Kind.LOOSE
        doubts: list[int] = []
        while True:
            for found in find(self.buffer, resume, self._ended):
                resume = found.resume
                if found.at < 0:
                    break
                if found.kind is Kind.DOUBTFUL:
                    if len(doubts) < MAX_DOUBTS:
                        doubts.append(found.at - begin)
                    continue
                # cut to the same length wherever chunks end
                data, size = self.buffer[begin : min(found.at, begin + MAX_MAIL)], found.at - begin
                yield RawMail(position, data, dropped or size > MAX_MAIL, tuple(doubts), "", loose, self._base + begin)
                position, begin, dropped, loose = position + 1, found.at, False, found.kind is Kind.LOOSE
                self._base, self._gap = self._base + self._gap, 0
                doubts.clear()
            if self._ended:
                break
            resume -= begin
            self._base += begin
            self.buffer, begin = self.buffer[begin:], 0
            if len(self.buffer) > MAX_MAIL + CHUNK + LOOK:
                # the search goes on after a line break, which stays
                self._gap += resume - 1 - MAX_MAIL
                self.buffer = self.buffer[:MAX_MAIL] + self.buffer[resume - 1 :]
                resume, dropped = MAX_MAIL + 1, True
            self._fill()
        rest = self.buffer[begin:]
        if rest.strip(b"\r\n \t\x00"):
            dropped = dropped or len(rest) > MAX_MAIL
            self.tail = rest[-4:]
            yield RawMail(position, rest[:MAX_MAIL], dropped, tuple(doubts), "", loose, self._base + begin)

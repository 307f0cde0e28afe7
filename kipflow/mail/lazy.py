"""Late mails: only the threading headers are read at once, the rest on demand.

Most mails on a list belong to no vote, and only the thread shows which do. A late mail has its threading headers from
the start; its author, own words and the rest are read from its bytes on first access. Every value is the same as if
the mail had been read at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.votes import Declared, Expression
from kipflow.mail.heads import Head, Place, read_head
from kipflow.mail.messages import ENDING_KINDS, could_matter, is_sure, read_kind, read_whole
from kipflow.mail.prefilter import Prefiltered, prefilter

#: Most bytes of a mail that are kept for later; a longer mail is read at once.
MAX_KEPT = 64 * 1024
#: The values that a late mail has from the start.
_KNOWN = (
    *("message_id", "source", "list_id", "arrived_at", "arrived_from", "subject", "reading"),
    *("in_reply_to", "references"),
)
_SLOTS = (*_KNOWN, "_held", "_place", "_unread", "_prefiltered", "_head", "_facts", "_whole")


class Span(NamedTuple):
    """The place of a mail's bytes in a plain file."""

    path: Path
    at: int
    size: int

    def read(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(self.at)
                return file.read(self.size)
        except OSError:
            return b""  # read as no mail


def read_lazily(
    data: bytes,
    place: Place,
    *,
    source: str,
    unread: str = "",
    held: Span | None = None,
    votes_at_once: bool = False,
) -> Message | Unreadable:
    """Read one mail as `read_mail` does, or only its threading headers; `held` is where its bytes can be found later.

    With `votes_at_once` mails under a vote's subject are read whole: nearly all of them are needed.
    """
    head = read_head(data, place, unread)
    if isinstance(head, str):
        return place.refuse(source, head)
    reading = read_kind(head)
    of_vote = reading.kind in ENDING_KINDS
    if not is_sure(reading) or (of_vote and votes_at_once) or (held is None and len(data) > MAX_KEPT):
        return read_whole(head, reading, source)
    prefiltered = prefilter(head, reading) if could_matter(reading, head) else Prefiltered(may_announce=False)
    known = (
        *(head.message_id, source, sys.intern(head.list_id), head.arrived_at, head.arrived_from, head.subject),
        *(reading, head.in_reply_to, head.references),
    )
    return _assemble(known, held or data, place, unread, prefiltered, head)


def _by_head(name: str) -> Any:
    return property(lambda mail: mail.find_header_fact(name))


def _by_body(name: str) -> Any:
    return property(lambda mail: getattr(mail.find_whole(), name))


class LazyMessage(Message):
    """A `Message` that is read on demand. A changed copy (`dataclasses.replace`) of it is a plain `Message`."""

    __slots__ = ("_facts", "_head", "_held", "_place", "_prefiltered", "_unread", "_whole")
    _prefiltered: Prefiltered
    _head: Head | None
    _held: Span | bytes
    _place: Place
    _facts: dict[str, Any]
    _unread: str
    _whole: Message | None

    month, digest, dated_at = map(_by_head, ("month", "digest", "dated_at"))
    author_name, author_address = map(_by_head, ("author_name", "author_address"))
    raw_from, address_source = map(_by_head, ("raw_from", "address_source"))
    own_text, cancels, unread, authentication = map(_by_body, ("own_text", "cancels", "unread", "authentication"))

    def __new__(cls, **values: Any) -> Message:  # type: ignore[misc]  # what `replace` makes of it
        return Message(**values)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return self.find_whole().expressions if self._prefiltered.may_vote else ()

    @property
    def declared(self) -> Declared | None:
        return self.find_whole().declared if self._prefiltered.may_announce else None

    def find_whole(self) -> Message:
        """The mail as it is when read in full."""
        if self._whole is None:
            object.__setattr__(self, "_whole", read_whole(self._find_head(), self.reading, self.source))
        return cast("Message", self._whole)

    def find_header_fact(self, name: str) -> Any:
        """What the mail's headers say."""
        known = self._whole or self._head
        if known is not None:
            return getattr(known, name)
        if not self._facts:
            self._facts.update(self._find_head().find_facts())
        return self._facts[name]

    def forget_headers(self) -> None:
        """Forget the headers; they are read again on demand. Kept for all mails they would need much memory."""
        object.__setattr__(self, "_head", None)

    def _find_head(self) -> Head:
        """The mail's headers, read again if they are not in memory.

        Raises:
            UnreadableInput: the bytes at the mail's place are no longer this mail.
        """
        held = self._held
        head = self._head or read_head(held if isinstance(held, bytes) else held.read(), self._place, self._unread)
        if isinstance(head, str) or head.message_id != self.message_id:
            raise UnreadableInput(source=self.source, why="changed while it was read")
        return head

    def read_vote(self) -> None:
        """Read a mail under a vote's subject whole while its headers are in memory: nearly all are needed."""
        if self.reading.kind in ENDING_KINDS:
            self.find_whole()

    def move(self, source: str) -> LazyMessage:
        """Change the source in place, for the caller that just received the mail: copying every mail would be slow."""
        object.__setattr__(self, "source", source)
        return self

    def __eq__(self, other: object) -> bool:
        return self is other or self.find_whole() == (other.find_whole() if isinstance(other, LazyMessage) else other)

    def __hash__(self) -> int:
        return hash(self.find_whole())

    def __reduce__(self) -> tuple[Any, ...]:
        known = [getattr(self, name) for name in _KNOWN]
        return _assemble, (known, self._held, self._place, self._unread, self._prefiltered)


def _assemble(
    known: Sequence[Any],
    held: Span | bytes,
    place: Place,
    unread: str,
    prefiltered: Prefiltered,
    head: Head | None = None,
) -> LazyMessage:
    message: LazyMessage = object.__new__(LazyMessage)
    for name, value in zip(_SLOTS, (*known, held, place, unread, prefiltered, head, {}, None), strict=True):
        object.__setattr__(message, name, value)
    return message

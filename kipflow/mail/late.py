"""Mails whose bodies are read when somebody asks what they say.

Most answers on a list belong to no vote, and only the thread shows which do. Such a mail knows from the start what
its headers tell; whatever its body tells is read from its bytes the first time that it is asked for. So it says the
very same as a mail that was read at once, whoever asks and whenever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NoReturn

from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.senders import Authentication
from kipflow.domain.votes import Declared, Expression
from kipflow.mail.glances import Glance

#: Bytes of a mail that are kept for later; a longer one is read at once.
MAX_KEPT = 64 * 1024
#: What is read late: the body, and what only matters of those who vote.
_OF_BODY = frozenset({"own_text", "expressions", "declared", "cancels", "unread", "authentication"})
_OF_HEADERS = tuple(field.name for field in fields(Message) if field.name not in _OF_BODY)
#: Reads the whole of a mail.
Read = Callable[[], Message | Unreadable]


class LateMessage(Message):
    """A `Message` that reads its body on demand. A changed copy (`dataclasses.replace`) of it is a plain `Message`."""

    __slots__ = ("_glance", "_read", "_whole")
    _glance: Glance
    _read: Read
    _whole: Message | None

    def __new__(cls, **values: Any) -> Message:  # type: ignore[misc]  # what `replace` makes of it
        return Message(**values)

    def whole(self) -> Message:
        """The mail as it is when read in full."""
        if self._whole is None:
            found = self._read()
            if not isinstance(found, Message):
                _refuse(found)
            object.__setattr__(self, "_whole", found)
            return found
        return self._whole

    @property
    def own_text(self) -> str:
        return self.whole().own_text

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return self.whole().expressions if self._glance.may_vote else ()

    @property
    def declared(self) -> Declared | None:
        return self.whole().declared if self._glance.may_announce else None

    @property
    def cancels(self) -> str | None:
        return self.whole().cancels

    @property
    def unread(self) -> str:
        return self.whole().unread

    @property
    def authentication(self) -> Authentication:
        return self.whole().authentication

    def __eq__(self, other: object) -> bool:
        return self is other or self.whole() == (other.whole() if isinstance(other, LateMessage) else other)

    def __hash__(self) -> int:
        return hash(self.whole())

    def __reduce__(self) -> tuple[Any, ...]:
        return _assemble, ([getattr(self, name) for name in _OF_HEADERS], self._read, self._glance)


def _refuse(found: Unreadable) -> NoReturn:
    raise ValueError(f"{found.source} was readable before: {found.why}")


def put_off(head: Mapping[str, Any], *, read: Read, glance: Glance) -> LateMessage:
    """A mail of which only what its headers tell was read, the values of a `Message`; `read` reads all of it."""
    return _assemble([head[name] for name in _OF_HEADERS], read, glance)


def _assemble(values: Sequence[Any], read: Read, glance: Glance) -> LateMessage:
    late: LateMessage = object.__new__(LateMessage)
    for name, value in zip(_OF_HEADERS, values, strict=True):
        object.__setattr__(late, name, value)
    for name, value in (("_read", read), ("_glance", glance), ("_whole", None)):
        object.__setattr__(late, name, value)
    return late

"""Reads the mails of one file, and reports where it is damaged, cut off or not what it seems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kipflow.domain.arrivals import UNRECORDED
from kipflow.domain.facts import Message, Unreadable
from kipflow.mail import limits
from kipflow.mail.heads import Place
from kipflow.mail.lazy import Span, read_lazily
from kipflow.mail.messages import read_mail
from kipflow.mbox.endings import DAMAGED, NO_LINE_LEFT
from kipflow.mbox.packed import DAMAGE
from kipflow.mbox.splitting import MAX_MAIL, RawMail

#: The end of the ids of mails without one (`Message.message_id`).
_MISSING = "@missing>"
#: Most characters shown of a line that looks like the start of a mail.
_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading(Place):
    """How the mails of one file are read and its defects reported.

    `keep_cut`: the mail in which a file breaks off is read as far as it goes, and marked; else it is left out, because
    half a mail, once stored, keeps the complete one out. `lazy`, `votes_at_once`: see `read_lazily`.
    """

    keep_cut: bool = False
    lazy: bool = False
    votes_at_once: bool = False

    def read(self, data: bytes, source: str, unread: str = "", held: Span | None = None) -> Message | Unreadable:
        if self.lazy:
            at_once = self.votes_at_once
            return read_lazily(data, self, source=source, unread=unread, held=held, votes_at_once=at_once)
        return read_mail(data, self, source=source, unread=unread)

    def refuse_cut(self, raw: RawMail, source: str, why: str) -> Unreadable:
        """The report of an incomplete mail, with what identifies it later."""
        begun = self.read(raw.data, source)
        if isinstance(begun, Unreadable):
            return self.refuse(source, why, lost=True)
        return replace(
            self.refuse(source, why, lost=True),
            list_id=begun.list_id,
            message_id="" if begun.message_id.endswith(_MISSING) else begun.message_id,
            arrived_at=None if begun.arrived_from in UNRECORDED else begun.arrived_at,
        )

    def read_all(
        self, mails: Iterable[RawMail], name: str, first_position: int = 0, *, plain: Path | None = None
    ) -> Iterator[Message | Unreadable]:
        """Each mail, and the reports on it.

        `first_position` is the first mail's position in the archive; `plain` is the unpacked file with their bytes.
        """
        for raw in mails:
            where = f"{name}#{first_position + raw.position}"
            if self.keep_cut and raw.cut == NO_LINE_LEFT:
                raw = raw._replace(cut="")  # a box made by hand: its last line is complete
            if self.keep_cut or not raw.cut:
                held = Span(plain, raw.at, len(raw.data)) if plain is not None else None
                yield self.read(raw.data, where, _say_unread(raw), held)
            if raw.cut and raw.cut != DAMAGED:
                left = "" if self.keep_cut else ", which is left out"
                yield self.refuse_cut(raw, where, f"the file breaks off {raw.cut}{left}")
            if raw.doubts:
                yield self.refuse(*_say_doubts(raw, where))
            if raw.loose:
                yield self.refuse(where, "begins within another mail, by its headers: it is asked what it votes")
            if raw.truncated:
                yield self.refuse(where, f"only its first {MAX_MAIL >> 20} MiB were read")

    def read_until_damage(
        self,
        mails: Iterator[RawMail],
        name: str,
        first_position: int = 0,
        *,
        is_wanted: Callable[[RawMail], bool] | None = None,
        plain: Path | None = None,
    ) -> Iterator[Message | Unreadable]:
        """The same up to a damage of the file, then a report of it. An error while reading a mail is no damage."""
        damage: list[Exception] = []
        damaged: list[RawMail] = []

        def guard() -> Iterator[RawMail]:
            try:
                for mail in mails:
                    damaged.extend([mail] if mail.cut == DAMAGED else [])
                    yield mail
            except DAMAGE as error:
                damage.append(error)

        yield from self.read_all(
            filter(is_wanted, guard()) if is_wanted else guard(), name, first_position, plain=plain
        )
        for error in damage:
            why = f"the file is damaged or cannot be read: {say_error(error)}"
            yield self.refuse_cut(damaged[-1], name, why) if damaged else self.refuse(name, why, lost=True)


def _say_unread(raw: RawMail) -> str:
    """Why these bytes may not be the complete mail."""
    if raw.cut:
        return f"cut off, the file breaks off {raw.cut}"
    if raw.truncated:
        return str(limits.MAIL)
    if raw.loose:
        return "it lacks headers that the other mails of this archive have: perhaps it is text of the mail before it"
    return "a line in it looks like the start of another mail" if raw.doubts else ""


def _say_doubts(raw: RawMail, where: str) -> tuple[str, str]:
    """The place of the first line that only looks like the start of a mail of this archive, and the report on it."""
    at = raw.doubts[0]
    line = raw.data[at : at + _SHOWN].split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    more = f" (and {len(raw.doubts) - 1} more)" if len(raw.doubts) > 1 else ""
    why = f"a line that looks like the start of a mail was read as text: {line}{more}"
    return f"{where} line {raw.data.count(bytes([10]), 0, at) + 1}", why


def say_error(error: Exception) -> str:
    """Why reading a file stopped."""
    if isinstance(error, EOFError):
        return "the compressed file ends too early; fetch it again"
    said = error.strerror if isinstance(error, OSError) else ""
    return said or str(error) or type(error).__name__

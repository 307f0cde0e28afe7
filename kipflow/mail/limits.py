"""All limits on the reading of a mail, and the report on a mail that reaches one.

A hostile mail must cost no more than an honest one, so each step has a limit. The unread part could take back what was
read: so a mail that reaches a limit is marked (`Message.unread`), and in the thread of a vote it becomes a question
about its author's vote. Real mails stay far below all limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kipflow.mbox.splitting import MAX_MAIL


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit; `what` names what a mail has too much of."""

    size: int
    what: str

    def __str__(self) -> str:
        return f"more than {self.size:,} {self.what}"


MAIL = Limit(MAX_MAIL, "bytes")
HEADERS = Limit(256 * 1024, "bytes of headers")
FIELDS = Limit(1_000, "header fields")
FIELD = Limit(16 * 1024, "bytes in a header field")
SUBJECT = Limit(600, "characters of subject")
CONTENT_TYPE = Limit(4_000, "characters of Content-Type")
PARTS = Limit(200, "MIME parts")
DEPTH = Limit(30, "MIME parts within each other")
PART = Limit(2 * 1024 * 1024, "bytes in a MIME part")
MARKUP = Limit(1024 * 1024, "characters of HTML")
NODES = Limit(60_000, "HTML elements")
#: The parser stops at depth 256 and drops all that follows: a tree as deep as this may be cut off.
NESTING = Limit(250, "HTML elements within each other")
TEXT = Limit(256 * 1024, "characters of text")
LINES = Limit(6_000, "lines")
LINE = Limit(2_000, "characters in a line of the author's own")
OWN_LINES = Limit(600, "lines of the author's own")
OWN_TEXT = Limit(16_000, "characters of the author's own words")


class Gap(str):
    """Something that is never read, whatever its size."""

    __slots__ = ()


ATTACHED = Gap("it says nothing, or that its vote is attached, and its attachments are not read")
ENCODED = Gap("its text is in a transfer encoding that is not known")
UTF_7 = Gap("its text is in UTF-7, which no mail may be written in")
PICTURED = Gap("the description of a picture holds a vote: nobody typed it")
STYLED = Gap("a style may hide words of its HTML that could be a vote")
TURNED = Gap("marks that turn or strike out what is shown stand at a vote")

#: Called for each limit that a mail reaches, and each gap that it has.
Note = Callable[[Limit | Gap], None]


def ignore(reached: Limit | Gap) -> None:
    """The `Note` for text that is not from a mail."""
    del reached


class Unread:
    """Collects, during reading, why a mail was not read to its end."""

    def __init__(self, why: str = "") -> None:
        self._reasons = {why: None} if why else {}

    def __call__(self, reached: Limit | Gap) -> None:
        self._reasons[str(reached)] = None

    def forgive(self, gap: Gap) -> None:
        """Remove a gap that turned out to make no difference."""
        self._reasons.pop(str(gap), None)

    def __str__(self) -> str:
        return "; ".join(self._reasons)

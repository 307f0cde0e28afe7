"""Every bound at which the reading of a mail ends, and what is said of a mail that reaches one.

A hostile mail must cost no more than an honest one, so each step reads so much and no more. What is not read could
take back what is: a mail that reaches a bound is not read to its end (`Message.unread`), and in the thread of a vote
it is a question about its author's vote. Real mails stay far below all of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kipflow.mbox.splitting import MAX_MAIL


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound; `what` says of what a mail that reaches it has more."""

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
#: The parser reads nothing below 256 and nothing that follows: a tree as deep as this may be cut off.
NESTING = Limit(250, "HTML elements within each other")
TEXT = Limit(256 * 1024, "characters of text")
LINES = Limit(6_000, "lines")
LINE = Limit(2_000, "characters in a line of the author's own")
OWN_LINES = Limit(600, "lines of the author's own")
OWN_TEXT = Limit(16_000, "characters of the author's own words")


class Gap(str):
    """Something that is not read, however little of it there is."""

    __slots__ = ()


ATTACHED = Gap("it says nothing, or that its vote is attached, and its attachments are not read")
ENCODED = Gap("its text is in a transfer encoding that is not known")
UTF_7 = Gap("its text is in UTF-7, which no mail may be written in")
PICTURED = Gap("the description of a picture holds a vote: nobody typed it")
VEILED = Gap("a style may hide words of its HTML that could be a vote")
TURNED = Gap("marks that turn or strike out what is shown stand at a vote")

#: Called for each bound that a mail reaches, and each gap that it has.
Note = Callable[[Limit | Gap], None]


def ignore(reached: Limit | Gap) -> None:
    """For readers of text that is no mail's."""
    del reached


class Unread:
    """Why a mail was not read to its end, as reading goes on."""

    def __init__(self, why: str = "") -> None:
        self._reasons = {why: None} if why else {}

    def __call__(self, reached: Limit | Gap) -> None:
        self._reasons[str(reached)] = None

    def forgive(self, gap: Gap) -> None:
        """Take back what turned out to make no difference."""
        self._reasons.pop(str(gap), None)

    def __str__(self) -> str:
        return "; ".join(self._reasons)

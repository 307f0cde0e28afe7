"""Ballot boxes that are no plain vote: crossed in a quotation, or with words instead of a value. Always questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.content.text import plain
from kipflow.mail.quoting import OwnLine
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.findings import Finding, find
from kipflow.mail.votes.shapes import CHECKED, find_checked_words
from kipflow.mail.votes.structure import classify_lines
from kipflow.mail.votes.values import parse_value


def read_quoted_boxes(lines: Sequence[str], author: str, claimed: bool | None) -> Expression | None:
    """The question about a box that is checked in a quotation: did the author check it, or only quote it? `claimed` is
    what the mail says besides: "binding"."""
    found = classify_lines([plain(line) for line in lines], author)
    checked = [(lines[index], value) for index, (shape, value) in found.items() if shape is CHECKED]
    why = "a box is crossed in the quotation: by whom?"
    if not checked and (words := find_checked_words([plain(line) for line in lines])) is not None:
        return find("quoted-box", Standing.QUOTED, why, claimed=claimed, line=words.strip()).expression
    if len(checked) != 1:
        return None
    [(line, written)] = checked
    choice, value = parse_value(written)
    own = find_claim("", line)
    claimed = claimed if own is None else own
    asked = find("quoted-box", Standing.QUOTED, why, choice=choice, value=value, claimed=claimed, line=line.strip())
    return asked.expression


def read_box(own: Sequence[OwnLine]) -> Iterator[Finding]:
    """The question about a box of the mail's own that is crossed, and has words instead of a value."""
    if (words := find_checked_words([plain(line.text) for line in own])) is not None:
        yield find("checked-words", Standing.HINT, "a box without a value is crossed: which vote?", line=words.strip())

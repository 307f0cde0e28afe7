"""Ballot boxes that are crossed in a quotation. Always questions."""

from __future__ import annotations

from collections.abc import Sequence

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.content.text import plain
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.findings import find
from kipflow.mail.votes.shapes import CHECKED, find_checked_words
from kipflow.mail.votes.structure import classify_lines
from kipflow.mail.votes.values import parse_value

_WHY = "a box is crossed in the quotation: by whom?"


def read_quoted_boxes(lines: Sequence[str], author: str, rest: Expression | None) -> Expression | None:
    """The question about a box that is checked in a quotation: did the author check it, or only quote it? Else the
    question that the rest of the mail leaves open; what it claims ("binding") is of the box, too."""
    shown = [plain(line) for line in lines]
    found = classify_lines(shown, author)
    checked = [(lines[index], value) for index, (shape, value) in found.items() if shape is CHECKED]
    if not checked and rest is None and (words := find_checked_words(shown)) is not None:
        return find("quoted-box", Standing.QUOTED, _WHY, line=words.strip()).expression
    if len(checked) != 1:
        return rest
    [(line, written)] = checked
    choice, value = parse_value(written)
    own = find_claim("", line)
    claimed = own if own is not None or rest is None else rest.claimed_binding
    asked = find("quoted-box", Standing.QUOTED, _WHY, choice=choice, value=value, claimed=claimed, line=line.strip())
    return asked.expression

"""Splits the lines of an announcement into sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from kipflow.mail import limits

MAX_LINES, _MAX_TEXT = limits.OWN_LINES.size, limits.OWN_TEXT.size
_MAX_SENTENCES, _MAX_SENTENCE = 400, 500
_MONTH = r"\b(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])"
#: not within "6. März", "Mar. 16"
_SENTENCES = re.compile(
    rf"(?<=[.!?])(?!(?<={_MONTH}\.)\s+\d|(?<=\d\.)\s+{_MONTH})\s+(?=\S)"
    r"|(?:(?<=[:;]\))|(?<=[:;]-\)))\s+(?=(?-i:[A-Z]))"
    r"|(?<=[。！？])|\n\s*\n|\n(?=\s*[-*•+\[]|\s*\S{1,30}:|\s*(?:yes|no|abstain\w{0,4})\s+\d)",
    re.IGNORECASE,
)

_NOT_LINE_END = re.compile(r"[^\n]")


def split_sentences(lines: Sequence[str]) -> list[str]:
    parts = _SENTENCES.split("\n".join(lines[:MAX_LINES])[:_MAX_TEXT])[:_MAX_SENTENCES]
    return [" ".join(part.split())[:_MAX_SENTENCE] for part in parts if part and part.strip()]


def blank_sentences(lines: Sequence[str], drops: Callable[[str], bool]) -> list[str]:
    """The lines, with blanks in place of the sentences that `drops` takes."""
    text = "\n".join(lines)
    parts, gaps = _SENTENCES.split(text), (m.group() for m in _SENTENCES.finditer(text))
    kept = (_NOT_LINE_END.sub(" ", part) if drops(" ".join(part.split())) else part for part in parts)
    return "".join(chain(*zip_longest(kept, gaps, fillvalue=""))).split("\n")

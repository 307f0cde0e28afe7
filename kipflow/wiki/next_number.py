"""The next free number that an index states: read from its text, and located in its source to be raised."""

from __future__ import annotations

import re
from functools import lru_cache

#: What may separate words on a page: spaces, punctuation, tags.
_GAP = r"(?:\s|&nbsp;|&#160;|[:=.,|()#_-]|[\u2010-\u2015]|<[^<>]{0,200}>){1,20}"
_WORDS = r"available|free|unused|open|number|no|id|identifier|proposal|is|the|to|use|take|be|will|now|currently|at"
#: Without one of these words a number after "next" is a count ("the next 72 hours") or a proposal's key.
_STATES_NUMBER = re.compile(r"\b(?:number|no|id|identifier|is|be)\b|[:=]", re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@lru_cache(maxsize=32)
def _pattern(prefix: str) -> re.Pattern[str]:
    key = re.escape(prefix)
    return re.compile(
        rf"\bnext{_GAP}(?P<words>(?:(?:{_WORDS}|{key}s?|\w+(?={_GAP}number\b)){_GAP}){{1,8}})(?P<number>\d{{1,5}})(?![\d.]*\d)(?!\s*(?:hour|day|week))",
        re.IGNORECASE,
    )


def find_next_number(text: str, prefix: str) -> tuple[int, int] | None:
    """Start and end of the next number that the index states, in `text` (plain or storage format); None if it states
    none.

    >>> text = "The next available KIP number is KIP-124."
    >>> start, end = find_next_number(text, "KIP")
    >>> text[start:end]
    '124'
    """
    visible = _COMMENT.sub(lambda m: " " * len(m.group()), text)
    for match in _pattern(prefix).finditer(visible):
        if _STATES_NUMBER.search(TAG.sub(" ", match.group("words"))):
            return match.span("number")
    return None


def parse_next_number(text: str, prefix: str) -> int | None:
    """The next number that an index states."""
    place = find_next_number(text, prefix)
    return None if place is None else int(text[slice(*place)])

"""Marks besides tags by which a subject shows the end of a vote: "KIP-7: Names PASSED", "Results of the vote on KIP-7".

A mark is apart from the title: after a separator, in capitals, or right after the proposal's key. A title that only
contains such a word ("Report failed tasks") has no mark; one that ends with it ("Names passed", "Retry what failed")
may have one, which the mail's own text must confirm.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from kipflow.domain.facts import MailKind
from kipflow.mail.announcements.tokens import has_word, tokenize

_SEPARATOR = re.compile(r"\s[-–—]+>?\s|[:：()\[\]*|,]|-+>|[.!]+\s*$")
_VOTE_ON = re.compile(r"^(?:the\s+)?vot(?:e|ing)\s+(?:on|for|to)\b", re.IGNORECASE)
#: "Result for Foo 1.2": the result of a vote, or a title
_RESULT_OF = re.compile(r"^\W*(?:the\s+)?(?:results?|outcome|tally)\s+(?:of|for|from|on)\s+", re.IGNORECASE)
_COUNTS_BEHIND = re.compile(r"\s*(?:\([^()]*\d[^()]*\)|\bwith \d.{0,60})\W*$")
_MAX_SEGMENTS, _MAX_COUNTS = 20, 120


@dataclass(frozen=True, slots=True)
class EndMark:
    """The kind of mail that a mark shows, whether the subject alone proves it, and the title without the mark."""

    kind: MailKind
    sure: bool
    title: str


def drop_counts(title: str) -> str:
    """A subject without the counts behind its mark: "… PASSED (3 binding)", "… PASSED with 3 binding votes"."""
    start = max(0, len(title) - _MAX_COUNTS)
    bare = title[:start] + _COUNTS_BEHIND.sub("", title[start:])
    *_, last = bare[-_MAX_COUNTS:].split() or [""]
    return bare if last and _find_kind(last) is not None else title


def find_end_mark(title: str, key: re.Pattern[str]) -> EndMark | None:
    """The mark in a subject without its tags; None if there is none. `key` finds a proposal's key."""
    if not has_word(title, "mark_end", "mark_off"):
        return None
    title = drop_counts(title)
    bare = key.sub(lambda match: " " * len(match.group()), title)
    cuts = [(0, 0), *((m.start(), m.end()) for m in list(_SEPARATOR.finditer(bare))[:_MAX_SEGMENTS]), (len(bare),) * 2]
    spans = [(one[1], other[0]) for one, other in itertools.pairwise(cuts)]
    spans = [(start, end) for start, end in spans if bare[start:end].strip()]
    for start, end in spans[-1:] + spans[:1]:
        kind = _find_kind(bare[start:end])
        if kind is not None:
            kept = title[:start] if start and end == spans[-1][1] else title[end:]
            return EndMark(kind, sure=True, title=kept if kept.strip(" :()[]*,.!-–—>") else title)
    return _find_last_word(title, bare)


def _find_kind(segment: str) -> MailKind | None:
    """The kind that a part of a subject shows if all its words belong to a mark; None if it belongs to the title."""
    words = [token for token in tokenize(segment) if not token.can_be("mark")]
    if not all(word.can_be("mark_end", "mark_off", "mark_beside") for word in words):
        return None
    if any(word.can_be("mark_off") for word in words):
        return MailKind.CANCEL
    return MailKind.RESULT if any(word.can_be("mark_end") for word in words) else None


def _find_last_word(title: str, bare: str) -> EndMark | None:
    """The mark that a title begins or ends with: sure if in capitals, or if the title mentions the vote."""
    led = _RESULT_OF.match(bare)
    if led is not None:
        return EndMark(MailKind.RESULT, sure=False, title=title[led.end() :])
    match = re.search(r"(called off|[^\W_]+)\W*$", bare, re.IGNORECASE)
    kind = _find_kind(match.group(1)) if match is not None else None
    if match is None or kind is None:
        return None
    word, before = match.group(1), bare[: match.start()]
    loud = " " in word or (word.isupper() and any(c.islower() for c in before))
    return EndMark(kind, sure=loud or _VOTE_ON.match(bare.strip()) is not None, title=title[: match.start()])

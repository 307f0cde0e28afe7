"""Whether a mail calls a vote, and on what: used where a subject alone can't decide."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.facts import Kind, SubjectReading
from kipflow.domain.proposals import find_references
from kipflow.mail.votes.lexicon import fold, has

_START = (
    r"\b(?:call(?:ing)?(?: for)?|start(?:ing)?|open(?:ing)?|initiat\w+|rais(?:e|ing)|begin(?:ning)?|put\w*|"
    r"restart(?:ing)?|re-?open(?:ing)?|kick(?:ing)? off|hold(?:ing)?)\b[^.!?\n]{0,50}\b(?:re-?)?vot(?:e|ing)\b"
)
_CALL = re.compile(
    _START + r"|\bvot(?:e|ing)\b[^.!?\n]{0,40}\b(?:is|will be|will remain|remains|stays|shall be|to "
    r"remain)\b[^.!?\n]{0,12}\bopen|\bopen for (?:at least |a minimum of )?\d+|\bplease (?:cast|vote|review and vote|"
    r"test and vote|download)\b"
    r"|\bcast your vote|\[ ?\] ?[+\-]?[01]\b|\bvote (?:thread )?for\b|\b72 ?(?:h|hours|hrs)\b|\bi propose\b|\bwe "
    r"(?:solved|fixed)\b|\bstaging repo\w*|\bnext 72\b",
    re.IGNORECASE,
)


def is_call(text: str) -> bool:
    """Whether a mail's own words call for votes, rather than cast one."""
    return _CALL.search(text[:8_000]) is not None


def starts_vote(text: str) -> bool:
    """Whether a mail's own words begin a vote; "please cast your vote" reminds of one just as well."""
    return re.search(_START, text[:8_000], re.IGNORECASE) is not None


_RELEASE = re.compile(r"\brelease|\brc\W?\d|\d\.\d", re.IGNORECASE)
_VOTE_ON = re.compile(r"\bvot(?:e|es|ing)\b[^.!?]{0,80}$", re.IGNORECASE)


def is_of_release(topic: str) -> bool:
    """Whether a subject's topic is a release."""
    return _RELEASE.search(topic) is not None


def read_called_numbers(reading: SubjectReading, text: str, prefix: str) -> SubjectReading:
    """The reading of a "[VOTE]" subject without a number, with the one proposal that its body calls the vote on.

    Only "vote on KIP-7" and the like say that; where several are named so, or the subject is a release's,
    nothing is added.
    """
    if reading.kind is not Kind.VOTE or reading.numbers or reading.is_reply or reading.is_forward:
        return reading
    if is_of_release(reading.topic):
        return reading
    named: dict[int, None] = {}
    key = re.compile(rf"(?<![A-Za-z0-9]){re.escape(prefix)}\W{{0,3}}\d", re.IGNORECASE)
    said = " ".join(text[:8_000].split())
    for match in key.finditer(said):
        if _VOTE_ON.search(said[max(0, match.start() - 120) : match.start()]):
            named.update(dict.fromkeys(find_references(said[match.start() : match.start() + 30], prefix)[:1]))
    return replace(reading, numbers=tuple(named)) if len(named) == 1 else reading


def begins_anew(text: str) -> bool:
    """Whether a mail says that its vote begins anew, outright."""
    sentences = re.split(r"(?<=[.!?])\s", fold(" ".join(text.split())))
    return any(
        has("restart", s) and not any(has(name, s) for name in ("hypothetical", "condition")) and "?" not in s
        for s in sentences
    )

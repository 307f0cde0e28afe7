"""Rounds that a subject names: "take 2", "[VOTE 2]", "second vote", "KIP-7 v3"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER_WORDS = {"two": 2, "second": 2, "2nd": 2, "three": 3, "third": 3, "3rd": 3, "four": 4, "fourth": 4, "4th": 4}
_ROUND_WORD = r"(\d{1,2}|two|three|four|second|third|fourth|2nd|3rd|4th)"
_ORDINAL = r"(second|third|fourth|2nd|3rd|4th)"
_ROUND = re.compile(
    rf"[\[(\-–—,]?\s*\b(?:take|try|attempt|round|vote|v(?:ersion)?)\s*[#\-]?\s*{_ROUND_WORD}\s*[\])]?\s*$"
    rf"|[\[(]\s*(?:take|try|attempt|round|vote|v(?:ersion)?\.?|re-?vote|#)\s*[#\-]?\s*{_ROUND_WORD}\s*[\])]"
    rf"|[\[(\-–—,]?\s*\b{_ORDINAL}\s+(?:take|try|attempt|round|vote)\b\s*[\])]?",
    re.IGNORECASE,
)
_ROUND_IN_TAG = re.compile(
    rf"\b(?:take|try|attempt|round|vote|voting|v|#)\s*[#\-]?\s*{_ROUND_WORD}\b|\b{_ORDINAL}\s+(?:vote|round|try|"
    rf"attempt)\b",
    re.IGNORECASE,
)
_ROUND_AFTER_KEY = re.compile(r"^\s*[\[(]?v\.?\s?(\d{1,2})\b[\])]?", re.IGNORECASE)


def strip_round(rest: str, tags: Sequence[str], prefix: str) -> tuple[str, int | None]:
    """The round that a subject names, and the rest without it. RC numbers are part of a topic, not rounds."""
    for tag in tags:
        match = _ROUND_IN_TAG.search(tag)
        if match is not None:
            return rest, _parse_round(match)
    match = _ROUND.search(rest)
    # a "v2" at the very end may be the title's own ("Message format v2"): only brackets make it a round
    if match is not None and not (re.match(r"\s*v", match.group(0), re.IGNORECASE) and match.group(1)):
        return (rest[: match.start()] + " " + rest[match.end() :]).strip(), _parse_round(match)
    key = re.match(rf"\s*{re.escape(prefix)}\W{{0,5}}\d{{1,5}}\b", rest, re.IGNORECASE)
    start = key.end() if key is not None else 0
    after = _ROUND_AFTER_KEY.match(rest[start:])
    if after is not None and (key is not None or tags):
        return (rest[:start] + " " + rest[start + after.end() :]).strip(), int(after.group(1))
    return rest, None


def _parse_round(match: re.Match[str]) -> int | None:
    word = next((g for g in match.groups() if g), "").lower()
    return _NUMBER_WORDS.get(word) or (int(word) if word.isdigit() and int(word) > 0 else None)

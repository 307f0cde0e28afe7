"""Whether a sentence is about another proposal than its mail's subject."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from kipflow.domain.facts import SubjectReading
from kipflow.domain.proposals import find_references

#: "This one is superseded by KIP-9"
_SUCCESSOR = re.compile(
    r"\b(?:(?:supersed|replac|obsolet|subsum|cover)ed by|merged into"
    r"|(?:drop|abandon|clos|cancel|withdr)\w* .{0,30}in favou?r of) [A-Z]{2,12}-\d{1,6}",
    re.IGNORECASE,
)
_PREFIX = r"(?<![a-z0-9])([a-z]{2,12}?)s?[\W_]{0,5}0{0,4}"
_JOINED = re.compile(r"\s*(?:,|/|&|\+|and|,\s*and|as well as)\s*", re.IGNORECASE)


def names_another(sentence: str, reading: SubjectReading) -> bool:
    """Whether a sentence names a proposal that the subject does not name, and not joined to one that it names.

    A title's own mentions ("KIP-2: Extend KIP-1") are the subject's.
    """
    prefix = _find_prefix(reading.topic, reading.numbers)
    if not prefix:
        return False
    known = {*reading.numbers, *find_references(reading.topic, prefix)}
    found = find_references(drop_successor(sentence), prefix)
    return not known.issuperset(found) and not _is_joined(sentence, prefix, reading.numbers)


def begins_with_another(sentence: str, reading: SubjectReading) -> bool:
    """Whether a sentence begins with another proposal, and does not name the subject's: "Before: KIP-3 had 2 +1"."""
    prefix = _find_prefix(reading.topic, reading.numbers)
    keys = _find_keys(sentence, prefix) if prefix else []
    if not keys or any(int(key.group(1)) in reading.numbers for key in keys):
        return False
    before = sentence[: keys[0].start()].rstrip()
    return not before or before.endswith(":")


@lru_cache(maxsize=1024)
def _find_prefix(topic: str, numbers: tuple[int, ...]) -> str:
    """The letters before the proposal's number; "" if the subject names none."""
    match = re.search(rf"{_PREFIX}{numbers[0]}(?!\d)", topic, re.IGNORECASE) if numbers else None
    return match.group(1) if match is not None else ""


def _is_joined(sentence: str, prefix: str, numbers: tuple[int, ...]) -> bool:
    """Whether all proposals named are one list that contains this one: "KIP-7 and KIP-9 are accepted"."""
    keys = _find_keys(sentence, prefix)
    pairs = pairwise(keys)
    own = any(int(key.group(1)) in numbers for key in keys)
    return own and all(_JOINED.fullmatch(sentence[a.end() : b.start()]) for a, b in pairs)


def _find_keys(sentence: str, prefix: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"(?<![a-z0-9]){re.escape(prefix)}[\s_:#-]{{0,3}}(\d{{1,9}})", sentence, re.IGNORECASE))


def drop_successor(sentence: str) -> str:
    """A sentence without the proposal that takes this one's place: it is not about that one."""
    return _SUCCESSOR.sub(" ", sentence)

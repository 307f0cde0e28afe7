"""Figures in a line of an announcement: how many votes of which choice, binding or not, in words or digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kipflow.mail.announcements.tokens import join_words, load_classes

_NUMBER = rf"no|none|{join_words('number')}"
_NUM = rf"(?<![\w.+\-/])(?:\+(?=[2-9]|\d\d))?(?P<n>\d{{1,3}}|{_NUMBER})(?![\w.]\d|(?!x\s?[\"'(]?[+-])\w|%)"
CHOICE = r"[+\-]\s?1(?![\d.]\d|\d)|[+\-±]\s?0(?![\d.]\d|\d)|(?<![\w.])0(?![\w.]\d|\d)"
GROUP = r"non[-– ]{0,2}b[iy]n?d{1,2}i?n?g|\bb[iy]n?d{1,2}i?n?g"
CHOICE_GROUP, _G, _G0 = rf"(?P<c>{CHOICE})", rf"(?P<g>{GROUP})\b", rf"(?P<g0>{GROUP})\b"
VOTES = r"(?:\s*votes?\b)?"

#: "3 binding +1 votes", "2 non-binding", "no binding vetoes"
_NUM_GROUP = re.compile(
    rf"{_NUM}\s+(?:of (?:them|these|those|which|whom)\s+)?(?:(?:are|were|was|being)\s+)?\(?(?:pmc\s+)?{_G}\)?"
    rf"(?:\s*[\"'(]?{CHOICE_GROUP}[\"')]?(?:['’]?s)?)?(?:\s+(?P<veto>veto))?"
    r"(?!\)?\s*[:=]\s*\d)",
    re.IGNORECASE,
)
#: "5 +1 votes", "3 +1 (binding)", "2 x -1", but not "4-0"
_NUM_CHOICE = re.compile(
    rf"{_NUM}(?!-0)\s*(?:x\s*)?[\"'(]?{CHOICE_GROUP}[\"')]?(?:['’]?s\b)?{VOTES}(?:\s*(?<!\d)\(?{_G}\)?)?", re.IGNORECASE
)
#: "+1: 5", "+1 (binding): 3", "Binding +1 votes = 3", "+1 (3)", "+1 (binding) 3: Jun, Ola", "Binding +1 are two (…"
_CHOICE_NUM = re.compile(
    rf"(?:{_G0}\s+)?{CHOICE_GROUP}(?:['’]?s\b)?{VOTES}(?:\s*[\[(]?\s*{_G}\s*[\])]?)?{VOTES}"
    rf"\s*(?:[:=]\s*\(?|\(|-\s|[x×]|(?:is|are) (?=\w+\s*[(,.;])|(?<=[)\]] )(?=\d{{1,3}}:\s))\s*{_NUM}",
    re.IGNORECASE,
)
#: "Binding votes: 3", "non-binding = 2"
_GROUP_NUM = re.compile(rf"{_G}(?:\s*\(?{CHOICE_GROUP}\)?(?:['’]?s)?)?{VOTES}\s*[:=(]\s*{_NUM}", re.IGNORECASE)
#: "5 out of 11 binding votes are -1": the total is no count, the part is one if its choice is stated
_FRACTION = re.compile(
    rf"{_NUM}\s+(?:out\s+)?of\s+(?:the\s+|all\s+|our\s+)?(?:\d{{1,3}}|{join_words('number')})\b"
    rf"(?:[^.;:,+\-]{{0,40}}?{_G})?(?:[^.;:,+\-]{{0,40}}{CHOICE_GROUP})?",
    re.IGNORECASE,
)
#: what follows the name of a side: "12 for, …", "5 yes / 1 no"; not "2 yes/no questions"
_SIDE_ENDS = r"\s*(?:[,;.)]|/ ?\d|$|votes?\b|and (?:\d|no\b)|\((?-i:[^\W\da-z]))"
#: "12 votes in favour", "none against", "12 for, 1 against, 2 abstained", "3 yes votes, 2 no votes"
_NUM_SIDE = re.compile(
    rf"{_NUM}\s+(?:{_G}\s+)?(?:votes?\s+)?(?:(?:were|are|was|is|voted)\s+)?"
    rf"(?:in favou?r\b|(?:for|yes|ayes?)(?={_SIDE_ENDS})"
    rf"|(?P<against>against\b|(?:no|noes|nays?|opposed)(?={_SIDE_ENDS}))"
    r"|(?P<zero>abst[ae]\w+))",
    re.IGNORECASE,
)
#: "two binding votes in favour and three against": the second number is of binding votes, too
_SHARES = re.compile(
    rf"(?<!\w){_NUM.replace('<n>', '<m>')} {_G} votes? (?:in favou?r|for|against) and \w+ (?:for|against)$", re.I
)
#: "binding: +1 x 4, -1 x 1": the group of all counts of its line
_GROUP_FIRST = re.compile(rf"^\W*{_G}(?:\s+votes?)?\s*[:=]", re.IGNORECASE)
#: "The vote failed: binding 1 x +1, 3 x -1. Non-binding 1 x -1": the same within a line
_GROUP_WITHIN = re.compile(rf"(?:^|[.;:,]\s+){_G}(?:\s+votes?)?:?\s+(?:\d[^.;:]*)?$", re.IGNORECASE)
#: "0: Kevin, Yuki (2 binding)", "-1: 2 binding, 1 non-binding": the choice of the counts of its line
_CHOICE_FIRST = re.compile(
    rf"\s*(?:[-*•]\s+)?{CHOICE_GROUP}(?:\s*\((?:{GROUP})\))?\s*:\s*(?:[^\W\d]|\d{{1,3}} \(?(?:{GROUP}))", re.IGNORECASE
)
#: "9 total", "9 in all"
_NUM_TOTAL = re.compile(rf"{_NUM}\s+(?:in\s+)?(?:total|all|overall)\b", re.IGNORECASE)
#: All patterns above need a number.
_ANY_NUMBER = re.compile(_NUM, re.IGNORECASE)
_PATTERNS = (_FRACTION, _NUM_TOTAL, _NUM_SIDE, _NUM_GROUP, _CHOICE_NUM, _GROUP_NUM, _NUM_CHOICE)
# "we did not reach three binding votes", "at least 3 binding +1": numbers that were not cast
_NOT_CAST = re.compile(
    rf"\b(?:(?:not|never|n['’]t)(?: \w+)? (?:{join_words('gathers')})\w*|{join_words('short_of')})"
    r"\s+(?:(?:the|its|our|another|a) ){0,2}$",
    re.IGNORECASE,
)
#: "0 (binding): Rin Okada", "0 binding: Rin" list abstentions
_HEADS_NAMES = re.compile(
    rf"0\s*\(?(?:{GROUP})\)?\s*(?:[:–—-]|from\b|by\b)\s*(?!(?:none|nobody)\b)[^\W\d]", re.IGNORECASE
)
# "one binding vote is missing"
_MISSING = re.compile(
    r"[ \w]{0,12} (?:is|are|was|were) (?:\w+ )?(?:missing|lacking|needed|required|short)\b", re.IGNORECASE
)
NEXT_NUMBER = re.compile(rf",?\s*(?:and\s+)?(?:[+-]?\d|\b(?:{_NUMBER})\b\s+(?:\+|-|non|bind|vote))", re.IGNORECASE)
#: Limits for one line: more than this is no announcement and only costs time.
_MAX_LINE, _MAX_COUNTS = 1_000, 40
#: The number of a fraction without a choice, which is dropped.
_WITHOUT_CHOICE = -1


@dataclass(frozen=True, slots=True)
class Count:
    """A count at a place in its line; the group is "binding", "non-binding" or "in all"."""

    start: int
    end: int
    group: str
    choice: str
    number: int


def find_counts(line: str) -> list[Count]:
    """The counts in one line, left to right; one without a choice takes that of its left neighbour."""
    found: list[Count] = []
    looked_at = line[:_MAX_LINE]
    for pattern in _PATTERNS if _ANY_NUMBER.search(looked_at) is not None else ():
        for match in pattern.finditer(looked_at):
            if len(found) < _MAX_COUNTS and _is_cast(line, match, found):
                found.append(_read_count(line, match))
    counts: list[Count] = []
    first = _CHOICE_FIRST.match(line)
    last, before = parse_choice(first["c"] if first is not None else None) or "+1", 0
    for count in sorted((count for count in found if count.number != _WITHOUT_CHOICE), key=lambda count: count.start):
        # a new sentence without a choice means +1 again
        last = count.choice or ("+1" if ". " in line[before : count.start] else last)
        shares = (
            bool(counts) and line[before : count.start] == " and " and _SHARES.search(line[: count.end]) is not None
        )
        before = count.end
        counts.append(replace(count, choice=last, group=counts[-1].group if shares else count.group))
    return counts


def _is_cast(line: str, match: re.Match[str], found: Sequence[Count]) -> bool:
    """Whether a figure counts cast votes and is not part of another figure."""
    if any(count.start < match.end() and match.start() < count.end for count in found):
        return False
    if match.re is _NUM_GROUP and match["n"] == "0" and _HEADS_NAMES.match(line, match.start()):
        return False
    if _NOT_CAST.search(line[max(0, match.start() - 60) : match.start()]) or _MISSING.match(line, match.end()):
        return False
    return match.re is not _NUM_GROUP or bool(match.group("c") or match.group("veto")) or _talks_of_votes(line, match)


def _read_count(line: str, match: re.Match[str]) -> Count:
    groups, first = match.groupdict(), _GROUP_FIRST.match(line)
    side = "-1" if groups.get("veto") or groups.get("against") else "0" if groups.get("zero") else ""
    side = side or ("+1" if match.re is _NUM_SIDE else "")  # "1 abstained, 3 in favour"
    choice = side or parse_choice(groups.get("c")) or ""
    within = first or _GROUP_WITHIN.search(line[max(0, match.start() - 80) : match.start()])
    group = parse_group(groups.get("g") or groups.get("g0") or (within.group("g") if within else None))
    number = _WITHOUT_CHOICE if match.re is _FRACTION and not choice else _parse_number(groups["n"])
    return Count(match.start(), match.end(), group, choice, number)


def _talks_of_votes(line: str, match: re.Match[str]) -> bool:
    """ "5 binding" counts beside votes or in brackets, not in "two binding constraints"."""
    if match.group("g").lower().startswith("non"):
        return True
    rest = line[match.end() : match.end() + 30]
    return re.match(r"\s*(?:[),;.:(-]|$|votes?\b|\+1|and\b|ones?\b|from\b|total\b)", rest, re.IGNORECASE) is not None


def _parse_number(text: str) -> int:
    words = load_classes("patterns.toml")["number"]
    return int(text) if text.isdigit() else words.index(text.lower()) if text.lower() in words else 0


def parse_group(text: str | None) -> str:
    """The group that a word names, however misspelt: "binding", "non-binding"; "in all" if it names none."""
    if not text:
        return "in all"
    return "non-binding" if text.lower().startswith("non") else "binding"


def parse_choice(text: str | None) -> str | None:
    """ "+ 1" as "+1", every zero as "0"; None if there is none."""
    if not text:
        return None
    bare = "".join(text.split())
    return "0" if bare.strip("+-±") == "0" else bare


def find_group(text: str) -> str | None:
    """The first word in a text that says whether votes bind; None if there is none."""
    match = re.search(_G, text, re.IGNORECASE)
    return match.group("g") if match is not None else None

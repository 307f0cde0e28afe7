"""Lines that only show what may be voted or what others voted: ballot templates, legends, summaries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from kipflow.domain.roster import fold_name
from kipflow.mail.announcements.names import COMMON_WORDS, find_names, is_own, names_someone
from kipflow.mail.votes.boxes import VALUE_IN_BOX, Box, find_box
from kipflow.mail.votes.runs import (
    FIRST_PERSON,
    LeadingValue,
    find_leading_values,
    find_runs,
    name_versions,
    votes_on_parts,
)
from kipflow.mail.votes.technical import AFTER as TECHNICAL_AFTER
from kipflow.mail.votes.values import find_values


class Part(StrEnum):
    """What a line with a written vote at its start is, where it isn't simply a vote."""

    EMPTY_BOX = "empty-box"
    CHECKED_BOX = "checked-box"
    LEGEND = "legend"
    SUMMARY = "summary"
    STATUS_LINE = "status-line"
    OTHER_NAME = "other-name"
    CITED = "cited"
    LISTED_WORD = "listed-word"
    SEVERAL_BOXES = "several-boxes"
    ON_PARTS = "on-parts"
    OUTPUT = "output"


_BOXES = {
    Box.CHECKED: Part.CHECKED_BOX,
    Box.EMPTY: Part.EMPTY_BOX,
    Box.TEMPLATE: Part.LEGEND,
    Box.SEVERAL: Part.SEVERAL_BOXES,
}
_HEADING = re.compile(
    r"(?:\b(?:binding|non-?binding|votes?|tally|result|results|summary|in favou?r|against|abstain\w*|pmc|ipmc|ppmc|"
    r"community|committers?|so far|"
    r"options?|vote as follows|please (?:vote|reply|respond)[^.]{0,60}|following)\b[^:]{0,40}[:：]|"
    r"^[+\-±]?\s?[01](?:\s*votes?)?\s*[:：]?)\s*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^\s*(?:\(?\s*(?:non-?)?binding\s*\)?\s*)?(?:votes?\s*)?[:=]?\s*(?:\(?\d{1,3}\b(?![.\d%])|none\b|"
    r"(?<=[:=])\s*no\s*$|"
    r"zero\b|nobody\b|n/a\b)",
    re.IGNORECASE,
)
_LIST_HEAD = re.compile(
    r"^\s*(?:\(?\s*(?:non-?)?binding\s*\)?\s*)?(?:votes?\s*)?(?:\(\d{1,3}[^)]{0,30}\)\s*)?[:：]\s*$", re.IGNORECASE
)
_CLAIM_COLON = re.compile(r"^\s*\(?\s*(?:non-?)?binding\s*\)?\s*(?:votes?\s*)?[:：]\s*(?P<rest>\S.*)$", re.IGNORECASE)
_PROPOSAL_KEY = re.compile(r"\b[A-Za-z]{2,8}-\d{1,5}\b")
_BARE_VOTE = re.compile(
    r"^[\s.!,)]*$|^\s*\(?\s*(?:non|not|bind|bid|pmc|nb\b|b\b)|^\s*(?:,\s*)?(?:from me|for me|from my side)\b",
    re.IGNORECASE,
)
_HANDLE = r"[a-z][\w.-]{1,24}"
_STATUS_ONE = re.compile(
    rf"^\s?[:：]\s*(?P<name>{_HANDLE}|[A-Z][\w-]{{1,24}})(?P<rest>\s*$|\s*[:(\[,-].*$|\s+(?:until|on|if|\[|PG:).*$)"
)
_STATUS_MANY = re.compile(
    rf"^\s?[:：]\s*{_HANDLE}(?:\s*[(\[][^()\[\]]{{0,200}}[)\]])?(?:\s*,\s*{_HANDLE}(?:\s*[(\[][^()\[\]]{{0,200}}[)\]])"
    rf"?){{1,12}}\s*$"
)

# "Mara Lind: +1 (binding)", "Jun Okafor +1"
_NAMED_VALUE = re.compile(
    r"^\s*(?:[-*•]\s+|"
    r"\d{1,2}[.)]\s+)?[\[<]?(?P<name>[^\W\d][\w.'’-]*(?:\s+[^\W\d][\w.'’-]*){0,3})[\]>]?\s*(?:\([^()]{0,30}\)\s*)"
    r"?[:=–-]?\s*"
    r"\(?(?P<value>[+\-±]\s?[01])(?![\w.]\d)"
)


def classify_lines(lines: Sequence[str], author: str) -> dict[int, tuple[Part, str]]:
    """Which lines (made plain) are no simple votes: index → what it is and the value it shows."""
    parts: dict[int, tuple[Part, str]] = {}
    for index, line in enumerate(lines):
        box = find_box(line) if len(line) < 400 and ("1" in line or "0" in line) else None
        if box is not None:
            parts[index] = (_BOXES[box[0]], box[1])
    parts.update(_find_boxed_names(lines, parts, author))
    leading = [v for v in find_leading_values(lines) if v.index not in parts]
    if parts:
        # a template whose boxes were half removed is a template still
        for v in leading:
            if _is_near(v.index, parts, lines) and not _is_cast_below(v, parts, lines):
                parts[v.index] = (Part.LEGEND, v.value)
        leading = [v for v in leading if v.index not in parts]
    for run in find_runs(leading, lines):
        if len(run) > 1 and all(_names_voters(v.after, author) for v in run):
            parts.update({v.index: (Part.SUMMARY, v.value) for v in run})
            continue
        if all(_PROPOSAL_KEY.search(v.after) for v in run) or name_versions(run):
            continue  # a vote on each of several proposals or releases
        if len(run) > 1 and len({v.value.strip("+-") + v.value[0] for v in run}) > 1:
            kind = Part.ON_PARTS if votes_on_parts(run, lines) else Part.LEGEND
            parts.update({v.index: (kind, v.value) for v in run})
        elif len(run) > 1 and sum(names_someone(v.after) for v in run) > 1:
            # "+1 jun / +1 mara" lists handles, "+1 core / +1 plugin" what is voted on: a person can tell
            kind = Part.LISTED_WORD if all(_LOWER_WORD.match(v.after) for v in run) else Part.SUMMARY
            parts.update({v.index: (kind, v.value) for v in run})
    parts.update(_find_named_values(lines, parts))
    for v in leading:
        if v.index not in parts:
            part = _classify_single(v, lines, author)
            if part is not None:
                parts[v.index] = (part, v.value)
    return parts


def _find_boxed_names(
    lines: Sequence[str], parts: dict[int, tuple[Part, str]], author: str
) -> dict[int, tuple[Part, str]]:
    """Lines "[+1] Mara Lind" of a list of voters, where another's name stands behind the box."""
    named = {}
    for index, (part, value) in parts.items():
        inside = VALUE_IN_BOX.match(lines[index]) if part is Part.CHECKED_BOX else None
        rest = lines[index][inside.end() :] if inside is not None else ""
        names = find_names(rest)
        if names and not is_own(rest, author):
            named[index] = (Part.SUMMARY, value)
    alone = len(named) == 1 and all(len(lines[i].split("]")[1].split()) < 2 for i in named)
    return {} if alone else named


def _find_named_values(lines: Sequence[str], parts: dict[int, tuple[Part, str]]) -> dict[int, tuple[Part, str]]:
    """Lines of a list of voters: two or more that each put a name before a vote."""
    named: dict[int, tuple[Part, str]] = {}
    for index, line in enumerate(lines):
        match = _NAMED_VALUE.match(line) if "1" in line and index not in parts and len(line) < 120 else None
        if match is None or _PROPOSAL_KEY.search(match.group("name")):
            continue  # "KIP-7: +1" is a vote on KIP-7, not one of somebody called so
        if not any(fold_name(w) in COMMON_WORDS for w in match.group("name").split()):
            named[index] = (Part.SUMMARY, match.group("value"))
    return named if len(named) > 1 else {}


def _is_cast_below(v: LeadingValue, parts: dict[int, tuple[Part, str]], lines: Sequence[str]) -> bool:
    """Whether a vote stands below an untouched template, apart from it: "[ ] -1", a blank line, "+1 (binding)"."""
    return v.index > max(parts) and not lines[v.index - 1].strip() and _BARE_VOTE.match(v.after) is not None


def _is_near(index: int, parts: dict[int, tuple[Part, str]], lines: Sequence[str]) -> bool:
    for step in (-1, 1):
        other = index + step
        while 0 <= other < len(lines) and not lines[other].strip():
            other += step
        if other in parts and parts[other][0] in {Part.EMPTY_BOX, Part.CHECKED_BOX, Part.LEGEND}:
            return True
    return False


_LOWER_WORD = re.compile(r"^\s*(?:the |for )?[a-z][a-z-]{2,20}\s*$")


# "$ echo $?" right above a number
_PROMPT = re.compile(r"^\s*(?:\$|>>>|scala>|mysql>|sql>|[\w.-]{1,30}@[\w.:~-]{1,40}[$#%])\s+\S")
# "Jun said:" right above a vote
_SOMEBODY_SAID = re.compile(
    r"^\s*[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,3}\s+(?:said|says|wrote|writes|voted|replied|answered)\s*:\s*$",
)


# "share.coordinator:" right above a bare number
_SETTING = re.compile(r"^\s*[A-Za-z]\w*(?:[._-]\w+){1,8}\s*[:=]\s*$")


def _names_voters(after: str, author: str) -> bool:
    """Whether others' names stand behind a value and what binds: "+1 binding: Mara, Jun"."""
    claim = _CLAIM_COLON.match(after)
    return claim is not None and bool(find_names(claim.group("rest"))) and not is_own(claim.group("rest"), author)


def _classify_single(v: LeadingValue, lines: Sequence[str], author: str) -> Part | None:
    after = v.after
    if v.index and (_PROMPT.match(lines[v.index - 1]) or (not after.strip() and _SETTING.match(lines[v.index - 1]))):
        return Part.OUTPUT
    if v.index and _SOMEBODY_SAID.match(lines[v.index - 1]) and not FIRST_PERSON.search(lines[v.index - 1]):
        return Part.CITED
    heading = _find_heading(lines, v.index)
    if heading is not None and not FIRST_PERSON.search(heading) and names_someone(after) and not is_own(after, author):
        return Part.SUMMARY
    if _COUNTED.match(after) and not re.match(r"\s+\d", after):
        return Part.SUMMARY
    if _LIST_HEAD.match(after) and _has_list_below(lines, v.index):
        return Part.SUMMARY
    if _names_voters(after, author):
        return Part.SUMMARY
    colon = re.match(r"^\s?[:：]\s*(?P<rest>\S.*)$", after)
    if colon is not None:
        return _classify_colon(after, colon.group("rest"), author)
    names = [] if re.match(r"^\s*(?:\([^()]*\))?\s*[,.!;]", after) or not after.isascii() else find_names(after)
    if names and (len(names) > 1 or len(names[0].split()) > 1) and not is_own(after, author):
        return Part.OTHER_NAME
    if re.match(r"^\s*[-–]?\s*(?:non-?binding|binding)\s*$", after, re.IGNORECASE) and _has_list_below(
        lines, v.index, items_only=True
    ):
        return Part.SUMMARY
    return None


def _classify_colon(after: str, rest: str, author: str) -> Part | None:
    """ "-1: jim: too early" is a vote with its voter's handle; "+1: Mara Lind, Jun Okafor" a summary."""
    names = find_names(rest)
    if is_own(rest, author) or TECHNICAL_AFTER.match(after):
        return None  # "-1: unlimited" tells what a number means
    if any(find_names(part) for part in re.split(r"[;.]|\band\b", rest)[:1]) and find_values(rest):
        return Part.SUMMARY  # "+1: Mara, Jun; -1: Nils"
    if len(names) > 1 or (names and len(names[0].split()) > 1):
        return Part.SUMMARY
    if _STATUS_MANY.match(after):
        return Part.STATUS_LINE if re.search(r"[(\[]", after) else Part.SUMMARY
    one = _STATUS_ONE.match(after)
    if one is not None and fold_name(one.group("name")) not in COMMON_WORDS:
        return Part.STATUS_LINE
    return None


def _find_heading(lines: Sequence[str], index: int) -> str | None:
    """The heading of the list that line `index` stands in, if it stands in one."""
    for above in range(index - 1, max(-1, index - 25), -1):
        line = lines[above].strip()
        if not line:
            continue
        if _HEADING.search(line) and len(line) < 160:
            return line
        values = find_values(line)
        if not (values and values[0].start() <= 3):
            return None
    return None


def _has_list_below(lines: Sequence[str], index: int, *, items_only: bool = False) -> bool:
    """Whether the next written line is an item of a list, or (not `items_only`) a name."""
    for below in lines[index + 1 : index + 4]:
        if below.strip():
            item = re.match(r"^\s*(?:[-*•·]|\d{1,2}[.)])\s+\S", below)
            return item is not None or (not items_only and bool(find_names(below)))
    return False

"""Lines that mean something together: ballot boxes, legends of what may be voted, lists of voters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from kipflow.domain.people import fold_name
from kipflow.mail.announcements.names import COMMON_WORDS, find_names, is_own, names_someone
from kipflow.mail.votes import shapes
from kipflow.mail.votes.claims import find_claim, skip_claim
from kipflow.mail.votes.lexicon import begins, fold, has, leaves_only
from kipflow.mail.votes.shapes import Shape, Shapes, find_boxes
from kipflow.mail.votes.technical import find_code_lines, is_technical
from kipflow.mail.votes.values import find_values, skip_bullet

_SHOWS_HOW = re.compile(r"\b(?:example|copy this|filled|template)\b.*:\s*$|\blook(?:s|ing)? like:?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Leading:
    """A line that starts with a written vote: `after` is what follows the value; `is_boxed` is "[+1] approve"."""

    index: int
    value: str
    after: str
    is_boxed: bool


# a zero in a list of choices; alone on its line it may be a vote like any other
_LISTED_ZERO = re.compile(
    r"^(?:\s*[-*•]\s+|\s*[a-e1-5][.)]\s{1,3})?\W{0,2}(?P<value>0)(?:[\])>]|\s*[:=–-]\s|\s+[A-Za-z(]|\s*$)"
)
# "[+1] approve", "a. +1 approve", "<-1> no", "1) +1 yes"
_NUMBERED = re.compile(r"^\s*(?:[a-e1-5][.)]\s{1,3})?[\[(<]?\s?(?=[+\-±]\s?[01])", re.IGNORECASE)
_KEY = re.compile(r"\b[A-Za-z]{2,8}-\d{1,5}\b")
_VERSION = re.compile(r"^[^.\d]{0,24}(\d{1,4}\.\d{1,4}(?:\.\w{1,8})*)")
#: after a value that a legend explains: "+1: never"
_MEANS_SIGNS = (":", "=", "–", "-")
#: a legend shows this many values, or words after each
_FULL = 3
_IS_ALONE = re.compile(r"\s*(?:$|[.,;!])")
_BARE = re.compile(r"^[\s.!,)]*$|^\s*\(?\s*(?:non|not|bind|bid|pmc|nb\b|b\b)|^\s*(?:,\s*)?(?:from|for) m[ey]\b", re.I)
_CLAIM_COLON = re.compile(r"^\s*\(?\s*(?:non-?)?binding\s*\)?\s*(?:votes?\s*)?[:：]\s*(?P<rest>\S.*)$", re.IGNORECASE)
_LOWER_WORD = re.compile(r"^\s*(?:the |for )?[a-z][a-z-]{2,20}\s*$")
# "+1 (for) the sources"; "+1 votes: 3" counts
_SAYS_WHAT = re.compile(
    r"^\s*(?:\([^()]{0,20}\)\s*)?(?:(?!votes?\b)[a-z]|\(?(?:non[- ]?)?binding\b(?!\W*:))", re.IGNORECASE
)
_NUMBER = re.compile(r"^\s*\(?[a-e1-5][.)]")
_ENUMERATED = re.compile(r"\s*\(?\d{1,2}[.)]\s")
_LETTER = re.compile(r"^\s*\(?[A-Ea-e][.)]")
#: "+1 if you like it", above "-1 if not"
_INVITES = re.compile(
    r"^\W*if you(?:['’]re| are)? (?:think|like|agree|want|feel|support|ok|okay|fine|happy|for|in favou?r|approve)\b",
    re.I,
)
# "Mara Lind: +1 (binding)", "Jun Okafor +1"
_NAMED_VALUE = re.compile(
    r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?[\[<]?(?P<name>[^\W\d][\w.'’-]*(?:\s+[^\W\d][\w.'’-]*){0,3})[\]>]?\s*"
    r"(?:\([^()]{0,30}\)\s*)?[:=–-]?\s*\(?(?P<value>[+\-±]\s?[01])(?![\w.]\d)"
)


def classify_lines(lines: Sequence[str], author: str, apart: Collection[int] = ()) -> Shapes:
    """Which lines (made plain) are part of a group: index → its role and its value; `apart` are the lines below a
    quote, which belong to no other lines."""
    found: Shapes = dict.fromkeys(find_code_lines(lines), (shapes.PATCH, "+1"))
    found |= find_boxes(lines)
    leading = [v for v in find_leading(lines) if v.index not in found]
    boxes = {index: shown for index, shown in found.items() if shown[0] is not shapes.PATCH}
    if boxes and _SHOWS_HOW.search(next((x for x in reversed(lines[: min(boxes)]) if x.strip()), "")):
        found |= {i: (shapes.SHOWN, value) for i, (shape, value) in boxes.items() if shape is shapes.CHECKED}
    if boxes:
        for v in leading:
            if _belongs_to_boxes(v, boxes, lines):
                found[v.index] = (_find_shape_beside(v, boxes), v.value)
                boxes |= {v.index: found[v.index]} if found[v.index][0] is shapes.LEGEND else {}  # and what is below it
    found.update({v.index: (shapes.NUMBERS, v.value) for v in leading if _is_among_numbers(v, lines)})
    answers = [v for v in leading if v.index in apart and v.index not in found]
    if len({v.value for v in answers}) > 1:
        found.update({v.index: (shapes.ON_PARTS, v.value) for v in answers})
    found.update(_find_points([v for v in leading if v.index not in found], lines))
    for run in _find_runs([v for v in leading if v.index not in found], lines, apart):
        shape = _classify_run(run, lines, author)
        if shape is not None:
            found.update({v.index: (shape, v.value) for v in run})
    found.update(_find_named_values(lines, found))
    if [shape for shape, _ in found.values()] == [shapes.EMPTY]:
        found = {index: (shapes.LAST_BOX, value) for index, (_, value) in found.items()}
    return found


def find_leading(lines: Sequence[str]) -> Iterator[Leading]:
    """Lines (made plain) that begin with a written vote."""
    for index, line in enumerate(lines):
        if "0" not in line and "1" not in line:
            continue
        zero = _LISTED_ZERO.match(line)
        numbered = _NUMBERED.match(line)
        start = numbered.end() if numbered is not None else skip_bullet(line)
        values = [zero] if zero is not None else find_values(line)[:1]
        after = line[values[0].end("value") :] if values else ""
        counts = bool(values) and " " in values[0]["value"] and re.match(r"\s+[a-z]", after)  # "- 1 typo"
        if not values or counts or (zero is None and values[0].start() > start):
            continue
        if zero is not None or not is_technical("", after):
            value = "".join(values[0]["value"].split())
            yield Leading(index, value, after.lstrip(")]>"), line.lstrip(" -*•").startswith("["))


#: "-2  earliest"
_OTHER_NUMBER = re.compile(r"^\s*(?:[-*•]\s+)?[+\-](?:[2-9]|\d\d)(?!\w)")
#: the rest of a telephone number
_PHONE = re.compile(r"^\s*\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}\b")


def _is_among_numbers(v: Leading, lines: Sequence[str]) -> bool:
    """Whether the line above or below begins with a number that is no vote: "-1 latest / -2 earliest"."""
    if not v.after.strip() and _PHONE.match("".join(lines[v.index + 1 : v.index + 2])):
        return True
    beside = lines[max(0, v.index - 1) : v.index + 2]
    return _BARE.match(v.after) is None and any(_OTHER_NUMBER.match(x) or _begins_with_a_number(x) for x in beside)


def _begins_with_a_number(line: str) -> bool:
    """Whether a line begins with something that only looks like a vote: "-1 (unknown) returned"."""
    values = find_values(line)[:1]
    return bool(values) and not line[: values[0].start()].strip() and is_technical("", line[values[0].end("value") :])


def _find_shape_beside(v: Leading, boxes: Shapes) -> Shape:
    """The role of a value next to boxes, or below a legend in one line and apart from it: perhaps its caller's vote."""
    if v.is_boxed:
        return shapes.CHECKED
    is_listed = {v.index - 1, v.index + 1} & boxes.keys() or {shape for shape, _ in boxes.values()} != {shapes.LEGEND}
    return shapes.LEGEND if is_listed else shapes.BELOW_LEGEND


def _belongs_to_boxes(v: Leading, boxes: Shapes, lines: Sequence[str]) -> bool:
    """Whether a value is left over from a template with some boxes removed: next to a box, not a bare vote apart."""
    for step in (-1, 1):
        other = v.index + step
        while 0 <= other < len(lines) and not lines[other].strip():
            other += step
        if other in boxes:
            return other == v.index + step or _BARE.match(v.after) is None
    return False


def _find_points(leading: Sequence[Leading], lines: Sequence[str]) -> Shapes:
    """Values without a claim to bind in a numbered list: "1) +1" beside "2) I'd rather keep it"."""
    items = {index for index, line in enumerate(lines) if _ENUMERATED.match(line)}
    points = [v for v in leading if v.index in items and find_claim("", v.after) is None]
    return {v.index: (shapes.ON_PARTS, v.value) for v in points} if len(items) > 1 else {}


def _find_runs(leading: Sequence[Leading], lines: Sequence[str], apart: Collection[int]) -> list[list[Leading]]:
    """Leading values with nothing but blank lines (or the rest of a line, or one short line) between them; not what is
    said to be the writer's own: "+1 (binding) from me" below a list."""
    runs: list[list[Leading]] = []
    for value in leading:
        if begins("from_me", fold(skip_claim(value.after)).strip()):
            continue
        if runs and value.index not in apart:
            last = runs[-1][-1]
            above = lines[last.index + 1 : value.index]
            between = [line for line in above if line.strip() and not _is_rest(above, last)]
            # "+1 (binding)" set apart above or below a list of limits
            is_apart = bool(above) and (find_claim("", value.after) is None) != (find_claim("", last.after) is None)
            if not is_apart and (not between or (len(between) == 1 and len(runs[-1]) > 1 and len(between[0]) < 90)):
                runs[-1].append(value)
                continue
        runs.append([value])
    return [run for run in runs if len(run) > 1]


def _is_rest(lines: Sequence[str], value: Leading) -> bool:
    """Whether the text below a value of a legend is one line, the rest of the value's own line."""
    return len(lines) == 1 and lines[0].lstrip()[:1].islower() and value.after.lstrip()[:1] in _MEANS_SIGNS


def _classify_run(run: Sequence[Leading], lines: Sequence[str], author: str) -> Shape | None:
    versions = {match[1] for v in run if (match := _VERSION.match(v.after)) is not None}
    if all(_KEY.search(v.after) for v in run) or len(versions) == len(run):
        return None  # a vote on each of several proposals or releases
    if all(_names_voters(v.after, author) for v in run):
        return shapes.SUMMARY
    above = fold(next((x for x in reversed(lines[: run[0].index]) if x.strip()), ""))
    if has("reports", above) and all(names_someone(v.after) for v in run):
        return shapes.SUMMARY  # "So far:"
    if len({v.value.strip("+-") + v.value[0] for v in run}) > 1:
        if _INVITES.match(run[0].after) is not None:
            return shapes.LEGEND
        is_vote = _holds_vote(run) and not (has("explains", above) or above.endswith(":"))
        return shapes.ON_PARTS if is_vote or _votes_on_parts(run, lines, above) else shapes.LEGEND
    if all(_LETTER.match(lines[v.index]) for v in run):
        return shapes.ON_PARTS  # "A) +1", "B) +1"
    if sum(names_someone(v.after) for v in run) > 1:
        # "+1 jun / +1 mara" lists handles, "+1 core / +1 plugin" what is voted on: a person decides
        return shapes.LISTED if all(_LOWER_WORD.match(v.after) for v in run) else shapes.SUMMARY
    return None


def _holds_vote(run: Sequence[Leading]) -> bool:
    """Whether two values are too few and one too bare for a legend: "-1", and below it "+1 once it is fixed."."""
    return len({v.value for v in run}) < _FULL and any(_IS_ALONE.match(v.after) for v in run)


def _names_voters(after: str, author: str) -> bool:
    """Whether others' names follow a value and its claim to bind: "+1 binding: Mara, Jun"."""
    claim = _CLAIM_COLON.match(after)
    return claim is not None and bool(find_names(claim["rest"])) and not is_own(claim["rest"], author)


def _votes_on_parts(run: Sequence[Leading], lines: Sequence[str], above: str) -> bool:
    """Whether differing values each say what they are for, or are numbered: "+1 for the sources / -1 for the images".

    "+1 approve / -1 disapprove", or any list below "Please vote:", says how to vote.
    """
    for v in run:
        goes_on = _SAYS_WHAT.match(v.after) is not None or _NUMBER.match(lines[v.index]) is not None
        if not goes_on or has("choosing", " ".join(fold(v.after).split()[:3])):
            return False
    return not has("explains", above) or has("first_person", above)


def _find_named_values(lines: Sequence[str], found: Shapes) -> Shapes:
    """Lines of a list of voters: two or more that each put a name before a vote, or what it is on."""
    named, are_names = Shapes(), False
    for index, line in enumerate(lines):
        match = _NAMED_VALUE.match(line) if "1" in line and index not in found and len(line) < 120 else None
        if match is None or _KEY.search(match["name"]):
            continue  # "KIP-7: +1" is a vote on KIP-7, not one of somebody called so
        if " " in match["name"] and not (match["name"].islower() or find_names(match["name"])):
            continue  # "Por si sirve: +1"
        words = [word for word in match["name"].split() if len(word) > 1 or " " not in match["name"]]
        is_mine = begins("from_me", fold(skip_claim(line[match.end() :])).strip()) or not leaves_only(
            ("sums_up", "whole", "my_vote", "own"), fold(match["name"])
        )
        if not is_mine and not any(fold_name(word) in COMMON_WORDS for word in words):
            is_part = match["name"].islower() and "<" not in line and not has("measure", match["name"])
            named[index] = (shapes.LISTED if is_part else shapes.SUMMARY, match["value"])
            are_names = are_names or " " in match["name"] or "<" in line or has("measure", fold(match["name"]))
    if len({value[0] for _, value in named.values()}) > 1 and not are_names:
        return dict.fromkeys(named, (shapes.ON_PARTS, "+1"))  # "Syntax: +1", "Packaging: -1": people, or parts of it?
    return named if len(named) > 1 else {}

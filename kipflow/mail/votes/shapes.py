"""The role of a line in a list, legend or ballot, and the ballot boxes that it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Shape:
    """The role of a line among several, and what the value in it means."""

    name: str
    verdict: Verdict
    why: str


CHECKED = Shape("checked-box", Verdict.CAST, "")
EMPTY = Shape("empty-box", Verdict.IGNORE, "shows what may be voted")
LEGEND = Shape("legend", Verdict.IGNORE, "shows what may be voted")
NUMBERS = Shape("list-of-numbers", Verdict.IGNORE, "a list of numbers")
PATCH = Shape("patch", Verdict.IGNORE, "a line of a patch")
SUMMARY = Shape("summary", Verdict.IGNORE, "shows what others voted")
SEVERAL = Shape("several-boxes", Verdict.ASK, "more than one box is checked: which is the vote?")
LAST_BOX = Shape("single-empty-box", Verdict.ASK, "one box of the template is left, without a mark")
SHOWN = Shape("shown-box", Verdict.ASK, "a box checked as an example, or as a vote?")
LISTED = Shape("listed-words", Verdict.ASK, "votes on several parts, or a list of voters by their handles?")
BELOW_LEGEND = Shape("below-legend", Verdict.ASK, "shows what may be voted, or votes?")
ON_PARTS = Shape("two-votes", Verdict.ASK, "different values for different things: what is the vote?")

Shapes = dict[int, tuple[Shape, str]]

_SIGN = r"(?P<value>[+\-±]?\s?[01](?:\.\d)?)(?![\w.]\w)"
_MARK = r"(?:\[(?P<mark>[^\[\]]{0,5})\]|\((?P<paren>\s{0,3}|[xX✓✔*])\)|(?P<glyph>[☐☑☒✓✔✅⬜□■])|(?P<line>_{2,8}))"
_BOX = re.compile(rf"{_MARK}\s*[:.]?\s*{_SIGN}")
_BOX_BEHIND = re.compile(rf"^\s*(?:[-*•]\s+)?{_SIGN}[^\[\]]{{0,80}}{_MARK}\s*$")
_STARTS = re.compile(r"^\s*(?:[-*•]\s+)?$")
_EMPTY = re.compile(r"^(?:[\s_.\-…☐⬜□]*|\s*no?\s*)$", re.IGNORECASE)
_CHECKED = re.compile(r"^\s*(?:[xX✓✔☑☒✅■√*vV+]{1,3}|yes|y|ok|\+1)\s*$", re.IGNORECASE)

_CROSSED = re.compile(r"\s*[xX✓✔☑☒✅■]\s*$")  # not "[*] see the page"
_WORDS = re.compile(rf"^\s*(?:[-*•]\s+)?{_MARK}\s*[^\W\d_]")

#: "+1 yes, 0 don't care, -1 no": all that may be voted, on one line; not "+1 for the names, -1 for the rest"
_MEANS = r"\s*[=:(-]?\s*(?!for\b|on\b|to\b|from\b|\(?(?:non-?)?binding\b)[^\W\d][^,;/|+]{0,30}"
_LEGEND = re.compile(
    rf"^\W*(?P<value>\+\s?1){_MEANS}[,;/|]\s*(?:or )?[+±-]?0{_MEANS}[,;/|]\s*(?:or )?-\s?1{_MEANS}$", re.IGNORECASE
)
#: "+1 approve / -1 disapprove", "[+1] oui, [-1] non": two values with a few words each
_TWO_CHOICES = re.compile(
    r"[\s*\[(]*(?P<value>[+-]\s?1)[\s*\])=:(-]{1,4}(?!(?:for|on|to|as|with|from)\s+\w)[^\W\d][^,;/|+\d]{0,40}?"
    r"(?:\s*[,;/|]\s*(?:or )?|\sor\s)[\s*\[(]*(?!(?P=value))[+-]\s?1[\s*\])=:(-]{1,4}[^\W\d][^+\d]{0,60}"
)
#: a choice that is pointed at, among empty boxes: "--> 0 don't care"
_POINTED = re.compile(
    r"\s*(?:[-=]{1,3}>|→|➜|➡)\s*(?P<value>[+\-±]?\s?[01])(?![\w.]\w)"
    r"(?!.*\b(?:means?|is|are|was|not|if|would|should|stands)\b)",
    re.IGNORECASE,
)


#: "[ ] +1 yes   <=== this one"
_ARROW_BEHIND = re.compile(
    r"\s(?:<[-=]{1,}|←|⬅)\s*(?:this(?: one)?|here|mine|my (?:vote|choice))?[\s,;(]*(?:(?:non-?)?binding)?\W*$",
    re.IGNORECASE,
)


def find_boxes(lines: Sequence[str]) -> Shapes:
    """The lines (made plain) that are ballot boxes, or show in one line what may be voted: index → role and value."""
    found: Shapes = {}
    for index, line in enumerate(lines):
        box = find_box(line) if "1" in line or "0" in line else None
        if box is None and len(line) < 200 and (values := _LEGEND.match(line)) is not None:
            box = (LEGEND, values["value"])
        if box is None and (values := _TWO_CHOICES.fullmatch(line)) is not None and find_claim("", line) is None:
            box = (ON_PARTS, values["value"])
        if box is not None:
            found[index] = box
    # an arrow among the boxes, at a choice without one
    if found and all(shape is EMPTY for shape, _ in found.values()):
        shown = {value for _, value in found.values()}
        beside = ((i, _POINTED.match(line)) for i, line in enumerate(lines) if {i - 1, i + 1} & found.keys())
        pointed = [(i, _signed(m["value"])) for i, m in beside if m is not None and i not in found]
        found |= {i: (CHECKED, value) for i, value in pointed if value not in shown and len(pointed) == 1}
    return found


def find_checked_words(lines: Sequence[str]) -> str | None:
    """The one box with words instead of a value that is checked: "[X] Stable - go ahead"; None if there is no such."""
    boxes = [(line, m) for line in lines if find_box(line) is None and (m := _WORDS.match(line)) is not None]
    checked = [line for line, m in boxes if _CROSSED.match(_find_mark(m))]
    return checked[0] if len(checked) == 1 else None


def _find_mark(box: re.Match[str]) -> str:
    return next(box[name] for name in ("mark", "paren", "glyph", "line") if box[name] is not None)


def find_box(line: str) -> tuple[Shape, str] | None:
    """The ballot box in a plain line ("[ ] +1", "[x] -1", "+1 [X]", "[ ] +1 [ ] 0 [x] -1"), and its value."""
    found = list(_BOX.finditer(line)) if len(line) < 200 else []
    if len(found) < 2:
        first = found[0] if found and _STARTS.match(line[: found[0].start()]) else _BOX_BEHIND.match(line)
        found = [first] if first is not None else []
    marks = [_find_mark(m) for m in found]
    checked = [m for m, mark in zip(found, marks, strict=True) if _CHECKED.match(mark)]
    if checked:
        return (CHECKED if len(checked) == 1 else SEVERAL), _signed(checked[0]["value"])
    if not found or not all(_EMPTY.match(mark) for mark in marks):
        return None
    if len(found) == 1 and _ARROW_BEHIND.search(line, found[0].end()):
        return CHECKED, _signed(found[0]["value"])
    return (EMPTY if len(found) == 1 else LEGEND), _signed(found[0]["value"])


def _signed(value: str) -> str:
    text = "".join(value.split())
    return text if text[0] in "+-±" or text.startswith("0") else f"+{text}"

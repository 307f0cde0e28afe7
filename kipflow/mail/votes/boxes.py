"""Ballot boxes in a line: "[ ] +1", "[x] -1 because", "+1 [X]", "(x) 0", "[+1] approve", "[ ] +1 [x] 0 [ ] -1"."""

from __future__ import annotations

import re
from enum import StrEnum


class Box(StrEnum):
    """What a line's boxes say."""

    EMPTY = "empty"
    CHECKED = "checked"
    TEMPLATE = "template"
    SEVERAL = "several"


_SIGN = r"(?P<value>[+\-±]?\s?[01](?:\.\d)?)"
_BOX = re.compile(
    rf"^\s*(?:[-*•]\s+)?(?:\[(?P<mark>[^\[\]]{{0,5}})\]|\((?P<paren>\s{{0,3}}|[xX✓✔*])\)|(?P<glyph>[☐☑☒✓✔✅⬜□■])|"
    rf"(?P<line>_{{2,8}}))\s*[:.]?\s*{_SIGN}(?![\w.]\w)"
)
_BOX_BEHIND = re.compile(
    rf"^\s*(?:[-*•]\s+)?{_SIGN}(?![\w.]\w)[^\[\]]{{0,80}}(?:\[(?P<mark>[^\[\]]{{0,5}})\]|\((?P<paren>\s{{0,3}}|"
    rf"[xX✓✔*])\))\s*$"
)
# "[+1] approve"; "[1]" and "[0]" are footnotes
VALUE_IN_BOX = re.compile(r"^\s*(?:[-*•]\s+)?\[\s*(?P<value>[+\-±]\s?[01](?:\.\d)?)\s*\](?:\s|$)")
_EMPTY_MARKS = re.compile(r"^[\s_.\-…]*$")
_NO_MARK = re.compile(r"^\s*(?:n|no)\s*$", re.IGNORECASE)
_MARK = re.compile(r"^\s*(?:[xX✓✔☑√*vV+]{1,3}|yes|y|ok|\+1)\s*$", re.IGNORECASE)


def find_box(line: str) -> tuple[Box, str] | None:
    """A ballot box in a plain line ("[ ] +1", "[x] -1", "+1 [X]", "[+1] approve") and its value.

    Several boxes in one line are a template while none is checked, and say too much where more than one is.
    """
    within = _find_boxes_within(line) if len(line) < 200 else None
    if within is not None:
        return within
    inside = VALUE_IN_BOX.match(line)
    if inside is not None:
        return Box.CHECKED, _signed(inside.group("value"))
    match = _BOX.match(line) or _BOX_BEHIND.match(line)
    if match is None:
        return None
    groups = match.groupdict()
    glyph = groups.get("glyph")
    if glyph is not None:
        empty = glyph in "☐⬜□"
    else:
        mark = next((m for m in (groups.get("mark"), groups.get("paren"), groups.get("line")) if m is not None), "")
        empty = _EMPTY_MARKS.match(mark) is not None or _NO_MARK.match(mark) is not None
        if not empty and _MARK.match(mark) is None:
            return None
    return Box.EMPTY if empty else Box.CHECKED, _signed(match.group("value"))


_BOX_WITHIN = re.compile(
    rf"(?:\[(?P<mark>[^\[\]]{{0,5}})\]|\((?P<paren>\s{{0,3}}|[xX✓✔*])\)|(?P<glyph>[☐☑☒✓✔✅⬜□■]))\s*{_SIGN}(?![\w.]\w)"
)


def _find_boxes_within(line: str) -> tuple[Box, str] | None:
    """The checked one of several boxes in a line: "[ ] +1 [ ] 0 [x] -1"; None where there are no several."""
    boxes = list(_BOX_WITHIN.finditer(line))
    if len(boxes) < 2:
        return None
    checked = [
        m.group("value")
        for m in boxes
        if _MARK.match(m.group("mark") or m.group("paren") or "") or (m.group("glyph") or "☐") not in "☐⬜□"
    ]
    if len(checked) == 1:
        return Box.CHECKED, _signed(checked[0])
    return Box.SEVERAL if checked else Box.TEMPLATE, _signed(boxes[0].group("value"))


def _signed(value: str) -> str:
    text = "".join(value.split())
    return text if text[0] in "+-±" or text.startswith("0") else f"+{text}"

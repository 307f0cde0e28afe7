"""Carries what stands in headings down to the lines below: "Binding" over "+1 Mara", "-1 votes" over "binding: 2"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.figures import GROUP, parse_group
from kipflow.mail.announcements.name_lists import ITEM

_GROUP_HEAD = re.compile(r"^\W*(?P<group>(?:non[-\s]{0,2})?binding)(?:\s+votes?)?\W*$", re.IGNORECASE)
#: "-1 votes", and "binding: 1" below it
_CHOICE_HEAD = re.compile(r"^\s*(?:[-*•]\s+)?(?P<choice>[+\-]\s?[01]|0)\s+votes?\W*$", re.IGNORECASE)
_GROUP_COUNT = re.compile(
    rf"^\s*(?:[-*•]\s+)?(?P<group>{GROUP})(?:\s+votes?)?\s*[:=]\s*(?P<number>\d{{1,3}})\s*$", re.IGNORECASE
)
#: "Binding", "=======", "+1", and names below it
_UNDERLINE = re.compile(r"^\s*[-=_~]{3,}\s*$")
_BARE_CHOICE = re.compile(r"^\s*(?:[-*•]\s+)?(?P<choice>[+\-]\s?[01]|0)\s*:?\s*$")
_CHOICE_LINE = re.compile(
    r"^\s*(?:[-*•]\s+)?(?P<choice>[+\-]\s?[01]|0)(?:(?:\s+votes?)?\s*[:=]\s*|\s+(?=[^\W\d_]))(?P<rest>\S.*)$"
)


def carry_headings(lines: Sequence[str]) -> list[str]:
    """The lines, each choice with the group above it and each group with the choice above it."""
    out: list[str] = []
    group = side = ""
    for line in lines:
        head, choice, counted = (p.match(line) for p in (_GROUP_HEAD, _CHOICE_LINE, _GROUP_COUNT))
        alone = _CHOICE_HEAD.match(line)
        side = alone["choice"] if alone is not None else side if counted or ITEM.match(line) else ""
        bare = _BARE_CHOICE.match(line)
        if _UNDERLINE.match(line):
            continue
        if counted is not None and side:
            out.append(f"{side} ({parse_group(counted['group'])}): {counted['number']}")
        elif head is not None:
            group = parse_group(head.group("group"))
            out.append(line)
        elif choice is not None and group and "binding" not in line.lower():
            out.append(f"{choice.group('choice')} ({group}): {choice.group('rest')}")
        elif bare is not None and group:
            out.append(f"{bare['choice']} ({group}):")
        else:
            out.append(line)
            group = group if not line.strip() or choice is not None or ITEM.match(line) else ""
    return out

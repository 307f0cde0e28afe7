"""What may be voted, told by who calls a vote ("[+1] [0] [-1]", "a. +1 approve"): choices offered, none made."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OFFERED_PLUS = re.compile(r"[\[(<]\s{0,2}\+\s?1\s{0,2}[\])>]")
_OFFERED_MINUS = re.compile(r"[\[(<]\s{0,2}[-\u2212]\s?1\s{0,2}[\])>]")
# "[+1] approve", "a. +1 approve", "<0> no opinion", "1) +1 yes"
_CHOICE = re.compile(
    r"^\s{0,8}(?:[*•-]\s{1,3})?(?:[a-e1-5][.)]\s{1,3}(?P<plain>[+\-\u2212]?\s?[01])\b|"
    r"(?:[a-e1-5][.)]\s{1,3})?[\[(<]\s?(?P<framed>[+\-\u2212]?\s?[01])\s?[\])>])",
    re.IGNORECASE,
)
_LONGEST_LINE = 200


def find_legend(lines: Sequence[str], *, opens: bool) -> set[int]:
    """The lines that offer choices: all on one line, or, in a mail that `opens` a vote, each on its own."""
    found = {
        index
        for index, line in enumerate(lines)
        if len(line) <= _LONGEST_LINE and _OFFERED_PLUS.search(line) and _OFFERED_MINUS.search(line)
    }
    return found | _find_listed(lines) if opens else found


def _find_listed(lines: Sequence[str]) -> set[int]:
    found: set[int] = set()
    run: dict[int, str] = {}
    for index, line in enumerate([*lines, ""]):
        match = _CHOICE.match(line[:_LONGEST_LINE])
        if match is not None:
            value = match.group("plain") or match.group("framed")
            run[index] = "".join(value.split()).replace("\u2212", "-")
            continue
        if {"+1", "-1"} <= set(run.values()) and len(set(run.values())) == len(run):
            found |= set(run)
        run = {}
    return found

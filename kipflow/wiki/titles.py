"""Parses titles of proposals: number, heading, and marks such as "(WIP)" or "Copy of"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kipflow.domain.proposals import MAX_NUMBER, NUMBER_ENDS

#: "(WIP)" as people write it.
WIP_MARK = r"[(\[（]\s*(?:wip|work in progress)\s*[)\]）]"
_WIP = re.compile(rf"[\s,;]*{WIP_MARK}[\s,;]*$|^[\s:–—-]*{WIP_MARK}\s*", re.IGNORECASE)
_EDGES = " \t\u00a0-:–—,;|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """The parts of a proposal's title.

    `text` has no number, marks or surplus separators; `before` is the text before the number ("Old",
    "Copy of", "[DISCARD]"); `in_progress`: it had "(WIP)".
    """

    number: int | None
    text: str
    before: str = ""
    in_progress: bool = False


@lru_cache(maxsize=32)
def _pattern(prefix: str) -> re.Pattern[str]:
    # "KIP-1 - Remove…", "KIP-38: ZooKeeper…", "KIP-20 Enable…", "KIP 42: …", "[DISCARD] KIP-658 …", "Old KIP-179 - …"
    return re.compile(
        rf"^(?P<before>(?:\s*\[[^\]]{{1,30}}\]|\s*\((?!{re.escape(prefix)}\b)[^)]{{1,30}}\)"
        r"|\s*old\b|\s*copy of\b|\s*archived?\b)*)\s*"
        rf"{re.escape(prefix)}\s{{0,2}}[-_:#\u2010-\u2015]?\s{{0,2}}"
        rf"(?:0{{0,4}}(?P<number>[1-9][0-9]{{0,4}}){NUMBER_ENDS}|(?P<next>NEXT|XXX+|\?+)\b)",
        re.IGNORECASE,
    )


def parse_title(title: str, prefix: str) -> Title:
    """The number and heading in a page's or row's title. Only a leading number is the proposal's own.

    >>> parse_title("KIP-4 - Command line operations,,, (WIP)", "KIP").text
    'Command line operations'
    """
    text = " ".join(title[:1_000].split())
    match = _pattern(prefix).match(text)
    rest = text if match is None else text[match.end() :]
    clean = _WIP.sub("", rest)
    in_progress = clean != rest or (match is not None and "wip" in match.group("before").lower())
    number = int(match.group("number")) if match is not None and match.group("number") else None
    if number is not None and number > MAX_NUMBER:
        number = None
    return Title(
        number=number,
        text=clean.strip(_EDGES) if match is not None else clean.strip(" ,;"),
        before="" if match is None else match.group("before").strip(),
        in_progress=in_progress,
    )


def is_copy(title: Title) -> bool:
    """Whether the title marks the page as a copy of the proposal: "Copy of KIP-12", "Old KIP-12"."""
    return bool(re.search(r"\bold\b|\bcopy of\b|\barchived?\b", title.before, re.IGNORECASE))

"""The substance of a page version: one digest per section that ignores insignificant changes.

Votes are cast on a text. When it changes afterwards, people must be notified, but not about a new status
line, another link, a deleted template hint or a corrected typo. So each version carries digests that only
a change of substance alters, and two versions can be compared by digests alone (`domain.ownpages`),
without their bodies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kipflow.domain.likeness import is_one_edit
from kipflow.domain.pages import Substance
from kipflow.domain.texts import digest_text
from kipflow.wiki.pages import find_kind
from kipflow.wiki.sections import Section, read_sections
from kipflow.wiki.storage import parse_storage
from kipflow.wiki.template import is_template_line

#: Sections about the process, not about the proposal itself.
_PROCESS = re.compile(
    r"^\W*(?:status|votes?|voting|vot(?:e|ing) results?|discussions?(?: threads?)?|change ?log|revision history"
    r"|table of contents)\W*$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S{1,2000}", re.IGNORECASE)
#: A plain word of prose. Names in code, numbers and short words ("not", "all") are never treated as typos.
_PROSE = re.compile(r"[^\W\d_]{5,30}")
#: A line of code: there a single letter can change the meaning.
_CODE = re.compile(r"[;{}=<>]|\w\(|\b(?:public|private|void|class|enum|interface) \w")
_EDGES = " .,;:!?\"'()\u2018\u2019\u201c\u201d\u2013\u2014-"
#: Sections with more lines (a pasted log, say) are compared exactly, without looking for typos.
_MAX_LINES = 2_000


def read_substance(body: str, *, before: tuple[str, Substance] | None = None) -> Substance:
    """The sections (headings of level 1 and 2) of a body in storage format: title and digest, in order.

    Args:
        before: body and substance of the previous version, if stored: a section that differs only in trifles
        keeps its digest.

    Raises:
        UnreadableInput: the body cannot be read at all.
    """
    sections = _lines_by_title(read_sections(parse_storage(body, source="page")))
    old_lines: dict[str, list[str]] = {}
    old_digests: dict[str, str] = {}
    if before is not None:
        old_lines = _lines_by_title(read_sections(parse_storage(before[0], source="page")))
        old_digests = dict(before[1])
    found: list[tuple[str, str]] = []
    for title, lines in sections.items():
        keeps = title in old_digests and is_trifle(old_lines.get(title, []), lines)
        found.append((title, old_digests[title] if keeps else digest_text("\n".join(lines), 16)))
    return tuple(found)


def is_trifle(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether two sequences of lines differ at most in typos, letter case and punctuation around words."""
    if list(old) == list(new):
        return True
    if len(old) != len(new) or len(new) > _MAX_LINES:
        return False
    return all(a == b or _is_same_sentence(a, b) for a, b in zip(old, new, strict=True))


def _is_same_sentence(old: str, new: str) -> bool:
    if _CODE.search(old) or _CODE.search(new):
        return False
    before, after = old.split(), new.split()
    return len(before) == len(after) and all(_is_same_word(a, b) for a, b in zip(before, after, strict=True))


def _is_same_word(old: str, new: str) -> bool:
    """Whether two words are equal but for one typo: a letter wrong, missing, doubled or swapped.

    The first letter must agree ("stable" is not "table"), and both must be prose: `readKey` is not
    `readKeys`.
    """
    if old == new:
        return True
    a, b = old.strip(_EDGES), new.strip(_EDGES)
    if not (_PROSE.fullmatch(a) and _PROSE.fullmatch(b)) or a[1:] != a[1:].lower() or b[1:] != b[1:].lower():
        return False
    a, b = a.casefold(), b.casefold()
    return a == b or (a[0] == b[0] and _is_one_slip(a, b))


def _is_one_slip(a: str, b: str) -> bool:
    wrong = [n for n in range(len(a)) if a[n] != b[n]] if len(a) == len(b) else []
    swapped = len(wrong) == 2 and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]]
    return swapped or is_one_edit(a, b)


def _lines_by_title(sections: Iterable[Section]) -> dict[str, list[str]]:
    """The significant lines by heading; a repeated heading gets a number. Empty sections are left out."""
    found: dict[str, list[str]] = {}
    times: Counter[str] = Counter()
    lines: list[str] | None = None  # None in a section about the process
    for section in sections:
        is_process = bool(_PROCESS.match(section.title))
        if section.level in {0, 1, 2}:
            times[section.title] += 1
            count = times[section.title]
            title = section.title + (f" ({count})" if count > 1 else "")
            lines = None if is_process else found.setdefault(title, [])
        if lines is None or is_process:
            continue
        if section.level > 2:
            lines.append(section.title)
        lines.extend(text for line in section.lines if (text := _own(line.text, section)))
    return {title: kept for title, kept in found.items() if kept}


def _own(text: str, section: Section) -> str:
    """A line without addresses; empty for the template's text and for fields at the top of the page."""
    if is_template_line(text) or (section.level == 0 and find_kind(text) is not None):
        return ""
    return " ".join(_ADDRESS.sub(" ", text).split())

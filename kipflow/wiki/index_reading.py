"""Reads round-up indexes: the wiki's own page, and its plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import TYPE_CHECKING

from kipflow.domain.pages import IndexEntry
from kipflow.domain.proposals import format_key
from kipflow.domain.texts import is_web_address
from kipflow.wiki.next_number import parse_next_number
from kipflow.wiki.sections import Line, read_sections
from kipflow.wiki.storage import collapse, name_of, parse_storage
from kipflow.wiki.titles import parse_title

if TYPE_CHECKING:
    from lxml.etree import _Element

#: Section → how its heading begins, in the order in which an index shows them.
SECTIONS: dict[str, re.Pattern[str]] = {
    "accepted": re.compile(r"^(?:adopted|accepted|approved)\b", re.IGNORECASE),
    "discussion": re.compile(r"^(?:\w+ )?(?:under|in|being) discuss(?:ion|ed)\b", re.IGNORECASE),
    "dormant": re.compile(r"^(?:dormant|inactive)\b", re.IGNORECASE),
    "discarded": re.compile(r"^(?:discarded|withdrawn|abandoned)\b", re.IGNORECASE),
    "rejected": re.compile(r"^(?:rejected|not accepted|declined)\b", re.IGNORECASE),
}
_RELEASE_AT_END = re.compile(r"(?:\t|\s{2,}|\s\|\s)v?(\d+\.\d+(?:\.[\dx]+)*(?:\s*\(WIP\))?)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedIndex:
    """An index as read: its rows in order, warnings about odd rows, and the next free number it names."""

    entries: tuple[IndexEntry, ...]
    warnings: tuple[str, ...] = ()
    next_number: int | None = None


def find_section_name(heading: str) -> str | None:
    """The section that a heading opens ("Dormant/inactive KIPs" → "dormant"), or None."""
    text = collapse(heading)
    return next((name for name, pattern in SECTIONS.items() if pattern.search(text)), None)


def parse_index_page(body: str, prefix: str, seen_at: datetime) -> ParsedIndex:
    """The round-up on a wiki page (storage format): one entry per row that begins with a proposal.

    Raises `UnreadableInput` if the page can't be read at all.
    """
    root = parse_storage(body, source="index page")
    next_number = parse_next_number(body, prefix)
    entries = [
        entry
        for section, columns, row in _walk_rows(root, prefix)
        if (entry := parse_row(row, columns, section, prefix, seen_at)) is not None
    ]
    return make_index(entries, prefix, next_number)


def make_index(
    entries: list[IndexEntry], prefix: str, next_number: int | None, warnings: Sequence[str] = ()
) -> ParsedIndex:
    """The index with these warnings, and those about odd rows."""
    odd = (*warnings, *_find_oddities(entries, prefix, next_number))
    return ParsedIndex(entries=tuple(entries), warnings=odd, next_number=next_number)


def _walk_rows(root: _Element, prefix: str) -> Iterator[tuple[str, list[str], _Element]]:
    """Each table row of the round-up with its section and its table's column names."""
    section: str | None = None
    columns: list[str] = []
    for element in root.iter():
        name = name_of(element)
        if re.fullmatch(r"h[1-6]", name):
            section = find_section_name(read_text(element).text)
        elif name == "table":
            columns = []
        elif name == "tr" and section is not None:
            if not columns and is_header(element, prefix):
                columns = [cell.text.lower() for cell in read_cells(element)]
            yield section, columns, element


def read_text(element: _Element) -> Line:
    """An element's text on one line, with its links."""
    sections = read_sections(element)
    texts = [text for section in sections for text in (section.title, *(line.text for line in section.lines))]
    links = [link for section in sections for line in section.lines for link in line.links]
    return Line(text=collapse(" ".join(texts)), links=tuple(links))


def read_cells(row: _Element) -> list[Line]:
    """The cells of a table row."""
    return [read_text(cell) for cell in row if name_of(cell) in {"td", "th"}]


def is_header(row: _Element, prefix: str) -> bool:
    """Whether a row is its table's header: it names no proposal and has short words in every cell."""
    texts = [cell.text for cell in read_cells(row)]
    return bool(texts and texts[0]) and all(len(t) < 40 and parse_title(t, prefix).number is None for t in texts)


def parse_row(row: _Element, columns: list[str], section: str, prefix: str, seen_at: datetime) -> IndexEntry | None:
    """A table row as an entry; None for a row that names no proposal in its first cell."""
    cells = read_cells(row)
    if not cells:
        return None
    title = parse_title(cells[0].text, prefix)
    if title.number is None:
        return None
    release, wip = None, title.in_progress
    for name, cell in zip(columns[1:], cells[1:], strict=False):
        if name.startswith("release"):
            release, marked = _parse_release(cell.text)
            wip = wip or marked
    return IndexEntry(
        number=title.number,
        title=title.text,
        section=section,
        seen_at=seen_at,
        origin="page",
        release=release,
        in_progress=wip,
        url=next((link for link in cells[0].links if is_web_address(link)), None),
    )


def _parse_release(text: str) -> tuple[str | None, bool]:
    clean = re.sub(r"[(\[]?\bwip\b[)\]]?", " ", text, flags=re.IGNORECASE)
    return collapse(clean).strip(" ,;")[:_LONGEST_RELEASE] or None, clean != text


_LONGEST_RELEASE = 200
#: Rows that a warning names; it also gives their total number.
_SHOWN = 8


def parse_index_text(text: str, prefix: str, seen_at: datetime) -> ParsedIndex:
    """The process page as plain text or Markdown: headings of sections on lines of their own, one row per line.

    A table may name the section in a column Status instead. Rows without a section are left out, with a warning.
    """
    section, depth = None, 0
    columns: list[str] = []
    entries: list[IndexEntry] = []
    left_out: list[str] = []
    for written in text.splitlines():
        raw = _drop_markdown(written, prefix)
        line, cells = collapse(raw), _split_row(written)
        is_row = bool(cells) or _ITEM.match(written) is not None
        if parse_title(line, prefix).number is None:
            if cells and columns and not all(map(_RULE.fullmatch, cells)):
                left_out.append(line)
            elif not is_row:
                section, depth = _find_next_section(written, line, section, depth)
            columns = (columns or [cell.lower() for cell in cells]) if cells else []
            continue
        stated = (cell for name, cell in zip(columns, cells, strict=False) if name in _STATES)
        own = section or next((find_section_name(c) or find_section_name(f"under {c}") for c in stated), None)
        columns = columns or [""] * bool(cells)  # a table without a header
        if own and not line.startswith("•"):
            entries.append(_make_entry(raw, line, own, prefix, seen_at))
        elif section != _NOTES and not line.startswith("•"):
            left_out.append(line)
    shown, known = ", ".join(repr(line[:40]) for line in left_out[:_SHOWN]), ", ".join(SECTIONS)
    warning = f"left out, without a {prefix} number, or below no heading or status such as {known}: {shown}"
    return make_index(entries, prefix, parse_next_number(text, prefix), [warning] if left_out else [])


_STATES = frozenset({"status", "state", "stage"})
#: The part of a page with notes of recorded calls: no section of proposals.
_NOTES = ""
_ITEM, _HEADING = re.compile(r"\s{0,8}[-*+]\s+\S"), re.compile(r"(#{1,6})\s")
_RECORDINGS, _SHORT = re.compile(r"\brecordings\b", re.IGNORECASE), 60
_RULE = re.compile(r":?-+:?")


def _find_next_section(written: str, line: str, section: str | None, depth: int) -> tuple[str | None, int]:
    """The section below a line, and its heading's depth: a short line opens one, a heading not below it ends it."""
    level = heading.end(1) if (heading := _HEADING.match(written)) is not None else 0
    if len(line) < _SHORT and (_RECORDINGS.search(line) or find_section_name(line) is not None):
        return (_NOTES if _RECORDINGS.search(line) else find_section_name(line)), level
    return (None, level) if 0 < level <= depth else (section, depth)


def _make_entry(raw: str, line: str, section: str, prefix: str, seen_at: datetime) -> IndexEntry:
    release = _RELEASE_AT_END.search(raw)
    title = parse_title(raw[: release.start()] if release else line, prefix)
    version, marked = _parse_release(release.group(1)) if release else (None, False)
    return IndexEntry(
        number=title.number or 0,
        title=title.text,
        section=section,
        seen_at=seen_at,
        origin="import",
        release=version,
        in_progress=title.in_progress or marked,
    )


_LINK = re.compile(r"\[([^\[\]]{0,500})\]\([^()\s]{0,500}\)")
_MARK = re.compile(r"\s{0,8}(?:#{1,6}|[-*+])\s+")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]|#~])")


def _drop_markdown(line: str, prefix: str) -> str:
    """A line without Markdown for headings, lists and links; of a table row only title and release."""
    line = _LINK.sub(r"\1", _MARK.sub("", line, count=1) if _MARK.match(line) else line)
    cells = _split_row(line)
    if not cells:
        return line
    title = parse_title(cells[0], prefix)
    if title.number is not None and not title.text and len(cells) > 1:
        cells[:2] = [f"{cells[0]}: {cells[1]}"]
    release = next((cell for cell in cells[1:] if _RELEASE_AT_END.search(f" | {cell}")), "")
    return f"{cells[0]} | {release}" if release else cells[0]


def _split_row(line: str) -> list[str]:
    """The cells of a row of a Markdown table; empty for any other line."""
    if not line.lstrip().startswith("|"):
        return []
    return [unescape(_ESCAPED.sub(r"\1", cell)).strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _find_oddities(entries: list[IndexEntry], prefix: str, next_number: int | None) -> list[str]:
    """Warnings for a person: duplicate numbers, one title under two numbers, a next number that is taken."""
    found: list[str] = []
    by_number: dict[int, list[IndexEntry]] = {}
    by_title: dict[str, dict[int, str]] = {}
    for entry in entries:
        by_number.setdefault(entry.number, []).append(entry)
        by_title.setdefault(entry.title.casefold(), {})[entry.number] = entry.title
    for number, same in by_number.items():
        if len(same) > 1:
            rows = "; ".join(f"{e.section}: {e.title[:80]!r}" for e in same[:_SHOWN])
            found.append(f"{format_key(prefix, number)} appears {len(same)} times: {rows}")
    for titles in by_title.values():
        title = next(iter(titles.values()))
        if len(titles) > 1 and title:
            keys = " and ".join(format_key(prefix, n) for n in sorted(titles)[:_SHOWN])
            found.append(f"{keys} have the same title {title[:80]!r}: one may be misnumbered")
    highest = max(by_number, default=0)
    if next_number is not None and next_number <= highest:
        found.append(f"the next number is said to be {next_number}, but {format_key(prefix, highest)} is taken")
    return found

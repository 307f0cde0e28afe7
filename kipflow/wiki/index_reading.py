"""Reads round-up indexes on wiki pages; `index_text` reads them from plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
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
            release, marked = parse_release(cell.text)
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


def parse_release(text: str) -> tuple[str | None, bool]:
    clean = re.sub(r"[(\[]?\bwip\b[)\]]?", " ", text, flags=re.IGNORECASE)
    return collapse(clean).strip(" ,;")[:_LONGEST_RELEASE] or None, clean != text


_LONGEST_RELEASE = 200
#: Rows that a warning names; it also gives their total number.
SHOWN = 8


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
            rows = "; ".join(f"{e.section}: {e.title[:80]!r}" for e in same[:SHOWN])
            found.append(f"{format_key(prefix, number)} appears {len(same)} times: {rows}")
    for titles in by_title.values():
        title = next(iter(titles.values()))
        if len(titles) > 1 and title:
            keys = " and ".join(format_key(prefix, n) for n in sorted(titles)[:SHOWN])
            found.append(f"{keys} have the same title {title[:80]!r}: one may be misnumbered")
    highest = max(by_number, default=0)
    if next_number is not None and next_number <= highest:
        found.append(f"the next number is said to be {next_number}, but {format_key(prefix, highest)} is taken")
    return found

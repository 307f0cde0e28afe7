"""Reads round-up indexes from plain text or Markdown; `index_reading` reads them on wiki pages."""

from __future__ import annotations

import re
from datetime import datetime
from html import unescape

from kipflow.domain.pages import IndexEntry
from kipflow.wiki.index_reading import SECTIONS, SHOWN, ParsedIndex, find_section_name, make_index, parse_release
from kipflow.wiki.next_number import parse_next_number
from kipflow.wiki.storage import collapse
from kipflow.wiki.titles import parse_title

_RELEASE_AT_END = re.compile(r"(?:\t|\s{2,}|\s\|\s)v?(\d+\.\d+(?:\.[\dx]+)*(?:\s*\(WIP\))?)\s*$", re.IGNORECASE)


def parse_index_text(text: str, prefix: str, seen_at: datetime) -> ParsedIndex:
    """The process page as plain text or Markdown: headings of sections on lines of their own, one row per line.

    A table may name the section in a column Status instead. Rows without a section are left out, with a warning.
    """
    section, depth = None, 0
    columns: list[str] = []
    entries: list[IndexEntry] = []
    left_out: list[str] = []
    for written in text.splitlines():
        plain = _drop_markdown(written)
        cells = _split_row(plain)
        raw = _join_cells(cells, prefix) if cells else plain
        line = collapse(raw)
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
    shown, known = ", ".join(repr(line[:40]) for line in left_out[:SHOWN]), ", ".join(SECTIONS)
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
    version, marked = parse_release(release.group(1)) if release else (None, False)
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


def _drop_markdown(line: str) -> str:
    """A line without Markdown for headings, lists and links."""
    mark = _MARK.match(line)
    return _LINK.sub(r"\1", line[mark.end() :] if mark else line)


def _join_cells(cells: list[str], prefix: str) -> str:
    """A table's row as a line: its title, and its release if it has one."""
    title = parse_title(cells[0], prefix)
    if title.number is not None and not title.text and len(cells) > 1:
        cells = [f"{cells[0]}: {cells[1]}", *cells[2:]]
    release = next((cell for cell in cells[1:] if _RELEASE_AT_END.search(f" | {cell}")), "")
    return f"{cells[0]} | {release}" if release else cells[0]


def _split_row(line: str) -> list[str]:
    """The cells of a row of a Markdown table; empty for any other line."""
    if not line.lstrip().startswith("|"):
        return []
    return [unescape(_ESCAPED.sub(r"\1", cell)).strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]

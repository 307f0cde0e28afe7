"""Offsets of the round-up's tables, rows and cells in a wiki page's text; nothing is parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

from kipflow.domain.pages import IndexEntry
from kipflow.wiki.index_reading import find_section_name
from kipflow.wiki.next_number import TAG
from kipflow.wiki.storage import ATTRIBUTES, UNREAD

#: Everything that matters for finding tables: sections to skip (comments, CDATA), and the tags themselves.
_TOKEN = re.compile(
    rf"{UNREAD}|<(?P<close>/?)(?P<tag>h[1-6]|table|tbody|tr|td|th)(?=[\s/>]){ATTRIBUTES}>",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(slots=True)
class Row:
    """A row on the page: its offsets in the text, and those of each cell's content."""

    start: int
    end: int = -1
    cells: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """A table below a section's heading. `inside_end` is the offset at which a last row would be added.

    The reader of the rows fills in the column names, and the entries of rows that name a proposal.
    """

    section: str
    end: int = -1
    inside_end: int = -1
    rows: list[Row] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    held: list[tuple[Row, IndexEntry]] = field(default_factory=list)


@dataclass(slots=True)
class Outline:
    """What was found so far: tables below a section's heading, and the offset at which each such heading ends."""

    body: str
    tables: list[Table] = field(default_factory=list)
    headings: dict[str, int] = field(default_factory=dict)
    _section: str | None = None
    _table: Table | None = None
    _depth: int = 0
    _heading_start: int = 0
    _cell_start: int = 0

    def add(self, token: re.Match[str], tag: str, *, closes: bool) -> None:
        """Process the next tag of the text."""
        if tag == "table":
            self._add_table(token, closes=closes)
        elif self._depth == 0 and tag[0] == "h":
            self._add_heading(token, closes=closes)
        elif self._depth == 1 and self._table is not None:
            self._add_row(self._table, token, tag, closes=closes)

    def _add_table(self, token: re.Match[str], *, closes: bool) -> None:
        self._depth += -1 if closes else 1
        if not closes and self._depth == 1 and self._section is not None:
            self._table = Table(section=self._section)
        elif closes and self._depth == 0 and self._table is not None:
            self._table.end = token.end()
            if self._table.inside_end < 0:
                self._table.inside_end = token.start()
            self.tables.append(self._table)
            self._table = None

    def _add_heading(self, token: re.Match[str], *, closes: bool) -> None:
        if not closes:
            self._heading_start = token.end()
            return
        self._section = find_section_name(unescape(TAG.sub(" ", self.body[self._heading_start : token.start()])))
        if self._section is not None:
            self.headings.setdefault(self._section, token.end())

    def _add_row(self, table: Table, token: re.Match[str], tag: str, *, closes: bool) -> None:
        if tag == "tbody" and closes:
            table.inside_end = token.start()
        elif tag == "tr" and not closes:
            table.rows.append(Row(start=token.start()))
        elif tag == "tr" and table.rows:
            table.rows[-1].end = token.end()
        elif tag in {"td", "th"} and not closes:
            self._cell_start = token.end()
        elif tag in {"td", "th"} and table.rows:
            table.rows[-1].cells.append((self._cell_start, token.start()))


def scan(body: str) -> Outline:
    """The round-up's tables and headings in a page's text."""
    outline = Outline(body)
    for token in _TOKEN.finditer(body):
        tag = (token.group("tag") or "").lower()
        if tag and not token.group().endswith("/>"):
            outline.add(token, tag, closes=bool(token.group("close")))
    return outline

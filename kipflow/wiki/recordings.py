"""Recordings of calls and the notes on them, as a process page keeps them: one row per call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING

from kipflow.domain.facts import CallNote
from kipflow.domain.proposals import find_references
from kipflow.wiki.index_reading import is_web_address, read_cells, read_text
from kipflow.wiki.storage import name_of, parse_storage, read_sections

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"\b(?:recordings?|(?:call|meeting) (?:notes|minutes)|minutes)\b", re.IGNORECASE)
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAYS = (
    (re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"), "%Y %m %d"),
    (re.compile(rf"\b{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.IGNORECASE), "%b %d %Y"),
    (re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? {_MONTH},? (\d{{4}})\b", re.IGNORECASE), "%d %b %Y"),
)
#: Characters of a note that are kept; the longest real ones have some 1,500.
_MAX_NOTE = 2_000
_MAX_CALL = 120


def parse_recordings(body: str, prefix: str) -> tuple[CallNote, ...]:
    """The notes that name a proposal, one for each proposal named, in order of the page.

    Raises:
        UnreadableInput: the page cannot be read at all.
    """
    return tuple(
        note for row in _walk_rows(parse_storage(body, source="index page")) for note in _parse_row(row, prefix)
    )


def _walk_rows(root: _Element) -> Iterator[_Element]:
    """The table rows below a heading that announces recordings, up to the next heading."""
    inside = False
    for element in root.iter():
        name = name_of(element)
        if re.fullmatch(r"h[1-6]", name):
            inside = bool(_HEADING.search(read_text(element).text))
        elif name == "tr" and inside:
            yield element


def _parse_row(row: _Element, prefix: str) -> Iterator[CallNote]:
    heads = read_cells(row)
    cells = [cell for cell in row if name_of(cell) in {"td", "th"}]
    if len(cells) < 2:
        return
    call = heads[0].text[:_MAX_CALL]
    url = next((link for link in heads[0].links if is_web_address(link)), "")
    for cell in cells[1:]:
        for section in read_sections(cell):
            for line in section.lines:
                for number in find_references(line.text, prefix):
                    yield CallNote(
                        number=number, call=call, held_on=parse_day(call), url=url, note=line.text[:_MAX_NOTE]
                    )


def parse_day(text: str) -> date | None:
    """The day in a call's name ("2016-10-19", "Oct 19, 2016", "19 October 2016"); None where none is told."""
    for pattern, form in _DAYS:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            return datetime.strptime(" ".join(match.groups()), form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return None

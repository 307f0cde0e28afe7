"""Recordings of calls and the notes on them: rows of a process page, one per call, or pages of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING

from kipflow.domain.pages import CallNote
from kipflow.domain.proposals import find_references
from kipflow.domain.texts import is_web_address
from kipflow.wiki.index_reading import read_cells, read_text
from kipflow.wiki.sections import read_sections
from kipflow.wiki.storage import collapse, name_of, parse_storage
from kipflow.wiki.titles import parse_title

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"\b(?:recordings?|(?:call|meeting) (?:notes|minutes)|minutes)\b", re.IGNORECASE)
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAYS = (
    (re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"), "%Y %m %d"),
    (re.compile(rf"\b{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.IGNORECASE), "%b %d %Y"),
    (re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? {_MONTH},? (\d{{4}})\b", re.IGNORECASE), "%d %b %Y"),
)
#: Longer notes are cut, in characters; the longest real ones have some 1,500.
_MAX_NOTE = 2_000
_MAX_CALL = 120
#: A longer line that mentions recordings is a sentence, not a heading.
_LONGEST_HEADING = 60
#: The most notes kept from one page; ten years of weekly calls have some 2,000.
_MAX_NOTES = 5_000


def parse_recordings(body: str, prefix: str) -> tuple[CallNote, ...]:
    """The notes that name a proposal, one for each proposal named, in order of the page.

    Raises:
        UnreadableInput: the page cannot be read at all.
    """
    return tuple(
        note for row in _walk_rows(parse_storage(body, source="index page")) for note in _parse_row(row, prefix)
    )


def parse_recordings_text(text: str, prefix: str) -> tuple[CallNote, ...]:
    """As `parse_recordings`, from an index in plain text: the lines below a heading about recordings.

    A line with a date and no proposal begins a call; before the first one the heading names the call.
    """
    found: list[CallNote] = []
    call, held_on = "", None
    for raw in text.splitlines():
        line = collapse(raw).lstrip("\u2022*- ")
        numbers = find_references(line, prefix)
        begins = parse_day(line) is not None if call else len(line) < _LONGEST_HEADING and _HEADING.search(line)
        if begins and not numbers:
            call, held_on = line[:_MAX_CALL], parse_day(line)
        elif call:
            note = line[:_MAX_NOTE]
            found += [CallNote(number=n, call=call, held_on=held_on, url="", note=note) for n in numbers]
    return tuple(found[:_MAX_NOTES])


def is_call_page(title: str, prefix: str) -> bool:
    """Whether a page holds notes of calls: its title says so, and names no proposal."""
    return bool(_HEADING.search(title[:300])) and parse_title(title, prefix).number is None


def parse_call_page(body: str, prefix: str, *, title: str, url: str) -> tuple[CallNote, ...]:
    """The notes on a page of call notes that name a proposal, one for each proposal named, in order of the page.

    A heading with a date begins a call; before the first one the page's title names the call. Lines below a
    heading that names proposals ("KIP-7: hinges") are about these, unless they name others.

    Raises:
        UnreadableInput: the page cannot be read at all.
    """
    found: list[CallNote] = []
    call, held_on, link = title, parse_day(title), url if is_web_address(url) else ""
    for section in read_sections(parse_storage(body, source=f"page {title[:80]!r}")):
        day = parse_day(section.title)
        if day is not None:
            call, held_on = section.title, day
        about = find_references(section.title, prefix)
        for line in section.lines:
            note, numbers = line.text[:_MAX_NOTE], find_references(line.text, prefix) or about
            found += [CallNote(number=n, call=call[:_MAX_CALL], held_on=held_on, url=link, note=note) for n in numbers]
    return tuple(found[:_MAX_NOTES])


def _walk_rows(root: _Element) -> Iterator[_Element]:
    """The table rows below a heading about recordings, up to the next heading."""
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
    """The date in a call's name ("2016-10-19", "Oct 19, 2016", "19 October 2016"); None if there is none."""
    for pattern, form in _DAYS:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            return datetime.strptime(" ".join(match.groups()), form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return None

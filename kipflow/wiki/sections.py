"""A page as a reader sees it: sections of plain lines, from the element tree of its storage format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from kipflow.wiki.storage import attribute, collapse, name_of, parameters

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_BLOCKS = frozenset(
    (
        *("p", "div", "li", "ul", "ol", "dl", "dt", "dd", "blockquote", "pre", "br", "hr"),
        *("tr", "table", "tbody", "thead"),
        *("section", "article", "ac:layout", "ac:layout-section", "ac:layout-cell", "ac:rich-text-body"),
        *("ac:plain-text-body", "ac:task", "ac:task-list"),
    )
)
_CELLS = frozenset({"td", "th"})
#: Cells too: searching each of many nested cells to its end would take quadratic time.
BREAKS = _BLOCKS | _CELLS | frozenset(_HEADINGS)
#: Many pages show their history as a struck-out "Under Discussion" before the new word.
_STRUCK = frozenset({"s", "del", "strike"})
#: Elements whose content is no text of the page; at most their attributes are read.
_SKIPPED = _STRUCK | {"ac:parameter", "ac:placeholder", "ac:task-id", "ac:task-status", "script", "style"}
#: Target element of a link or image without text → the attribute that names the target.
_TARGETS = {"ri:page": "ri:content-title", "ri:attachment": "ri:filename", "ri:user": "ri:username"}
#: Emoticons that answer a question in a table; the others only decorate.
_MEANINGFUL_SIGNS = frozenset({"tick", "cross", "plus", "minus", "question", "warning"})
_MACRO_BODIES = frozenset({"ac:rich-text-body", "ac:plain-text-body"})
#: Macros without a body that show nothing about the proposal.
_SILENT_MACROS = frozenset(
    (
        *("anchor", "attachments", "children", "contributors", "livesearch"),
        *("pagetree", "profile", "recently-updated", "toc"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line as a reader sees it, spaces collapsed.

    `links` are the addresses it points to; `tickets` the keys of its JIRA macros. Cells of a table row are joined
    by " | ".
    """

    text: str
    links: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and the lines up to the next one. The lines before any heading have level 0 and no title."""

    title: str
    level: int
    lines: tuple[Line, ...]


def read_sections(root: _Element) -> tuple[Section, ...]:
    """The page's sections in order, split at every heading, however deep it is nested."""
    return cut_at_headings(_Flow().read(root))


def cut_at_headings(lines: Iterable[tuple[Line, int]]) -> tuple[Section, ...]:
    """Lines, each with its heading level (0: no heading), as sections."""
    sections: list[tuple[str, int, list[Line]]] = [("", 0, [])]
    for line, level in lines:
        if level:
            sections.append((line.text, level, []))
        else:
            sections[-1][2].append(line)
    return tuple(
        Section(title=title, level=level, lines=tuple(below)) for title, level, below in sections if level or below
    )


def find_sections(sections: Sequence[Section], pattern: re.Pattern[str]) -> Iterator[Sequence[Section]]:
    """Each section whose heading matches, with its sub-sections."""
    for position, section in enumerate(sections):
        if section.level and pattern.search(section.title):
            rest = sections[position + 1 :]
            end = next((n for n, below in enumerate(rest) if below.level <= section.level), len(rest))
            yield (section, *rest[:end])


def find_section(sections: Sequence[Section], pattern: re.Pattern[str]) -> tuple[Line, ...] | None:
    """All lines below the first matching heading, sub-sections included; None if no heading matches."""
    found = next(find_sections(sections, pattern), None)
    return None if found is None else tuple(line for section in found for line in section.lines)


class _Flow:
    """Walks a tree in document order and yields its lines. Used once."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.links: list[str] = []
        self.tickets: list[str] = []
        self.skipping = 0
        self.in_heading = self.in_cell = False

    def read(self, root: _Element) -> Iterator[tuple[Line, int]]:
        """Each line with its heading level (0: no heading)."""
        for event, element in etree.iterwalk(root, events=("start", "end")):
            name = name_of(element)
            heading = _HEADINGS.get(name)
            if event == "start":
                if heading or name in _BLOCKS:
                    yield from self.break_line()
                self.in_heading = self.in_heading or bool(heading)
                if name in _CELLS:
                    self.in_cell = _is_one_block(element)
                self.enter(element, name)
                if name == "ac:plain-text-body" and not self.skipping:
                    yield from self.verbatim(element.text or "")
                else:
                    self.say(element.text)
            else:
                if heading:
                    self.in_heading = False
                    yield from self.flush(heading)
                elif name in _BLOCKS:
                    yield from self.break_line()
                self.leave(element, name)
                self.say(element.tail)
        yield from self.flush(0)

    def break_line(self) -> Iterator[tuple[Line, int]]:
        if self.in_heading or self.in_cell:
            self.say(" ")  # a line break in a heading, or the paragraph in a cell, does not end it
        else:
            yield from self.flush(0)

    def enter(self, element: _Element, name: str) -> None:
        self.skipping += _is_skipped(element, name)
        if self.skipping:
            return
        if name == "a":
            self.links.append(attribute(element, "href"))
        elif name == "ri:url":
            self.links.append(attribute(element, "ri:value"))
        elif name in _TARGETS and not _has_link_body(element):
            self.say(attribute(element, _TARGETS[name]))
        elif name == "ac:link" and not len(element):
            self.say(attribute(element, "ac:anchor"))
        elif name == "ac:emoticon" and attribute(element, "ac:name") in _MEANINGFUL_SIGNS:
            self.say(f" ({attribute(element, 'ac:name')}) ")
        elif name == "time":
            self.say(attribute(element, "datetime"))
        elif name in {"ac:structured-macro", "ac:macro"}:
            self.say_macro(element, attribute(element, "ac:name").lower())

    def say_macro(self, macro: _Element, name: str) -> None:
        given = parameters(macro)
        if name == "status":
            self.say(f" {given.get('title', '')} ")
        elif name == "jira":
            key = given.get("key", "")
            self.say(f" {key} ")
            self.tickets.extend([key] if key else [])
        elif name in {"expand", "panel", "info", "note", "warning", "tip", "code", "noformat"}:
            self.say(given.get("title"))
        elif name not in _SILENT_MACROS and not any(name_of(c) in _MACRO_BODIES for c in macro):
            # a drawing, a formula or an included page: its content is not known here, only that it exists
            self.say(f" [{name}{_subject_of(macro, given)}] ")

    def leave(self, element: _Element, name: str) -> None:
        self.skipping -= _is_skipped(element, name)
        if name in _CELLS:
            self.in_cell = False
            self.say(" | ")

    def say(self, text: str | None) -> None:
        if text and not self.skipping:
            self.parts.append(text)

    def verbatim(self, text: str) -> Iterator[tuple[Line, int]]:
        for row in text.splitlines():
            self.say(row)
            yield from self.flush(0)

    def flush(self, heading: int) -> Iterator[tuple[Line, int]]:
        if not (self.parts or self.links or self.tickets or heading):
            return
        # without leading and trailing cell separators
        text = collapse("".join(self.parts)).removeprefix("| ").removesuffix("|").rstrip()
        links = tuple(dict.fromkeys(link.strip() for link in self.links if link.strip()))
        if text or heading or self.tickets or links:
            yield Line(text=text, links=links, tickets=tuple(self.tickets)), heading
        self.parts, self.links, self.tickets = [], [], []


def _is_skipped(element: _Element, name: str) -> bool:
    return name in _SKIPPED or (name == "span" and "line-through" in attribute(element, "style"))


def _is_one_block(cell: _Element) -> bool:
    """Whether a cell holds at most one paragraph, as in a table of values; others are read line by line."""
    blocks = (e for e in cell.iterdescendants() if name_of(e) in BREAKS)
    return next(blocks, None) is None or next(blocks, None) is None


def _subject_of(macro: _Element, given: dict[str, str]) -> str:
    """ ": NAME" for a macro that embeds something by name: a page, an attachment, a drawing."""
    inside = (e for child in macro if name_of(child) == "ac:parameter" for e in child.iterdescendants())
    targets = (attribute(e, _TARGETS[n]) for e in inside if (n := name_of(e)) in _TARGETS)
    names = (given.get(key) for key in ("diagramName", "name", "title", "src", "url"))
    found = next((collapse(text) for text in (*targets, *names) if text and text.strip()), "")
    return f": {found[:200]}" if found else ""


def _has_link_body(page: _Element) -> bool:
    link = page.getparent()
    return link is not None and any(name_of(c) in {"ac:link-body", "ac:plain-text-link-body"} for c in link)

"""The elements of a page: which break a line, which are not read, what a macro shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kipflow.wiki.storage import attribute, collapse, name_of

if TYPE_CHECKING:
    from lxml.etree import _Element

HEADINGS = {f"h{n}": n for n in range(1, 7)}
BLOCKS = frozenset(
    (
        *("p", "div", "li", "ul", "ol", "dl", "dt", "dd", "blockquote", "pre", "br", "hr"),
        *("tr", "table", "tbody", "thead"),
        *("section", "article", "ac:layout", "ac:layout-section", "ac:layout-cell", "ac:rich-text-body"),
        *("ac:plain-text-body", "ac:task", "ac:task-list"),
    )
)
CELLS = frozenset({"td", "th"})
#: Cells as well: looking into each of many nested ones to the end would cost their number squared.
BREAKS = BLOCKS | CELLS | frozenset(HEADINGS)
ITALICS = frozenset({"em", "i"})
_STRUCK = frozenset({"s", "del", "strike"})
#: Read for their attributes or not at all; what they hold is no text of the page.
_SKIPPED = frozenset({"ac:parameter", "ac:placeholder", "ac:task-id", "ac:task-status", "script", "style"})
#: What a link or an image without text of its own leads to, and the attribute that names it.
TARGETS = {"ri:page": "ri:content-title", "ri:attachment": "ri:filename", "ri:user": "ri:username"}
#: Signs that answer a question in a table; the others only decorate.
MEANINGFUL_SIGNS = frozenset({"tick", "cross", "plus", "minus", "question", "warning"})
MACRO_BODIES = frozenset({"ac:rich-text-body", "ac:plain-text-body"})
#: Macros without a body that show nothing of the proposal.
SILENT_MACROS = frozenset(
    (
        *("anchor", "attachments", "children", "contributors", "livesearch"),
        *("pagetree", "profile", "recently-updated", "toc"),
    )
)


def is_skipped(element: _Element, name: str) -> bool:
    # a struck-out "Under Discussion" before the new word is how many pages show their history
    if name in _SKIPPED or name in _STRUCK:
        return True
    return name == "span" and "line-through" in attribute(element, "style")


def is_one_block(cell: _Element) -> bool:
    """Whether a cell holds one paragraph at most, as cells of a table of values do; others are read line by line."""
    blocks = (e for e in cell.iterdescendants() if name_of(e) in BREAKS)
    return next(blocks, None) is None or next(blocks, None) is None


def subject_of(macro: _Element, given: dict[str, str]) -> str:
    """ ": NAME" for a macro that shows something else: a page, an attachment, a drawing by its name."""
    inside = (e for child in macro if name_of(child) == "ac:parameter" for e in child.iterdescendants())
    targets = (attribute(e, TARGETS[n]) for e in inside if (n := name_of(e)) in TARGETS)
    names = (given.get(key) for key in ("diagramName", "name", "title", "src", "url"))
    found = next((collapse(text) for text in (*targets, *names) if text and text.strip()), "")
    return f": {found[:200]}" if found else ""


def has_link_body(page: _Element) -> bool:
    link = page.getparent()
    return link is not None and any(name_of(c) in {"ac:link-body", "ac:plain-text-link-body"} for c in link)

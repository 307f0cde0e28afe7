"""Converts HTML mail to text: one line per block, quoted blocks marked with ">" as plain mail would have them."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from kipflow.mail import limits
from kipflow.mail.content.elements import (
    VOTE_LIKE,
    find_hiding,
    is_barred,
    is_drawn,
    is_header,
    is_hidden,
    is_hidden_by_style,
    is_quote,
)
from kipflow.mail.content.text import MAX_LINE, MAX_TEXT

MAX_HTML, MAX_NODES = limits.MARKUP.size, limits.NODES.size
_MAX_DEPTH = 20

_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """
    address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header
    hr html li main nav ol p pre section table tbody tr ul
    """,
    )
)
_SPACES = re.compile(r"[ \t\r\n\f\v]+")

_VOTE = re.compile(r"[+\u2212-]\s?[01]\b|[\U0001f44d\U0001f44e]|\bveto", re.IGNORECASE)

#: Inserted before a quoted mail that has no quote marks of its own.
OUTLOOK_MARK = "-----Original Message-----"
#: Inserted before each line with a bar at its left: in most programs a quote, in some decoration.
BAR_MARK = "\ue000> "


def parse_html(source: str, note: limits.Note = limits.ignore) -> str:
    """The text of an HTML part. Broken or hostile markup yields what can be read of it."""
    if len(source) > MAX_HTML:
        note(limits.MARKUP)
    source = source[:MAX_HTML].replace("\x00", "")
    if not source.strip():
        return ""
    # bytes with their encoding named: lxml refuses a str that carries an encoding declaration of its own
    parser = etree.HTMLParser(
        recover=True, no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, encoding="utf-8"
    )
    try:
        root = etree.fromstring(source.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return re.sub(r"<[^<>]{0,1000}>", " ", source)[:MAX_TEXT]
    return "" if root is None else _Writer(note).write(root)


class _Writer:
    """Walks the tree without recursion and gathers lines."""

    def __init__(self, note: limits.Note) -> None:
        self.note = note
        self.lines: list[str] = []
        self.line: list[str] = []
        self.depth = 0
        self.barred = 0
        self.within_bar = False
        self.preformatted = 0
        self.size = 0
        self.hiding: set[str] = set()
        #: whether the tables, and rows, around this point are drawn, outermost first
        self.tables: list[bool] = []
        self.rows: list[bool] = []
        self.hidden_depth = 0

    def write(self, root: Any) -> str:
        skipping = depth = 0
        for count, (event, node) in enumerate(etree.iterwalk(root, events=("start", "end"))):
            if count > MAX_NODES or self.size > MAX_TEXT:
                self.note(limits.NODES if count > MAX_NODES else limits.TEXT)
                break
            depth += 1 if event == "start" else -1
            if depth > limits.NESTING.size:
                self.note(limits.NESTING)
            tag = node.tag if isinstance(node.tag, str) else ""
            if tag == "style" and event == "start" and node.text:
                self.hiding.update(find_hiding(node.text))
            if event == "start":
                if skipping or is_hidden(node, tag):
                    skipping += 1
                    continue
                self.open(node, tag)
            else:
                if skipping:
                    skipping -= 1
                else:
                    self.close(node, tag)
                if not skipping and node.tail:
                    self.add(node.tail)
        self.end_line()
        return "\n".join(self.lines)

    def open(self, node: Any, tag: str) -> None:
        has_attributes = bool(node.keys())
        if self.hidden_depth or ((has_attributes or self.hiding) and is_hidden_by_style(node, tag, self.hiding)):
            self.hidden_depth += 1
        if tag in _BLOCKS and not self.is_in_row(tag):
            self.end_line()
        if has_attributes or tag == "blockquote":
            self.open_quote(node, tag)
        if tag == "br":
            self.end_line(keep_empty=True)
        elif tag in {"li", "table", "tr"}:
            self.open_item(node, tag)
        elif tag == "pre":
            self.preformatted += 1
        elif tag == "img" and node.get("alt"):
            described = str(node.get("alt"))[:40]
            if not self.marks and _VOTE.search(described) is not None:
                self.note(limits.PICTURED)
            self.add(described)
        if node.text:
            self.add(node.text)

    def open_item(self, node: Any, tag: str) -> None:
        """Draw the bullet of a list, and bars between the cells of a table with a row of titles."""
        if tag == "li":
            self.add("- ")
        elif tag == "table":
            self.tables.append(is_drawn(node))
        else:
            self.rows.append(self.tables[-1:] == [True] and len(node) > 1)
            if self.rows[-1]:
                self.add("| ")

    def is_in_row(self, tag: str) -> bool:
        """Whether a block is the only line of a cell in a drawn row."""
        return tag in {"p", "div"} and self.rows[-1:] == [True]

    def open_quote(self, node: Any, tag: str) -> None:
        if is_header(node):
            self.lines.append(self.marks + OUTLOOK_MARK)
        if is_quote(node, tag):
            self.end_line()
            self.depth += 1
        elif is_barred(node, tag):
            self.end_line()
            self.within_bar = self.within_bar or not (self.depth or self.barred)
            self.barred += 1

    def close(self, node: Any, tag: str) -> None:
        self.hidden_depth -= self.hidden_depth > 0
        if tag in _BLOCKS and not self.is_in_row(tag):
            self.end_line()
        if tag in {"td", "th"}:
            self.add(" | " if self.rows[-1:] == [True] else " ")
        elif tag in {"table", "tr"}:
            (self.tables if tag == "table" else self.rows).pop()
        if tag == "pre":
            self.preformatted -= 1
        ends = tag in {"p", "ul", "ol", "table", "blockquote"} and not self.is_in_row(tag)
        if ends and self.lines and self.lines[-1].strip("> \ue000"):
            self.lines.append(self.marks)
        if tag == "blockquote" or node.keys():
            self.close_quote(node, tag)

    def close_quote(self, node: Any, tag: str) -> None:
        if is_quote(node, tag):
            self.end_line()
            self.depth -= 1
        elif is_barred(node, tag):
            self.end_line()
            self.barred -= 1
            self.within_bar = self.within_bar and bool(self.depth or self.barred)

    @property
    def marks(self) -> str:
        """The prefix of a line at this point. Within a quote a bar adds one level."""
        if not (self.depth or self.barred):
            return ""
        depth = min(self.depth + self.barred, _MAX_DEPTH)
        return BAR_MARK + "> " * (depth - 1) if self.within_bar else "> " * depth

    def add(self, text: str) -> None:
        if self.hidden_depth and not self.marks and VOTE_LIKE.search(text) is not None:
            self.note(limits.STYLED)
        if self.preformatted:
            first, *rest = text.split("\n")
            self.line.append(first)
            for part in rest:
                self.end_line(keep_empty=True)
                self.line.append(part)
        else:
            self.line.append(_SPACES.sub(" ", text))

    def end_line(self, *, keep_empty: bool = False) -> None:
        if not (self.line or keep_empty):
            return
        text = "".join(self.line)
        text = text.rstrip() if self.preformatted else text.strip()
        self.line = []
        if text or keep_empty:
            marks = self.marks
            if not marks and len(text) > MAX_LINE:
                self.note(limits.LINE)
            self.lines.append((marks + text)[:MAX_LINE])
            self.size += len(text) + len(marks) + 1

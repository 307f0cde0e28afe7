"""Converts HTML mail to text: one line per block, quoted blocks marked with ">" as plain mail would have them."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from kipflow.mail import limits
from kipflow.mail.content.text import MAX_LINE, MAX_TEXT
from kipflow.mail.content.veils import HIDDEN_STYLE, VOTE_LIKE, find_hiding, is_veiled

MAX_HTML, MAX_NODES = limits.MARKUP.size, limits.NODES.size
_MAX_DEPTH = 20

# its writer takes struck out text back
_SKIPPED = frozenset(
    {
        *("script", "style", "head", "title", "template", "noscript", "svg", "object", "textarea", "select", "button"),
        *("iframe", "video", "audio", "canvas", "s", "strike", "del"),
    }
)
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """
    address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header
    hr html li main nav ol p pre section table tbody tr ul
    """,
    )
)
# quotes that some mailers do not wrap in a blockquote
_QUOTE_CLASSES = frozenset(
    {
        *("yahoo_quoted", "history-quote-wrapper", "protonmail_quote", "moz-forward-container", "zmail_extra"),
        "ms-outlook-mobile-reference-message",
    }
)
_HEADER_IDS = frozenset({"divrplyfwdmsg", "appendonsend", "ms-outlook-mobile-body-separator-line"})
_QUOTE_IDS = frozenset({"mail-editor-reference-message-container"})
_BAR_STYLE = re.compile(r"border-left(?:-style|-width)?\s*:[^;]{0,60}(?:solid|px|pt)", re.IGNORECASE)
_INDENTED = re.compile(r"margin:(?:\s*0(?:px)?){3} 40px;\s*border:\s*none", re.IGNORECASE)
_RULE_STYLE = re.compile(r"border-top\s*:\s*solid\s+#(?:e1e1e1|b5c4df)", re.IGNORECASE)
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
        self.veils = 0

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
                if skipping or _is_hidden(node, tag):
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
        if self.veils or ((has_attributes or self.hiding) and is_veiled(node, tag, self.hiding)):
            self.veils += 1
        if tag in _BLOCKS:
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
            titles = [cell.tag for cell in next(node.iter("tr"), ())]
            is_plain = next(node.iterdescendants("table", "p", "div", "br", "li"), None) is None
            self.tables.append(is_plain and len(titles) > 1 and set(titles) == {"th"})
        else:
            self.rows.append(self.tables[-1:] == [True] and len(node) > 1)
            if self.rows[-1]:
                self.add("| ")

    def open_quote(self, node: Any, tag: str) -> None:
        if _is_header(node):
            self.lines.append(self.marks + OUTLOOK_MARK)
        if _is_quote(node, tag):
            self.end_line()
            self.depth += 1
        elif _is_barred(node, tag):
            self.end_line()
            self.within_bar = self.within_bar or not (self.depth or self.barred)
            self.barred += 1

    def close(self, node: Any, tag: str) -> None:
        self.veils -= self.veils > 0
        if tag in _BLOCKS:
            self.end_line()
        if tag in {"td", "th"}:
            self.add(" | " if self.rows[-1:] == [True] else " ")
        elif tag in {"table", "tr"}:
            (self.tables if tag == "table" else self.rows).pop()
        if tag == "pre":
            self.preformatted -= 1
        if tag in {"p", "ul", "ol", "table", "blockquote"} and self.lines and self.lines[-1].strip("> \ue000"):
            self.lines.append(self.marks)
        if tag == "blockquote" or node.keys():
            self.close_quote(node, tag)

    def close_quote(self, node: Any, tag: str) -> None:
        if _is_quote(node, tag):
            self.end_line()
            self.depth -= 1
        elif _is_barred(node, tag):
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
        if self.veils and not self.marks and VOTE_LIKE.search(text) is not None:
            self.note(limits.VEILED)
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


_SIGNATURE_CLASSES = frozenset({"moz-signature", "gmail_signature"})


def _is_hidden(node: Any, tag: str) -> bool:
    if tag in _SKIPPED or not tag:
        return True
    if not node.keys():
        return False
    classes = node.get("class")
    if classes and not _SIGNATURE_CLASSES.isdisjoint(classes.lower().split()):
        return True
    if node.get("hidden") is not None:
        return True
    style = node.get("style")
    return style is not None and HIDDEN_STYLE.search(style[:500]) is not None


def _is_quote(node: Any, tag: str) -> bool:
    if tag == "blockquote":
        return not _is_barred(node, tag)
    # Outlook on the web puts "x_", Yahoo "ydp…", before the ids of a mail that it quotes
    if (node.get("id") or "").lower().removeprefix("x_") in _QUOTE_IDS:
        return True
    classes = node.get("class")
    return bool(classes) and any(
        name.removeprefix("x_") in _QUOTE_CLASSES or name.endswith("yahoo_quoted") for name in classes.lower().split()
    )


def _is_barred(node: Any, tag: str) -> bool:
    """Whether a division has a bar at its left, or a block is only indented, as by a button: perhaps quotes."""
    style = (node.get("style") or "")[:500]
    if tag == "blockquote":
        return node.keys() == ["style"] and _INDENTED.search(style) is not None
    return tag == "div" and _BAR_STYLE.search(style) is not None


def _is_header(node: Any) -> bool:
    """Whether a node is the header that Outlook puts before the mail it answers."""
    name = (node.get("id") or "").lower().removeprefix("x_")
    style = node.get("style")
    return name in _HEADER_IDS or (style is not None and _RULE_STYLE.search(style[:500]) is not None)

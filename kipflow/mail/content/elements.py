"""What an element of HTML mail is: hidden, a quote, or the header before one."""

from __future__ import annotations

import re
from typing import Any

from kipflow.mail.content.hiding import HIDDEN_STYLE

# its writer takes struck out text back
_SKIPPED = frozenset(
    {
        *("script", "style", "head", "title", "template", "noscript", "svg", "object", "textarea", "select", "button"),
        *("iframe", "video", "audio", "canvas", "s", "strike", "del"),
    }
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
_FEWEST_ROWS = 4
#: the titles of a table of voters whose first row no markup marks as titles
_TITLE = re.compile(r"(?:names?|voters?|members?|persons?|who|votes?|choice|binding\??|pmc\??)", re.IGNORECASE)
_SIGNATURE_CLASSES = frozenset({"moz-signature", "gmail_signature"})


def is_hidden(node: Any, tag: str) -> bool:
    """Whether nobody sees the element, or its writer took it back, or it is a signature."""
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


def is_drawn(table: Any) -> bool:
    """Whether a table has a row of titles, and its cells have one line each: others would fall apart.

    With plain cells as titles, or paragraphs in its cells, it needs some rows: a small one may just hold its writer's
    vote.
    """
    titles = next(table.iter("tr"), ())
    if len(titles) < 2 or next(table.iterdescendants("table", "br", "li", "blockquote", "pre"), None) is not None:
        return False
    is_headed = all(cell.tag == "th" for cell in titles)
    if is_headed and next(table.iterdescendants("p", "div"), None) is None:
        return True
    is_titled = is_headed or all(_TITLE.fullmatch("".join(cell.itertext()).strip()) is not None for cell in titles)
    is_flat = all(sum(1 for _ in cell.iterdescendants("p", "div")) < 2 for cell in table.iter("td", "th"))
    return is_titled and is_flat and sum(1 for _ in table.iter("tr")) >= _FEWEST_ROWS


def is_quote(node: Any, tag: str) -> bool:
    """Whether the element is a quote by its name, id or class."""
    if tag == "blockquote":
        return not is_barred(node, tag)
    # Outlook on the web puts "x_", Yahoo "ydp…", before the ids of a mail that it quotes
    if (node.get("id") or "").lower().removeprefix("x_") in _QUOTE_IDS:
        return True
    classes = node.get("class")
    return bool(classes) and any(
        name.removeprefix("x_") in _QUOTE_CLASSES or name.endswith("yahoo_quoted") for name in classes.lower().split()
    )


def is_barred(node: Any, tag: str) -> bool:
    """Whether a division has a bar at its left, or a block is only indented, as by a button: perhaps quotes."""
    style = (node.get("style") or "")[:500]
    if tag == "blockquote":
        return node.keys() == ["style"] and _INDENTED.search(style) is not None
    return tag == "div" and _BAR_STYLE.search(style) is not None


def is_header(node: Any) -> bool:
    """Whether a node is the header that Outlook puts before the mail it answers."""
    name = (node.get("id") or "").lower().removeprefix("x_")
    style = node.get("style")
    return name in _HEADER_IDS or (style is not None and _RULE_STYLE.search(style[:500]) is not None)

"""What an element of HTML mail is: hidden, perhaps hidden by a style sheet, a quote, or the header before one."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0)?\s*(?:;|!|$)"
    r"|(?:^|[;\s])(?:max-)?height\s*:\s*0(?:px)?\s*(?:;|!|$)|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|!|$)|mso-hide\s*:\s*all|text-decoration[\w-]*\s*:[^;]{0,40}line-through",
    re.IGNORECASE,
)
#: What may be a vote, in text that may be hidden.
VOTE_LIKE = re.compile(r"[+\u2212-]|\b[01]\b|\bveto|\bbinding", re.IGNORECASE)
_WHITE_NAMES = r"(?:white|transparent|none|inherit|#fff(?:fff)?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255)"
_FAINT_STYLE = re.compile(rf"(?<![\w-])color\s*:\s*(?!none|inherit){_WHITE_NAMES}", re.IGNORECASE)
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;\s][^;]{0,80})", re.IGNORECASE)
_WHITE = re.compile(_WHITE_NAMES, re.IGNORECASE)
_NAME = re.compile(r"[.#][\w-]{1,80}")
_ELEMENT = re.compile(r"[a-z][\w-]{0,20}|\*", re.IGNORECASE)
_MAX_STYLE = 100_000
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
    return style is not None and _HIDDEN_STYLE.search(style[:500]) is not None


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


def _is_faint(style: str) -> bool:
    """Whether a style writes white on white; on another colour it can be read."""
    page = _BACKGROUND.search(style)
    return _FAINT_STYLE.search(style) is not None and (page is None or _WHITE.match(page.group(1)) is not None)


def find_hiding(sheet: str) -> frozenset[str]:
    """What the rules of a style sheet hide: ".class", "#id", and elements where a rule names neither."""
    found: set[str] = set()
    for rule in sheet[:_MAX_STYLE].split("}"):
        head, _, style = rule.rpartition("{")
        selectors = head.rpartition("{")[2]  # within "@media … {"
        if _HIDDEN_STYLE.search(style) is not None or _is_faint(style):
            for selector in selectors.lower().split(","):
                found.update((_NAME.findall(selector) or _ELEMENT.findall(selector))[-1:])
    return frozenset(found)


def is_hidden_by_style(node: Any, tag: str, hiding: Set[str]) -> bool:
    """Whether a style may hide the content of an element."""
    style = node.get("style")
    if style is not None and _is_faint(style[:500]):
        return True
    if not hiding:
        return False
    names = {tag, "*", "#" + (node.get("id") or "").lower()}
    names.update("." + name for name in (node.get("class") or "").lower().split())
    return not hiding.isdisjoint(names)

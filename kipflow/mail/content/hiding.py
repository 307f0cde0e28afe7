"""The parts of an HTML mail that styles may hide: by class, id or element, or as text as white as the page."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

HIDDEN_STYLE = re.compile(
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
        if HIDDEN_STYLE.search(style) is not None or _is_faint(style):
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

"""What HTML allows, as far as the site's pages use it: elements, their attributes, and what may stand in what.

From the HTML standard's content models. Not a validator for any page: an element or attribute that is not named here is
reported, to be looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element

PHRASING = frozenset(
    {"a", "abbr", "br", "button", "code", "em", "img", "input", "label", "meter", "progress", "script", "select"}
) | {"small", "span", "strong", "svg", "time"}
FLOW = PHRASING | {"article", "aside", "blockquote", "details", "div", "dl", "figure", "footer", "form", "h1", "h2"}
FLOW |= {"h3", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul"}
_HEADINGS = ("h1", "h2", "h3", "h4")

#: Element → what it may hold. Text is allowed where phrasing is.
HOLDS: dict[str, frozenset[str]] = {
    "html": frozenset({"head", "body"}),
    "head": frozenset({"meta", "title", "link", "script"}),
    **dict.fromkeys(("body", "main", "section", "article", "aside", "nav", "div", "header", "footer", "form"), FLOW),
    **dict.fromkeys(("li", "dd", "td", "blockquote", "figcaption"), FLOW),
    "th": FLOW - {"header", "footer", "section", "article", "aside", "nav", *_HEADINGS},
    **dict.fromkeys(("p", "pre", "h1", "h2", "h3", "span", "strong", "em", "code", "small", "time", "dt"), PHRASING),
    **dict.fromkeys(("a", "label", "button", "caption", "title", "option", "summary", "abbr", "meter"), PHRASING),
    **dict.fromkeys(("ol", "ul"), frozenset({"li"})),
    "dl": frozenset({"dt", "dd", "div"}),
    "table": frozenset({"caption", "thead", "tbody"}),
    **dict.fromkeys(("thead", "tbody"), frozenset({"tr"})),
    "tr": frozenset({"td", "th"}),
    "figure": FLOW | {"figcaption"},
    "select": frozenset({"option"}),
    "details": FLOW | {"summary"},
    **dict.fromkeys(("br", "hr", "img", "meta", "link", "input", "script"), frozenset()),
}
#: What holds no text of its own.
_NO_TEXT = frozenset({"html", "head", "ol", "ul", "dl", "table", "thead", "tbody", "tr", "select"})
_GLOBAL = frozenset({"class", "id", "lang", "role", "hidden", "title", "tabindex"})
#: Element → its own attributes.
_OWN: dict[str, frozenset[str]] = {
    "a": frozenset({"href", "rel"}),
    "img": frozenset({"src", "alt", "width", "height"}),
    "meta": frozenset({"charset", "name", "content", "http-equiv"}),
    "link": frozenset({"rel", "href", "type"}),
    "script": frozenset({"src", "defer"}),
    "time": frozenset({"datetime"}),
    "th": frozenset({"scope", "colspan"}),
    "td": frozenset({"colspan"}),
    "label": frozenset({"for"}),
    "input": frozenset({"type", "name", "value", "placeholder"}),
    "select": frozenset({"name"}),
    "option": frozenset({"value", "selected"}),
    "meter": frozenset({"min", "max", "value", "low", "high", "optimum"}),
    "progress": frozenset({"max", "value"}),
}


def find_faults(root: Element) -> list[str]:
    """What the page has that HTML does not allow, each as a line."""
    return [*_find_nested(root, ()), *_find_headings(root)]


def _find_nested(element: Element, above: tuple[str, ...]) -> Iterator[str]:
    name = element.tag
    if name == "svg":
        return  # a language of its own
    if name not in HOLDS:
        yield f"<{name}> is not known here"
        return
    own = _GLOBAL | _OWN.get(name, frozenset())
    yield from (f"<{name} {a}>" for a in element.attrib if a not in own and not a.startswith(("aria-", "data-")))
    if name in _NO_TEXT and "".join([element.text or "", *(child.tail or "" for child in element)]).strip():
        yield f"text in <{name}>"
    if name in {"a", "button"} and {"a", "button"} & set(above):
        yield f"<{name}> in {above}"
    # a group of a list of terms
    allowed = HOLDS["dl"] if name == "div" and above[-1:] == ("dl",) else HOLDS[name]
    for child in element:
        if child.tag not in allowed:
            yield f"<{child.tag}> in <{name}>"
        yield from _find_nested(child, (*above, name))


def _find_headings(root: Element) -> Iterator[str]:
    """One <h1>, and no level left out on the way down."""
    levels = [_HEADINGS.index(e.tag) + 1 for e in root.iter() if e.tag in _HEADINGS]
    if levels.count(1) != 1:
        yield f"{levels.count(1)} <h1>"
    yield from (f"<h{b}> after <h{a}>" for a, b in pairwise(levels) if b > a + 1)

"""Confluence's storage format as an element tree.

Storage format is a fragment of XHTML with `ac:`/`ri:` elements and HTML's named entities. Pages are
untrusted: external entities and DTDs are never loaded, size and depth are bounded, and broken markup is
repaired as far as possible.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

from kipflow.domain.errors import UnreadableInput
from kipflow.wiki.repairing import balance, repair

if TYPE_CHECKING:
    from lxml.etree import _Element

#: The largest body that is read, in characters; the largest real proposal page has some 300,000.
MAX_BODY = 5_000_000

#: Patterns for finding tags in raw text: sections to skip (CDATA, comments), and a tag's attributes.
UNREAD = r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"
ATTRIBUTES = r"(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+"

_AC, _RI = "urn:confluence:ac", "urn:confluence:ri"
_ROOT = f'<page xmlns:ac="{_AC}" xmlns:ri="{_RI}">'
_PREFIX_OF = {_AC: "ac:", _RI: "ri:"}

_SPACES = re.compile(r"[\s\u00a0\u200b\ufeff]+")


def parse_storage(body: str, *, source: str) -> _Element:
    """Parse the fragment into a tree below one root; broken markup is repaired.

    Raises `UnreadableInput` if `body` is larger than `MAX_BODY`, nested deeper than the parser allows, or
    unreadable.
    """
    if len(body) > MAX_BODY:
        raise UnreadableInput(source=source, why=f"larger than {MAX_BODY:,} characters")
    text = repair(body)
    with suppress(etree.XMLSyntaxError):
        return _parse(text, _parser(recover=False))
    # most pages are well-formed; only the others are repaired
    parser = _parser(recover=True)
    try:
        root = _parse(balance(text), parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableInput(source=source, why=f"not storage format: {error.msg}"[:300]) from None
    # beyond a parser limit the rest of the page would be cut off silently
    limit = next((e.message for e in parser.error_log if "depth" in e.message.lower()), None)
    if root is None or limit is not None:
        raise UnreadableInput(source=source, why=(limit or "nothing readable in it")[:300])
    return root


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        recover=recover,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _parse(text: str, parser: etree.XMLParser) -> _Element:
    return etree.fromstring(f"{_ROOT}{text}</page>".encode(), parser)


def name_of(element: _Element) -> str:
    """The element's name as storage format writes it: "p", "ac:structured-macro"."""
    tag = element.tag
    return _name_of_tag(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=1_024)
def _name_of_tag(tag: str) -> str:
    if not tag.startswith("{"):
        return tag.lower()
    namespace, _, local = tag[1:].partition("}")
    return _PREFIX_OF.get(namespace, "") + local.lower()


def attribute(element: _Element, name: str) -> str:
    """An attribute such as "ac:name", "ri:content-title" or "href"; empty if it is missing."""
    prefix, _, local = name.partition(":")
    namespace = {"ac": _AC, "ri": _RI}.get(prefix) if local else None
    value = element.get(f"{{{namespace}}}{local}" if namespace else name)
    return value if isinstance(value, str) else ""


def parameters(macro: _Element) -> dict[str, str]:
    """A macro's parameters by name."""
    return {
        attribute(child, "ac:name"): "".join(str(part) for part in child.itertext()).strip()
        for child in macro
        if name_of(child) == "ac:parameter"
    }


def collapse(text: str) -> str:
    """`text` with each run of white space (also no-break and zero-width) as one space."""
    return _SPACES.sub(" ", text).strip()

"""Turns markup that browsers accept into well-formed XML without losing a word.

lxml can recover from broken markup too, but gives up the rest of a page at a stray end tag.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.entities import html5

_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_NAMED_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_NUMERIC_ENTITY = re.compile(r"&#(?:(\d{1,7})|[xX]([0-9a-fA-F]{1,6}));")
_BARE_LESS_THAN = re.compile(r"<(?![A-Za-z/!?])")
_INSIDE = r"(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+"
_VOID = re.compile(rf"<(br|hr|img|col|input)\b({_INSIDE})(?<!/)>", re.IGNORECASE)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

#: A tag with any attributes, or a "<" that begins no tag.
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]*+)(?P<rest>{_INSIDE}|[^<>]*+)>|<")
_ATTRIBUTE = re.compile(r"(?<![\w.:-])([A-Za-z_][\w.:-]*+)\s*+=\s*(\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=]+)")
_PREFIXES = frozenset({"ac", "ri"})
#: Elements that cannot hold one of their own kind directly: HTML leaves out their end tags.
_CLOSED_BY_NEXT = frozenset({"p", "li", "tr", "td", "th", "dt", "dd"})


def repair(body: str) -> str:
    """`body` with HTML entities, bare "&" and "<", void elements and control characters made valid XML."""
    return "".join(part if verbatim else _repair_markup(part) for part, verbatim in _split(_NOT_XML.sub("", body)))


def balance(text: str) -> str:
    """`text` (repaired) with every tag closed in order, stray end tags dropped and odd attributes corrected."""
    open_names: list[str] = []
    parts: list[str] = []
    for part, verbatim in _split(text):
        parts += [part] if verbatim else _balance_markup(part, open_names)
    parts += [f"</{name}>" for name in reversed(open_names)]
    return "".join(parts)


def _split(body: str) -> Iterator[tuple[str, bool]]:
    """Markup and CDATA sections in turn. Uses `find`: a regex would search for the end of each open section again."""
    position = 0
    while (start := body.find(_CDATA, position)) >= 0:
        end = body.find(_CDATA_END, start)
        if end < 0:
            break
        yield body[position:start], False
        position = end + len(_CDATA_END)
        yield body[start:position], True
    yield body[position:].replace(_CDATA, ""), False


def _repair_markup(text: str) -> str:
    text = _NAMED_ENTITY.sub(_replace_entity, text)
    text = _BARE_AMPERSAND.sub("&amp;", text)
    text = _NUMERIC_ENTITY.sub(_replace_number, text)
    text = _BARE_LESS_THAN.sub("&lt;", text)
    return _VOID.sub(r"<\1\2/>", text)


def _replace_entity(match: re.Match[str]) -> str:
    name = match.group(1)
    if name in _XML_ENTITIES:
        return match.group(0)
    character = html5.get(name + ";")
    if character is None or _NOT_XML.search(character):
        return "&amp;" + match.group(0)[1:]
    return "".join(f"&#{ord(c)};" for c in character)


def _replace_number(match: re.Match[str]) -> str:
    """A numeric character reference; empty for characters that XML cannot hold ("&#xd800;"), which lxml mangles."""
    number = int(match.group(1)) if match.group(1) else int(match.group(2), 16)
    fits = number <= sys.maxunicode and not _NOT_XML.match(chr(number))
    return match.group(0) if fits else ""


def _balance_markup(text: str, open_names: list[str]) -> Iterator[str]:
    position = 0
    for tag in _TAG.finditer(text):
        yield text[position : tag.start()].replace("]]>", "]]&gt;")
        position = tag.end()
        if tag.group("name") is None:
            # a comment, a declaration or a broken tag: keep it as text, not as markup
            yield "&lt;"
            continue
        name = _fit_name(tag.group("name"))
        if tag.group("close"):
            if name in open_names:
                while (last := open_names.pop()) != name:
                    yield f"</{last}>"
                yield f"</{name}>"
            continue
        if open_names and open_names[-1] == name and name in _CLOSED_BY_NEXT:
            yield f"</{open_names.pop()}>"
        rest = tag.group("rest")
        empty = rest.rstrip().endswith("/")
        yield f"<{name}{_fit_attributes(rest)}{'/' if empty else ''}>"
        if not empty:
            open_names.append(name)
    yield text[position:].replace("]]>", "]]&gt;")


def _fit_name(name: str) -> str:
    prefix, colon, local = name.lower().partition(":")
    if colon and (prefix not in _PREFIXES or not local or ":" in local):
        return name.lower().replace(":", "-")
    return name.lower()


def _fit_attributes(rest: str) -> str:
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(rest):
        quoted = value if value[0] in "\"'" else f'"{value.rstrip("/")}"'
        found.setdefault(_fit_name(name), quoted)
    return "".join(f" {name}={value}" for name, value in found.items())

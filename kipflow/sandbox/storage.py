"""Renders Confluence's storage format as plain, safe HTML."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import quote, urlsplit

from lxml import html

_PLAIN = frozenset(
    "p h1 h2 h3 h4 ul ol li table tbody tr th td strong em code pre br hr blockquote".split()  # noqa: SIM905
)
_EMPTY = frozenset({"br", "hr"})
#: The story's addresses do not exist; these local pages replace them.
_LOCAL = (
    (re.compile(r"https://lists\.sandbox\.example/list\.html\?[^:]*:(KIP-\d+)"), r"/list?about=\1"),
    (re.compile(r"https://jira\.sandbox\.example/browse/([A-Z]+-\d+)"), r"/tickets#\1"),
)


def find_local(address: str) -> str:
    """The sandbox's own page for an address of the story; any other address unchanged."""
    for pattern, local in _LOCAL:
        if pattern.fullmatch(address):
            return pattern.sub(local, address)
    return address


def render_storage(body: str) -> str:
    """`body` as HTML without scripts, styles or attributes; unclosed tags are closed.

    Anything nested deeper than the parser allows, some 250 elements, is left out.
    """
    # wrapped, so that "<html>" in it is not parsed as a document, which might have no body
    return _render_inner(html.document_fromstring(f"<div>{body}</div>").find("body"))


def _render_inner(element: html.HtmlElement) -> str:
    parts = [escape(element.text or "")]
    for child in element:
        parts += [_render(child) if isinstance(child.tag, str) else "", escape(child.tail or "")]
    return "".join(parts)


def _render(element: html.HtmlElement) -> str:
    tag, inner = element.tag, _render_inner(element)
    if tag in _PLAIN:
        return f"<{tag}>{inner}" + ("" if tag in _EMPTY else f"</{tag}>")
    if tag == "a":
        href = find_local(element.get("href", ""))
        # javascript: and the like are not linked
        safe = href if urlsplit(href).scheme in {"http", "https", ""} else "#"
        return f'<a rel="nofollow noopener" href="{escape(safe)}">{inner}</a>'
    if tag == "ac:link":
        page = next((child.get("ri:content-title", "") for child in element if child.tag == "ri:page"), None)
        return inner if page is None else f'<a href="/wiki/?title={quote(page)}">{inner}</a>'
    return _render_macro(element) if tag == "ac:structured-macro" else inner


def _render_macro(element: html.HtmlElement) -> str:
    name, children = element.get("ac:name", ""), list(element)
    given = {child.get("ac:name", ""): child.text or "" for child in children if child.tag == "ac:parameter"}
    if name == "status":
        colour = given.get("colour", "").lower()
        shade = f" {colour}" if colour in {"green", "blue", "yellow"} else ""
        return f'<span class="state{shade}">{escape(given.get("title", ""))}</span>'
    if name == "jira":
        return f"<code>{escape(given.get('key', ''))}</code>"
    inner = "".join(_render_inner(child) for child in children if child.tag == "ac:rich-text-body")
    if name == "expand":
        return f"<details><summary>{escape(given.get('title', 'More'))}</summary>{inner}</details>"
    return f'<div class="info">{inner}</div>' if inner else ""

"""Confluence's storage format as plain, safe HTML for a person to look at."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from urllib.parse import quote, urlsplit

_PLAIN = frozenset(
    "p h1 h2 h3 h4 ul ol li table tbody tr th td strong em code pre br hr blockquote".split()  # noqa: SIM905
)
_EMPTY = frozenset({"br", "hr"})


#: The story's addresses lead nowhere; here is what stands for them.
_LOCAL = (
    (re.compile(r"https://lists\.sandbox\.example/list\.html\?[^:]*:(KIP-\d+)"), r"/list?about=\1"),
    (re.compile(r"https://jira\.sandbox\.example/browse/([A-Z]+-\d+)"), r"/tickets#\1"),
)


def find_local(address: str) -> str:
    """The sandbox's own page for an address of the story; any other address as it is."""
    for pattern, local in _LOCAL:
        if pattern.fullmatch(address):
            return pattern.sub(local, address)
    return address


class _Renderer(HTMLParser):
    """Lets plain markup through without attributes and turns the macros we know into something readable."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.open: list[str] = []
        self.macro: list[tuple[str, dict[str, str]]] = []
        self.parameter: str | None = None
        self.link: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _PLAIN:
            self.out.append(f"<{tag}>")
            if tag not in _EMPTY:
                self.open.append(tag)
        elif tag == "a":
            href = find_local(given.get("href", ""))
            # javascript: and the like lead nowhere from here
            safe = href if urlsplit(href).scheme in {"http", "https", ""} else "#"
            self.out.append(f'<a rel="nofollow noopener" href="{escape(safe)}">')
            self.open.append("a")
        elif tag == "ac:structured-macro":
            self.macro.append((given.get("ac:name", ""), {}))
        elif tag == "ac:parameter":
            self.parameter = given.get("ac:name", "")
        elif tag == "ac:rich-text-body" and self.macro:
            self._open_macro_body()
        elif tag == "ri:page":
            self.out.append(f'<a href="/wiki/?title={quote(given.get("ri:content-title", ""))}">')
            self.link = "a"

    def _open_macro_body(self) -> None:
        name, parameters = self.macro[-1]
        if name == "expand":
            self.out.append(f"<details><summary>{escape(parameters.get('title', 'More'))}</summary>")
        else:
            self.out.append('<div class="info">')

    def handle_endtag(self, tag: str) -> None:
        if tag == "ac:parameter":
            self.parameter = None
        elif tag == "ac:rich-text-body" and self.macro:
            self.out.append("</details>" if self.macro[-1][0] == "expand" else "</div>")
        elif tag == "ac:structured-macro" and self.macro:
            self._close_macro()
        elif tag == "ac:link" and self.link:
            self.out.append("</a>")
            self.link = None
        elif tag in self.open:
            while self.open:
                last = self.open.pop()
                self.out.append(f"</{last}>")
                if last == tag:
                    break

    def _close_macro(self) -> None:
        name, parameters = self.macro.pop()
        if name == "status":
            colour = parameters.get("colour", "").lower()
            shade = f" {colour}" if colour in {"green", "blue", "yellow"} else ""
            self.out.append(f'<span class="state{shade}">{escape(parameters.get("title", ""))}</span>')
        elif name == "jira":
            self.out.append(f"<code>{escape(parameters.get('key', ''))}</code>")

    def handle_data(self, data: str) -> None:
        if self.parameter is not None:
            if self.macro:
                self.macro[-1][1][self.parameter] = data
            return
        self.out.append(escape(data))


def render_storage(body: str) -> str:
    """`body` as HTML without scripts, styles or attributes; broken markup is closed where it ends."""
    renderer = _Renderer()
    renderer.feed(body)
    renderer.close()
    closing = "".join(f"</{tag}>" for tag in reversed(renderer.open))
    return "".join(renderer.out) + closing

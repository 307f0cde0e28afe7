"""Renders the markup of the imitated services as safe HTML: Slack's mrkdwn, Confluence's storage format."""

from __future__ import annotations

import re
from html import escape, unescape
from urllib.parse import quote, urlsplit

from lxml import html

_TOKEN = re.compile(
    r"<(?P<inner>[^<>\n]{1,3000})>|\*(?P<bold>[^*\n]{1,3000})\*|`(?P<code>[^`\n]{1,3000})`|:(?P<emoji>[a-z0-9_]{1,40}):"
)
_QUOTE = re.compile(r"(?:>|&gt;)\s?(.*)")

#: The emoji in kipflow's messages; others stay as written.
_EMOJI = {
    "alarm_clock": "⏰",
    "newspaper": "📰",
    "raised_hand": "✋",
    "scales": "⚖️",
    "ballot_box_with_ballot": "🗳️",
    "hourglass": "⏳",
    "large_green_square": "🟩",
    "large_red_square": "🟥",
    "leftwards_arrow_with_hook": "↩️",
    "mag": "🔍",
    "rotating_light": "🚨",
    "speech_balloon": "💬",
    "no_entry_sign": "🚫",
    "warning": "⚠️",
    "wastebasket": "🗑️",
    "white_check_mark": "✅",
    "white_large_square": "⬜",
    "x": "❌",
    "pencil2": "✏️",
    "wrench": "🔧",
    "zzz": "💤",
}


def render_mrkdwn(text: str) -> str:
    """`text` as Slack would show it. Slack has three entities; `<!channel>` and the like mention people."""
    lines: list[str] = []
    for line in text.split("\n"):
        quoted = _QUOTE.fullmatch(line)
        lines.append(_render_line(line) if quoted is None else f'<span class="quote">{_render_line(quoted[1])}</span>')
    return "\n".join(lines)


def _render_line(text: str) -> str:
    parts, done = [], 0
    for match in _TOKEN.finditer(text):
        parts.append(_plain(text[done : match.start()]))
        done = match.end()
        if match["bold"] is not None:
            parts.append(f"<strong>{_render_line(match['bold'])}</strong>")
        elif match["code"] is not None:
            parts.append(f"<code>{_plain(match['code'])}</code>")
        elif match["emoji"] is not None:
            parts.append(_EMOJI.get(match["emoji"], match[0]))
        else:
            parts.append(_render_reference(match["inner"]))
    parts.append(_plain(text[done:]))
    return "".join(parts)


def _render_reference(inner: str) -> str:
    target, _, label = inner.partition("|")
    if re.match(r"https?://", target):
        return f'<a rel="nofollow noopener" href="{escape(unescape(target))}">{_plain(label or target)}</a>'
    if target.startswith("!date^"):
        # Slack shows it in the reader's time zone, which is unknown here
        return f"<time>{_plain(label)}</time>"
    if target[:1] in {"!", "@", "#"}:
        return f"<mark>@{_plain(label or target[1:])}</mark>"
    return _plain(f"<{inner}>")


def _plain(text: str) -> str:
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, letter)
    return escape(text)


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

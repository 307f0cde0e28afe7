"""Renders Slack's mrkdwn as HTML: links, emphasis, quotes and mentions; everything else is escaped."""

from __future__ import annotations

import re
from html import escape, unescape

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
            parts.append(_render_inner(match["inner"]))
    parts.append(_plain(text[done:]))
    return "".join(parts)


def _render_inner(inner: str) -> str:
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

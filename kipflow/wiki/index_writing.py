"""Renders round-up indexes as Markdown, HTML, storage format or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape

from kipflow.domain.errors import KipflowError
from kipflow.domain.pages import IndexEntry
from kipflow.domain.proposals import format_key
from kipflow.domain.records import pick_fields
from kipflow.domain.texts import is_web_address

#: Section → its heading. "rejected" rows are shown only where there are any: Kafka's index has no such section.
HEADINGS = {
    "accepted": "Adopted {prefix}s",
    "discussion": "{prefix}s under discussion",
    "dormant": "Dormant/inactive {prefix}s",
    "discarded": "Discarded {prefix}s",
    "rejected": "Rejected {prefix}s",
}
FORMATS = ("markdown", "html", "confluence", "json")


def render_index(
    sections: Mapping[str, Sequence[IndexEntry]], *, prefix: str, next_number: int | None, format: str = "markdown"
) -> str:
    """The round-up as text: `sections` maps "accepted", "discussion", "dormant", "discarded" to rows in order.

    An unknown `next_number` (None) is left out. `format` is one of `FORMATS`; "confluence" is the input of
    `replace_index`. Everything that people wrote is escaped for the format. Raises `KipflowError` for an
    unknown format or section.
    """
    for name in sections:
        if name not in HEADINGS:
            raise KipflowError(f"no section {name!r} in an index; there are {', '.join(HEADINGS)}")
    shown = {name: list(sections.get(name, ())) for name in HEADINGS if name != "rejected" or sections.get(name)}
    match format:
        case "json":
            return _render_json(shown, prefix, next_number)
        case "markdown":
            return _render_markdown(shown, prefix, next_number)
        case "html" | "confluence":
            return _render_html(shown, prefix, next_number)
    raise KipflowError(f"no format {format!r}; there are {', '.join(FORMATS)}")


def _render_json(sections: Mapping[str, Sequence[IndexEntry]], prefix: str, next_number: int | None) -> str:
    rows = {
        name: [
            {
                "number": e.number,
                "key": format_key(prefix, e.number),
                **pick_fields(e, "title", "release", "in_progress", "author", "url", "jira"),
            }
            for e in entries
        ]
        for name, entries in sections.items()
    }
    document = {"schema": 1, "prefix": prefix, "next_number": next_number, "sections": rows}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]|#~])")


def escape_markdown(text: str) -> str:
    """Text escaped so that Markdown shows it as written, also in a table cell."""
    return _MARKDOWN.sub(r"\\\1", escape(" ".join(text.split()), quote=False))


def _render_markdown(sections: Mapping[str, Sequence[IndexEntry]], prefix: str, next_number: int | None) -> str:
    parts = [f"# {prefix} round-up"]
    if next_number is not None:
        parts += ["", f"Next {prefix} Number: {next_number}"]
    for name, entries in sections.items():
        parts += ["", f"## {HEADINGS[name].format(prefix=prefix)}", ""]
        parts += [f"| {prefix} | Release |", "|---|---|"]
        for entry in entries:
            label = escape_markdown(f"{format_key(prefix, entry.number)}: {entry.title}")
            if entry.url and is_web_address(entry.url):
                target = re.sub(r"[\s<>()|\\]", lambda m: f"%{ord(m.group()):02X}", entry.url)
                label = f"[{label}]({target})"
            parts.append(f"| {label}{' (WIP)' if entry.in_progress else ''} | {escape_markdown(entry.release or '')} |")
    return "\n".join(parts) + "\n"


def _render_html(sections: Mapping[str, Sequence[IndexEntry]], prefix: str, next_number: int | None) -> str:
    parts = [f"<h1>{escape(prefix)} round-up</h1>"]
    if next_number is not None:
        parts.append(f"<p>Next {escape(prefix)} Number: <strong>{next_number}</strong></p>")
    parts += [render_section(name, entries, prefix) for name, entries in sections.items()]
    return "\n".join(parts) + "\n"


def render_section(name: str, entries: Sequence[IndexEntry], prefix: str) -> str:
    rows = "".join(render_row(e, prefix) + "\n" for e in entries)
    heading = escape(HEADINGS[name].format(prefix=prefix))
    head = f"<tr><th>{escape(prefix)}</th><th>Release</th></tr>"
    return f"<h2>{heading}</h2>\n<table><tbody>\n{head}\n{rows}</tbody></table>"


def render_row(
    entry: IndexEntry,
    prefix: str,
    columns: Sequence[str] = ("", "release"),
    kept: Mapping[str, str] | None = None,
    *,
    label: str | None = None,
) -> str:
    """A table row for these columns (storage format).

    `kept`: cells that are not ours, by column; `label`: the first cell's content. Both as written.
    """
    cells = [f"<td>{label or render_label(entry, prefix)}</td>"]
    for column in columns[1:]:
        if column.startswith("release"):
            cells.append(f"<td>{escape(entry.release or '')}</td>")
        else:
            cells.append((kept or {}).get(column, "<td></td>"))
    return f"<tr>{''.join(cells)}</tr>"


def render_label(entry: IndexEntry, prefix: str) -> str:
    """The content of the first cell: linked title and "(WIP)"."""
    label = escape(f"{format_key(prefix, entry.number)}: {entry.title}")
    if entry.url and is_web_address(entry.url):
        label = f'<a href="{escape(entry.url)}">{label}</a>'
    return label + (" (WIP)" if entry.in_progress else "")

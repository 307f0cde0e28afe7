"""The hand-kept index page: process prose, round-up tables, recordings; a version for each edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape

from kipflow.sandbox.plans import Plan
from kipflow.sandbox.stories import NEXT_NUMBER, PLANS
from kipflow.sandbox.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row as people wrote it; `text` is the whole link text."""

    text: str
    title: str = ""
    after: str = ""
    release: str = ""


#: Rows from before the list's archive begins. KIP-4 stands twice, and the order is not the numbers'.
_OLD: Mapping[str, tuple[Row, ...]] = {
    "accepted": (
        Row(text="KIP-4 - Administrative operations over the wire", after=",,, (WIP)"),
        Row(text="KIP-4 - Metadata changes", release="1.2.0"),
        Row(text="KIP-23: Record headers", release="1.4.0"),
        Row(text="KIP-17 Preallocate segments on slow disks", release="1.3.0"),
        Row(text="KIP-38- Quotas", after=" (WIP)", release="2.0.0"),
    ),
    "discussion": (),
    "dormant": (Row(text="KIP-31 - Plug-in storage"),),
    "discarded": (Row(text="KIP-12: A web console"), Row(text="KIP-29 - Multiple log directories per topic")),
}

_HEADINGS = {
    "accepted": "Adopted KIPs",
    "discussion": "KIPs under discussion",
    "dormant": "Dormant/inactive KIPs",
    "discarded": "Discarded KIPs",
}

_PROSE = (
    "<p>This page describes how Sandpiper decides about major changes.</p>"
    '<ac:structured-macro ac:name="toc" ac:schema-version="1" />'
    "<h1>Process</h1><p>A proposal is needed for every new subsystem and for every change to a public interface, "
    "so that everybody who builds on Sandpiper can have a say before it is too late.</p>"
    "<ol><li>Take the next free number and copy the template.</li>"
    "<li>Start a thread with the subject [DISCUSS] KIP-{your KIP number} {your KIP heading}.</li>"
    "<li>Call a [VOTE] when the page is final. It needs three binding +1 &amp; more +1 than -1, "
    "for at least 72 hours.</li>"
    "<li>Update the table below and the state on the page.</li></ol>"
    "<h1>KIP round-up</h1>"
)

_CALLS = (
    (
        -40,
        41,
        "<li>KIP-84 - old admin protocol: two tools still depend on it. Hal will contact their authors.</li>"
        "<li>KIP-88 (controller): agreed on the roles, the upgrade needs another look.</li>",
    ),
    (
        -110,
        37,
        "<li>KIP-74: a new log format is worth it only with a plan for old readers.</li>"
        "<li>KIP-70 and KIP-72: no concerns.</li>",
    ),
)
_CLOSING = (
    "<p><em>Please keep this page in order &ndash; thank you! &nbsp;It is read by people &amp; by programs.</em></p>"
)


def write_index(world: World, titles: Mapping[int, str]) -> Iterator[tuple[datetime, str, str, str]]:
    """The versions of the index page: when, by whom, its body, the edit's comment."""
    moves = sorted(_moves(world), key=lambda m: (m[0], m[1].number))
    where: dict[int, tuple[str, str, bool]] = {}
    start = world.at(-427)
    recordings = _render_recordings(world)
    yield start, "bvogel", render_index_body(where, titles, 61, recordings), "Set up the page"
    number = 61
    for at, plan, section, release, in_progress in moves:
        where[plan.number] = (section, release, in_progress)
        number = max(number, plan.number + 1)
        comment = f"Add {plan.key}" if section == "discussion" else f"Move {plan.key}"
        body = render_index_body(where, titles, min(number, NEXT_NUMBER), recordings)
        yield at, plan.author, body, comment


def _moves(world: World) -> Iterator[tuple[datetime, Plan, str, str, bool]]:
    for plan in PLANS:
        origin = world.origin(plan)
        yield world.at(plan.created + 0.02, origin=origin), plan, "discussion", "", False
        for shelf in plan.shelves:
            yield world.at(shelf.at, origin=origin), plan, shelf.section, shelf.release, shelf.in_progress


def render_index_body(
    where: Mapping[int, tuple[str, str, bool]], titles: Mapping[int, str], next_number: int, recordings: str
) -> str:
    """The page with each proposal in the section where people have put it."""
    parts = [_PROSE, f"<p><strong>Next KIP Number: {next_number}</strong></p>"]
    parts.append("<p>Use this number as the identifier for your KIP and increment this value.</p>")
    for section, heading in _HEADINGS.items():
        rows = list(_OLD[section])
        for number, (here, release, in_progress) in where.items():
            if here == section:
                rows.append(_row(number, titles[number], release, in_progress=in_progress))
        parts.append(f"<h2>{heading}</h2>{_table(rows, section)}")
    return "".join(parts) + recordings + _CLOSING


def _render_recordings(world: World) -> str:
    rows = "".join(
        f'<tr><td><a href="https://video.sandbox.example/call-{number}">{world.at(day):%Y-%m-%d}</a></td>'
        f"<td><ul>{notes}</ul></td></tr>"
        for day, number, notes in _CALLS
    )
    head = "<tr><th>Date (link to recording)</th><th>Summary</th></tr>"
    return f"<h1>KIP Discussion Recordings</h1><table><tbody>{head}{rows}</tbody></table>"


def _row(number: int, page_title: str, release: str, *, in_progress: bool) -> Row:
    """A row in one of the manners in which people write number and title."""
    key = f"KIP-{number}"
    title = page_title.removeprefix(key).lstrip(" :-")
    separator = (" - ", ": ", " ", ": ", "- ")[number % 5]
    after = (" (WIP)", ", (WIP)")[number % 2] if in_progress else ""
    return Row(text=f"{key}{separator}{title}", title=page_title, after=after, release=release)


def _table(rows: list[Row], section: str) -> str:
    second = "Release" if section == "accepted" else "Comment"
    body = "".join(f"<tr><td>{_link(row)}{escape(row.after)}</td><td>{escape(row.release)}</td></tr>" for row in rows)
    return f"<table><tbody><tr><th>KIP</th><th>{second}</th></tr>{body}</tbody></table>"


def _link(row: Row) -> str:
    if not row.title:
        return escape(row.text)
    target = f'<ri:page ri:content-title="{escape(row.title)}" />'
    return f"<ac:link>{target}<ac:link-body>{escape(row.text)}</ac:link-body></ac:link>"

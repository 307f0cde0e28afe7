"""The hand-maintained index page: process prose, round-up tables, recordings; a version for each edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape

from pydantic.dataclasses import dataclass

from kipflow.sandbox.data import STRICT
from kipflow.sandbox.pagebody import WIKI, ScriptedVersion
from kipflow.sandbox.plans import NEXT_NUMBER, PLANS, Plan, Shelf
from kipflow.sandbox.world import find_origin, moment


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Row:
    """A row as people wrote it; `text` is the whole link text."""

    text: str
    title: str = ""
    after: str = ""
    release: str = ""


def write_index(anchor: datetime, titles: Mapping[int, str]) -> Iterator[ScriptedVersion]:
    """The versions of the index page."""
    where: dict[int, Shelf] = {}
    recordings, number = _render_recordings(anchor), 61

    def write(at: datetime, who: str, message: str) -> ScriptedVersion:
        body = _render_index(where, titles, min(number, NEXT_NUMBER), recordings)
        return ScriptedVersion(at=at, who=who, body=body, message=message)

    yield write(moment(anchor, -427), "bvogel", "Set up the page")
    for at, plan, shelf in sorted(_find_moves(anchor), key=lambda m: (m[0], m[1].number)):
        where[plan.number], number = shelf, max(number, plan.number + 1)
        yield write(at, plan.author, f"Add {plan.key}" if shelf.section == "discussion" else f"Move {plan.key}")


def _find_moves(anchor: datetime) -> Iterator[tuple[datetime, Plan, Shelf]]:
    for plan in PLANS:
        first = Shelf(at=plan.edits[0].at + 0.02, section="discussion")
        for shelf in filter(None, (first, plan.index)):
            yield moment(find_origin(plan, anchor), shelf.at), plan, shelf


def _render_index(where: Mapping[int, Shelf], titles: Mapping[int, str], next_number: int, recordings: str) -> str:
    """The page with each proposal in the section to which people have moved it."""
    parts = [WIKI["prose"].format(next_number=next_number)]
    for section, given in WIKI["sections"].items():
        rows = [Row(**row) for row in given.get("rows", ())]
        rows += [_row(number, titles[number], shelf) for number, shelf in where.items() if shelf.section == section]
        parts.append(f"<h2>{given['heading']}</h2>{_table(rows, section)}")
    return "".join(parts) + recordings + str(WIKI["closing"])


def _render_recordings(anchor: datetime) -> str:
    rows = "".join(
        f'<tr><td><a href="https://video.sandbox.example/call-{c["call"]}">{moment(anchor, c["at"]):%Y-%m-%d}</a></td>'
        f"<td><ul>{c['notes']}</ul></td></tr>"
        for c in WIKI["recordings"]
    )
    head = "<tr><th>Date (link to recording)</th><th>Summary</th></tr>"
    return f"<h1>KIP Discussion Recordings</h1><table><tbody>{head}{rows}</tbody></table>"


def _row(number: int, page_title: str, shelf: Shelf) -> Row:
    """A row in one of the styles in which people write number and title."""
    key = f"KIP-{number}"
    separator = (" - ", ": ", " ", ": ", "- ")[number % 5]
    after = (" (WIP)", ", (WIP)")[number % 2] if shelf.wip else ""
    text = f"{key}{separator}{page_title.removeprefix(key).lstrip(' :-')}"
    return Row(text=text, title=page_title, after=after, release=shelf.release)


def _table(rows: list[Row], section: str) -> str:
    second = "Release" if section == "accepted" else "Comment"
    body = "".join(f"<tr><td>{_link(row)}{escape(row.after)}</td><td>{escape(row.release)}</td></tr>" for row in rows)
    return f"<table><tbody><tr><th>KIP</th><th>{second}</th></tr>{body}</tbody></table>"


def _link(row: Row) -> str:
    if not row.title:
        return escape(row.text)
    target = f'<ri:page ri:content-title="{escape(row.title)}" />'
    return f"<ac:link>{target}<ac:link-body>{escape(row.text)}</ac:link-body></ac:link>"

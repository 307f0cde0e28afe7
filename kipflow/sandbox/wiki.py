"""The story's wiki (`wiki.yaml`): proposal pages and the index page in storage format, with all versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from html import escape

from kipflow.sandbox.data import load_yaml, moment
from kipflow.sandbox.plans import NEXT_NUMBER, PLANS, Edit, Plan, Shelf
from kipflow.sandbox.tickets import ticket_key
from kipflow.sandbox.wikistate import LivePage, Version

INDEX_PAGE = "1000"
_WIKI = load_yaml("wiki.yaml")
_PIECES: dict[str, str] = _WIKI["pieces"]


def page_title(plan: Plan) -> str:
    """The page's title; people write the separator as they like."""
    separator = (": ", " - ", " ", ": ", ": ")[plan.number % 5]
    return f"{plan.key}{separator}{plan.title}"


def write_pages(anchor: datetime) -> Iterator[LivePage]:
    """The index page, the template and every proposal's page."""
    index = tuple(write_index(anchor))
    yield LivePage(page_id=INDEX_PAGE, title="Sandpiper Improvement Proposals", parent=None, script=index)
    template = Version(at=moment(anchor, -426), who="bvogel", body=_WIKI["template"])
    yield LivePage(page_id="1001", title="KIP-Template", parent=INDEX_PAGE, script=(template,))
    yield LivePage(page_id="1002", title="Call notes", parent=INDEX_PAGE, script=tuple(_write_call_notes(anchor)))
    for plan in PLANS:
        yield _write_page(anchor, plan)


def _write_call_notes(anchor: datetime) -> Iterator[Version]:
    call, head = moment(anchor, -12), _WIKI["call_notes"]
    yield Version(at=moment(anchor, -426), who="amaro", body=head)
    notes = _WIKI["newest_call"].format(day=f"{call:%Y-%m-%d}")
    yield Version(at=call, who="amaro", body=head + notes, message="Notes of the call")


def _write_page(anchor: datetime, plan: Plan) -> LivePage:
    times = [(edit, plan.find_time(anchor, edit.at)) for edit in plan.edits]
    return LivePage(
        page_id=str(2000 + plan.number),
        title=page_title(plan),
        parent=INDEX_PAGE,
        script=tuple(Version(at=at, who=plan.author, body=render_body(plan, e), message=e.note) for e, at in times),
        denied=plan.page == "restricted",
        gone=plan.page == "deleted",
        labels=("kip",),
    )


def render_body(plan: Plan, edit: Edit) -> str:
    """The body of the page's version saved by `edit`, with all changes that its author has made so far."""
    if plan.page == "template":
        problem = "Describe the problems you are trying to solve."
        return str(_WIKI["template"]).replace(problem, escape(plan.topic.gain), 1)
    notes = [e.note for e in plan.edits if e.at <= edit.at and e.note]
    discussed = plan.discuss is not None and edit.at >= plan.discuss.at
    colour = _WIKI["colours"].get(edit.status, "Yellow")
    values = {"key": plan.key, "ticket": ticket_key(plan), "state": escape(edit.status), "colour": colour}
    values |= {name: escape(text) for name, text in asdict(plan.topic).items()}
    shown = "lozenge" if plan.page == "lozenge" else "plain" if plan.number % 3 else "emphasis"
    values |= {
        "state": _PIECES[shown].format(**values),
        "thread": _PIECES["thread"].format(**values) if discussed else "TBD",
        "jira": _PIECES["ticket_macro" if plan.number % 2 else "ticket_link"].format(**values),
        "interfaces": "".join(f"<li>{escape(line)}</li>" for line in plan.interfaces),
        "settings": _PIECES["settings"].format(**values) if plan.topic.setting else "",
        "notes": "".join(f"<p>{escape(note)}.</p>" for note in notes),
    }
    body = "".join(f"<h1>{title}</h1>{text.format(**values)}" for title, text in _WIKI["proposal"].items())
    if plan.page == "broken" and edit is plan.edits[-1]:
        return body.replace("<h1>Proposed Changes</h1>", _PIECES["broken"])
    return body


# -- the index page, which people maintain by hand -------------------------------------------------
def write_index(anchor: datetime) -> Iterator[Version]:
    """The versions of the index page: one for each move of a proposal to a section."""
    where: dict[int, tuple[Plan, Shelf]] = {}
    recordings, number = _render_recordings(anchor), 61

    def write(at: datetime, who: str, message: str) -> Version:
        return Version(at=at, who=who, body=_render_index(where, number, recordings), message=message)

    yield write(moment(anchor, -427), "bvogel", "Set up the page")
    for at, plan, shelf in sorted(_find_moves(anchor), key=lambda m: (m[0], m[1].number)):
        where[plan.number], number = (plan, shelf), max(number, min(plan.number + 1, NEXT_NUMBER))
        yield write(at, plan.author, f"Add {plan.key}" if shelf.section == "discussion" else f"Move {plan.key}")


def _find_moves(anchor: datetime) -> Iterator[tuple[datetime, Plan, Shelf]]:
    for plan in PLANS:
        first = Shelf(at=plan.edits[0].at + 0.02, section="discussion")
        for shelf in filter(None, (first, plan.index)):
            yield plan.find_time(anchor, shelf.at), plan, shelf


def _render_index(where: Mapping[int, tuple[Plan, Shelf]], next_number: int, recordings: str) -> str:
    """The page with each proposal in the section to which people have moved it."""
    parts = [_WIKI["prose"].format(next_number=next_number)]
    for section, given in _WIKI["sections"].items():
        second = "Release" if section == "accepted" else "Comment"
        rows = [_render_row(**row) for row in given.get("rows", ())]
        rows += [_render_plan(plan, shelf) for plan, shelf in where.values() if shelf.section == section]
        table = f"<table><tbody><tr><th>KIP</th><th>{second}</th></tr>{''.join(rows)}</tbody></table>"
        parts.append(f"<h2>{given['heading']}</h2>{table}")
    return "".join(parts) + recordings + str(_WIKI["closing"])


def _render_recordings(anchor: datetime) -> str:
    rows = "".join(
        f'<tr><td><a href="https://video.sandbox.example/call-{c["call"]}">{moment(anchor, c["at"]):%Y-%m-%d}</a></td>'
        f"<td><ul>{c['notes']}</ul></td></tr>"
        for c in _WIKI["recordings"]
    )
    head = "<tr><th>Date (link to recording)</th><th>Summary</th></tr>"
    return f"<h1>KIP Discussion Recordings</h1><table><tbody>{head}{rows}</tbody></table>"


def _render_plan(plan: Plan, shelf: Shelf) -> str:
    """A proposal's row in one of the styles in which people write number and title."""
    title, separator = page_title(plan), (" - ", ": ", " ", ": ", "- ")[plan.number % 5]
    after = (" (WIP)", ", (WIP)")[plan.number % 2] if shelf.wip else ""
    text = f"{plan.key}{separator}{title.removeprefix(plan.key).lstrip(' :-')}"
    return _render_row(text, title, after, shelf.release)


def _render_row(text: str, title: str = "", after: str = "", release: str = "") -> str:
    """A row as people wrote it; `text` is the whole link text, `title` that of the linked page."""
    link = escape(text)
    if title:
        target = f'<ri:page ri:content-title="{escape(title)}" />'
        link = f"<ac:link>{target}<ac:link-body>{link}</ac:link-body></ac:link>"
    return f"<tr><td>{link}{escape(after)}</td><td>{escape(release)}</td></tr>"

"""The body of a proposal page, in the sections of the KIP template, as Confluence stores it (`wiki.yaml`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from html import escape

from kipflow.sandbox.data import load_yaml
from kipflow.sandbox.plans import Edit, Plan

WIKI = load_yaml("wiki.yaml")
_PIECES: dict[str, str] = WIKI["pieces"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedVersion:
    """A version that someone saves at `at`."""

    at: datetime
    who: str
    body: str
    message: str = ""


def render_body(plan: Plan, edit: Edit, *, ticket: str) -> str:
    """The page's version saved by `edit`, with all changes that its author has made so far."""
    if plan.page == "template":
        return str(WIKI["template"]).replace(
            "Describe the problems you are trying to solve.", escape(plan.topic.gain), 1
        )
    notes = [e.note for e in plan.edits if e.at <= edit.at and e.note]
    discussed = plan.discuss is not None and edit.at >= plan.discuss.at
    colour = WIKI["colours"].get(edit.status, "Yellow")
    values = {"key": plan.key, "ticket": ticket, "state": escape(edit.status), "colour": colour}
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
    body = "".join(f"<h1>{title}</h1>{text.format(**values)}" for title, text in WIKI["proposal"].items())
    if plan.page == "broken" and edit is plan.edits[-1]:
        return body.replace("<h1>Proposed Changes</h1>", _PIECES["broken"])
    return body

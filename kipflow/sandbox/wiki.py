"""The story's wiki: proposal pages and the index page in storage format, with all versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from kipflow.sandbox.indexpage import write_index
from kipflow.sandbox.pagebody import WIKI, ScriptedVersion, render_body
from kipflow.sandbox.plans import PLANS, Plan
from kipflow.sandbox.tickets import ticket_key
from kipflow.sandbox.world import find_origin, moment

INDEX_PAGE = "1000"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScript:
    """A page with all versions in the story. `denied`: it may not be read. `gone`: deleted."""

    page_id: str
    title: str
    parent: str | None
    versions: tuple[ScriptedVersion, ...]
    denied: bool = False
    gone: bool = False
    labels: tuple[str, ...] = ()


def page_title(plan: Plan) -> str:
    """The page's title; people write the separator as they like."""
    separator = (": ", " - ", " ", ": ", ": ")[plan.number % 5]
    return f"{plan.key}{separator}{plan.title}"


def write_pages(anchor: datetime) -> Iterator[PageScript]:
    """The index page, the template and every proposal's page."""
    titles = {plan.number: page_title(plan) for plan in PLANS}
    versions = tuple(write_index(anchor, titles))
    yield PageScript(page_id=INDEX_PAGE, title="Sandpiper Improvement Proposals", parent=None, versions=versions)
    template = ScriptedVersion(at=moment(anchor, -426), who="bvogel", body=WIKI["template"])
    yield PageScript(page_id="1001", title="KIP-Template", parent=INDEX_PAGE, versions=(template,))
    yield PageScript(page_id="1002", title="Call notes", parent=INDEX_PAGE, versions=tuple(_write_call_notes(anchor)))
    for plan in PLANS:
        yield _write_page(anchor, plan)


def _write_call_notes(anchor: datetime) -> Iterator[ScriptedVersion]:
    call, head = moment(anchor, -12), WIKI["call_notes"]
    yield ScriptedVersion(at=moment(anchor, -426), who="amaro", body=head)
    notes = WIKI["newest_call"].format(day=f"{call:%Y-%m-%d}")
    yield ScriptedVersion(at=call, who="amaro", body=head + notes, message="Notes of the call")


def _write_page(anchor: datetime, plan: Plan) -> PageScript:
    origin, ticket = find_origin(plan, anchor), ticket_key(plan)
    versions = tuple(
        ScriptedVersion(
            at=moment(origin, edit.at),
            who=plan.author,
            body=render_body(plan, edit, ticket=ticket),
            message=edit.note,
        )
        for edit in plan.edits
    )
    return PageScript(
        page_id=str(2000 + plan.number),
        title=page_title(plan),
        parent=INDEX_PAGE,
        versions=versions,
        denied=plan.page == "restricted",
        gone=plan.page == "deleted",
        labels=("kip",),
    )

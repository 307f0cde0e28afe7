"""The story's wiki: proposal pages and the index page, in Confluence's storage format, with histories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape

from kipflow.sandbox.indexpage import write_index
from kipflow.sandbox.pagebody import TEMPLATE_BODY, render_body
from kipflow.sandbox.plans import Edit, Plan
from kipflow.sandbox.stories import PLANS
from kipflow.sandbox.tickets import ticket_key
from kipflow.sandbox.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedVersion:
    """A version that someone saves at `at`."""

    at: datetime
    who: str
    body: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScript:
    """A page with all versions that the story will give it. `denied`: it may not be read. `gone`: deleted."""

    page_id: str
    title: str
    parent: str | None
    versions: tuple[ScriptedVersion, ...]
    denied: bool = False
    gone: bool = False
    labels: tuple[str, ...] = ()


def page_id_of(plan: Plan) -> str:
    return str(2000 + plan.number)


def page_title(plan: Plan) -> str:
    """The page's title; people write the separator as they like."""
    separator = (": ", " - ", " ", ": ", ": ")[plan.number % 5]
    return f"{plan.key}{separator}{plan.title}"


def write_pages(world: World, index_page: str) -> Iterator[PageScript]:
    """The index page, the template and every proposal's page."""
    titles = {plan.number: page_title(plan) for plan in PLANS}
    versions = tuple(
        ScriptedVersion(at=at, who=who, body=body, message=message)
        for at, who, body, message in write_index(world, titles)
    )
    yield PageScript(page_id=index_page, title="Sandpiper Improvement Proposals", parent=None, versions=versions)
    start = world.at(-426)
    template = ScriptedVersion(at=start, who="bvogel", body=TEMPLATE_BODY)
    yield PageScript(page_id="1001", title="KIP-Template", parent=index_page, versions=(template,))
    yield PageScript(page_id="1002", title="Call notes", parent=index_page, versions=tuple(_write_call_notes(world)))
    for plan in PLANS:
        yield _write_page(world, plan, index_page)


def _write_call_notes(world: World) -> Iterator[ScriptedVersion]:
    """The page on which the community keeps notes of its calls since it no longer records them."""
    head = "<p>Notes of the community calls, newest first.</p>"
    yield ScriptedVersion(at=world.at(-426), who="amaro", body=head)
    call = world.at(-12)
    notes = (
        f"<h2>{call:%Y-%m-%d}</h2><ul>"
        "<li>KIP-88: who keeps the roles during an upgrade? Hal asks two operators.</li>"
        "<li>KIP-84 waits for the authors of the two tools.</li></ul>"
    )
    yield ScriptedVersion(at=call, who="amaro", body=head + notes, message="Notes of the call")


def _write_page(world: World, plan: Plan, index_page: str) -> PageScript:
    origin = world.origin(plan)
    versions: list[ScriptedVersion] = []
    notes: list[str] = []
    for number, edit in enumerate(plan.edits):
        notes += [edit.note] if edit.note else []
        body = _body(world, plan, edit, tuple(notes), last=number == len(plan.edits) - 1)
        at = world.at(edit.at, origin=origin)
        versions.append(ScriptedVersion(at=at, who=edit.who, body=body, message=edit.note))
    return PageScript(
        page_id=page_id_of(plan),
        title=page_title(plan),
        parent=index_page,
        versions=tuple(versions),
        denied=plan.page == "restricted",
        gone=plan.page == "deleted",
        labels=("kip",),
    )


def _body(world: World, plan: Plan, edit: Edit, notes: tuple[str, ...], *, last: bool) -> str:
    if plan.page == "template":
        return TEMPLATE_BODY.replace("Describe the problems you are trying to solve.", escape(plan.topic.gain), 1)
    discussed = plan.discuss is not None and edit.at >= plan.discuss
    body = render_body(
        plan,
        state=edit.status,
        lozenge=plan.page == "lozenge",
        ticket=ticket_key(world, plan),
        discussed=discussed,
        notes=notes,
    )
    if plan.page == "broken" and last:
        # a table pasted from elsewhere: tags that never close, a stray ampersand, an attribute without quotes
        body = body.replace(
            "<h1>Proposed Changes</h1>", "<h1>Proposed Changes<table width=80%><tr><td>cost & gain<td><p>low"
        )
    return body

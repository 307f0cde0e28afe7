"""The files of the public site, as path and bytes. They depend on nothing but the views and the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from jinja2 import Environment
from markupsafe import Markup, escape

from kipflow.domain.events import Stage
from kipflow.domain.senders import KnownBy
from kipflow.domain.times import render_machine_time, say_moment
from kipflow.domain.votes import Ballot, BallotStatus, Choice
from kipflow.services.board import Metrics, Overview, ProposalView
from kipflow.web.metrics import build_charts
from kipflow.web.render import STATIC, build_environment, find_safe_url
from kipflow.web.site.data import ProposalFile, SiteIndex, render_index, render_proposal, render_schema
from kipflow.web.site.feeds import render_atom, render_calendar
from kipflow.web.site.public import as_public, hide_addresses
from kipflow.web.timeline import build_timeline

_STATIC = {name: name for name in ("board.css", "icon.svg")} | {
    name: f"site/{name}" for name in ("site.css", "site.js", "theme.js")
}
_TONES = {Choice.FOR: "plus", Choice.ABSTAIN: "zero", Choice.AGAINST: "minus", None: "none"}


class Published(Protocol):
    """The data source of the site."""

    def published(self, as_of: datetime) -> tuple[ProposalView, ...]:
        """Every listed proposal by number, as recorded by `as_of`."""
        ...

    def overview(self, as_of: datetime) -> Overview: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The community's name, the site's title, and the address to which a ticket's key is appended ("": no links)."""

    community: str
    title: str
    tickets: str = ""


def build_site(board: Published, site: Site, now: datetime) -> Iterator[tuple[str, bytes]]:
    """Every file of the site as path (relative, with "/") and content; deterministic for a store and a time."""
    views = [as_public(view) for view in board.published(now)]
    metrics = board.overview(now).metrics
    for path, source in _STATIC.items():
        yield path, (STATIC / source).read_bytes()
    texts = {
        "index.json": render_index(site.community, views),
        "schema.json": render_schema(SiteIndex),
        "proposal.schema.json": render_schema(ProposalFile),
        "feed.atom": render_atom(site.community, site.title, views),
        "votes.ics": render_calendar(site.community, site.title, views),
    }
    for path, text in texts.items():
        yield path, text.encode()
    yield from _build_pages(site, views, metrics, now)


def _build_pages(
    site: Site, views: Sequence[ProposalView], metrics: Metrics | None, now: datetime
) -> Iterator[tuple[str, bytes]]:
    environment = build_environment()
    environment.globals.update(title=site.title, tickets=site.tickets, now=now, operator=None, tones=_TONES)
    environment.globals.update(reason=_say_why_binding, on=_mark_time, link=_link, quote=_quote)
    stages = Counter(view.stage for view in views)
    votes = [view for view in views if view.stage is Stage.VOTE and view.votes]
    votes.sort(key=lambda view: view.votes[-1].terms.earliest_close)
    values: dict[str, dict[str, Any]] = {
        "index.html": {"views": views[::-1], "votes": votes, "stages": [(stage, stages[stage]) for stage in Stage]},
        "metrics.html": {"metrics": _hide(metrics), "charts": build_charts(metrics) if metrics is not None else ()},
    }
    for path, given in values.items():
        yield path, environment.get_template(f"site/{path}").render(root="", here=path, **given).encode()
    yield from _build_proposals(environment, views)


def _build_proposals(environment: Environment, views: Sequence[ProposalView]) -> Iterator[tuple[str, bytes]]:
    template = environment.get_template("site/proposal.html")
    # once: importing macros for each of a thousand pages takes longer than filling the pages
    macros = environment.get_template("macros.html").make_module({"root": "../"})
    for view in views:
        page = template.render(root="../", here="", view=view, timeline=build_timeline(view), m=macros)
        yield f"proposals/{view.proposal.number}.html", page.encode()
        yield f"proposals/{view.proposal.number}.json", render_proposal(view).encode()


# Functions, not macros: a thousand pages call them seventy times each, and a macro takes five times as long.


def _mark_time(at: datetime) -> Markup:
    return Markup(f'<time datetime="{render_machine_time(at)}">{say_moment(at)}</time>')  # noqa: S704 digits only


def _link(url: str | None, text: str) -> Markup:
    """The text, as a link if the address is an http(s) one."""
    safe, shown = find_safe_url(url), escape(text)
    if not safe:
        return shown
    return Markup(f'<a class="out" href="{escape(safe)}" rel="noopener noreferrer">{shown}</a>')  # noqa: S704 escaped


def _quote(line: str, url: str | None) -> Markup:
    footer = f"<footer>{_link(url, 'source')}</footer>" if find_safe_url(url) else ""
    return Markup(f'<blockquote class="line"><p>{escape(line)}</p>{footer}</blockquote>')  # noqa: S704 escaped


def _hide(metrics: Metrics | None) -> Metrics | None:
    if metrics is None:
        return None
    return replace(metrics, rows=tuple(replace(r, dimension=hide_addresses(r.dimension)) for r in metrics.rows))


def _say_why_binding(ballot: Ballot) -> str:
    """Why a ballot binds, or does not; empty for a ballot in review, whose sender may be in doubt."""
    if ballot.status is BallotStatus.REVIEW:
        return ""
    if ballot.binding:
        return "by the roster"
    if ballot.known_by in {KnownBy.UNKNOWN, KnownBy.NAME}:
        return "address not on the roster"
    return "no binding role then"

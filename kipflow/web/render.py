"""Renders views as HTML: one Jinja2 environment, always escaping; undefined names are errors."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from kipflow.domain import times
from kipflow.domain.clocks import find_coverage
from kipflow.domain.errors import KipflowError
from kipflow.domain.pages import PageVersion
from kipflow.domain.ruled import say_end
from kipflow.services.board import Board
from kipflow.services.conditions import Condition
from kipflow.services.settling import (
    find_drift_way,
    find_overrides,
    find_release_ways,
    find_revoke_way,
    find_ways,
    render_command,
)
from kipflow.services.shown_commands import address_commands
from kipflow.services.undo import say_items
from kipflow.services.wording import is_undated, say_authentication, say_payload, say_ruling
from kipflow.web import charts, metrics, wording
from kipflow.web.cache import PageCache
from kipflow.web.forms import build_form
from kipflow.web.writing import Operator

T = TypeVar("T")
FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"


@dataclass(frozen=True, slots=True, kw_only=True)
class Masthead:
    """The header data of every page: the community, whether anything is sent, and current problems (`conditions`).

    `program` is the beginning of shown commands, with this board's community. `index_editor` is the address of the
    wiki's editor for its index, "" if there is no wiki.
    """

    title: str = "Proposals"
    program: str = "kipflow"
    dry_run: bool = False
    index_editor: str = ""
    conditions: tuple[Condition, ...] = ()


def read_if_possible(read: Callable[[], T]) -> T | None:
    """The result of `read`; None if it raises `KipflowError`: the page itself then reports the error."""
    try:
        return read()
    except KipflowError:
        return None


class Pages:
    """Renders templates with the time of the request as `now`."""

    def __init__(
        self,
        *,
        masthead: Callable[[], Masthead],
        clock: Callable[[], datetime],
        find_operator: Callable[[Request], Operator | None] | None = None,
        find_me: Callable[[Request], str] | None = None,
    ) -> None:
        self._masthead, self._clock = masthead, clock
        self._find_operator = find_operator or (lambda _: None)
        self.find_me = find_me or (lambda _: "")
        self._environment, self._cache = _find_environment(), PageCache()

    def render_cached(
        self, request: Request, template: str, *, now: datetime, version: Hashable, read: Callable[[], dict[str, Any]]
    ) -> HTMLResponse:
        """A page without forms, cached by store version and minute; `read` loads its values on a cache miss."""
        context = self._page_context(request)
        values = {"now": now, "operator": None, "me": self.find_me(request)}
        minute = now.replace(second=0, microsecond=0)
        key = (template, version, minute, context["masthead"], context["root"], bool(values["me"]))
        page = self._environment.get_template(template)
        return HTMLResponse(self._cache.find_or_render(key, lambda: page.render({**context, **values, **read()})))

    def render(self, request: Request, template: str, *, now: datetime | None = None, **values: Any) -> HTMLResponse:
        """Render `template`. In it, `root` is the relative path from the request to the board's first page."""
        moment = now if now is not None else self._clock()
        reader = {"operator": self._find_operator(request), "me": self.find_me(request)}
        return HTMLResponse(self._fill(request, template, {"now": moment, **reader, **values}))

    def render_error(self, request: Request, status: int, line: str, *, sign_in: str) -> HTMLResponse:
        """A page of one line, with a link out. Uses neither clock nor store: either may be what failed."""
        values = {"now": None, "operator": None, "me": "", "code": status, "line": line, "sign_in": sign_in}
        return HTMLResponse(self._fill(request, "error.html", values), status_code=status)

    def _fill(self, request: Request, template: str, values: dict[str, Any]) -> str:
        return self._environment.get_template(template).render({**self._page_context(request), **values})

    def _page_context(self, request: Request) -> dict[str, Any]:
        return {
            "masthead": read_if_possible(self._masthead) or Masthead(),
            "root": find_root(request),
            "here": find_own_path(request),
        }


class BoardPart:
    """A group of the board's endpoints; `board` and `clock` are called once per request."""

    def __init__(self, board: Callable[[], Board], pages: Pages, clock: Callable[[], datetime]) -> None:
        self._board, self._pages, self._clock = board, pages, clock


def find_own_path(request: Request) -> str:
    """The path below the app's mount point: `/proposals/932`, also under Airflow's `/kipflow`."""
    path, mount = str(request.scope["path"]), str(request.scope.get("root_path", ""))
    return path[len(mount) :] if mount and path.startswith(mount) else path


def find_root(request: Request) -> str:
    """`./`, `../` …: relative, so that links work under any mount point and behind any proxy."""
    depth = find_own_path(request).count("/") - 1
    return "../" * depth if depth > 0 else "./"


def find_safe_url(url: str | None) -> str:
    """`url` if it is an http(s) address that may become a link, else "": pages and mails can say `javascript:`."""
    if not url:
        return ""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme in {"http", "https"} and parts.netloc else ""


def render_breakable(text: str) -> Markup:
    """A mail address that may break between its parts, not within a word."""
    return Markup("<wbr>").join(re.split(r"(?<=[@.])", text))


def find_editor_url(page: PageVersion) -> str:
    """The address of the wiki's editor for this page; "" if the page's address has an unknown form."""
    wiki = re.match(r"(https?://[^?#]*?)/(?:display|pages|spaces)/", page.url)
    return f"{wiki[1]}/pages/editpage.action?{urlencode({'pageId': page.page_id})}" if wiki else ""


@pass_context
def _address_commands(context: Context, text: str) -> str:
    """A fixed text whose commands name this board's community; the public site shows no commands."""
    masthead = context.get("masthead")
    return address_commands(text, masthead.program) if masthead is not None else text


def _mark_code(text: str) -> Markup:
    """Text with parts in backticks marked as code, so that commands can be copied without them."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)  # unbalanced backticks
    code = Markup("<code>{}</code>")
    return Markup().join(code.format(part) if place % 2 else part for place, part in enumerate(parts))


def build_environment() -> Environment:
    """A Jinja2 environment for the board's pages; the public site extends its own."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(_FILTERS)
    environment.globals.update(_GLOBALS)
    return environment


#: Shared by all boards of a process: compiling templates takes longer than filling them.
_find_environment = cache(build_environment)


_FILTERS: dict[str, Any] = {
    "time": times.say_moment,
    "date": times.say_day,
    "machine_time": times.render_machine_time,
    "span": times.render_span,
    "safe_url": find_safe_url,
    "breakable": render_breakable,
    "number": metrics.render_number,
    "rule": wording.say_rule,
    "payload": say_payload,
    "commands": _address_commands,
    "code": _mark_code,
    "metric_label": metrics.render_label,
    "metric_value": metrics.render_value,
}
_GLOBALS: dict[str, Any] = {
    "find_ways": find_ways,
    "find_drift_way": find_drift_way,
    "find_overrides": find_overrides,
    "find_release_ways": find_release_ways,
    "find_revoke_way": find_revoke_way,
    "find_editor_url": find_editor_url,
    "render_command": render_command,
    "build_form": build_form,
    "say_authentication": say_authentication,
    "say_end": say_end,
    "say_ruling": say_ruling,
    "say_items": say_items,
    "is_undated": is_undated,
    "say_run": wording.say_run,
    "say_origin": wording.say_origin,
    "words": wording,
    "relative": times.render_relative,
    "elapsed": times.find_elapsed,
    "tally_bar": charts.build_tally_bar,
    "columns": charts.build_columns,
    "by_month": charts.fill_months,
    "headline": metrics.find_headlines,
    "find_coverage": lambda overview: find_coverage([cover.month for cover in overview.months]),
    # short digests of static files, so that a browser may cache each until it changes
    "version": {
        name: hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
        for name in ("board.css", "board.js", "icon.svg")
    },
}

"""Renders the sandbox's pages for people: templates, the common frame, strict security headers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from kipflow.sandbox.mailarchive import mask
from kipflow.sandbox.mrkdwn import render_mrkdwn
from kipflow.sandbox.parts import Now
from kipflow.sandbox.people import PEOPLE, RESIDENTS

#: Everything is escaped; only the results of `render_storage` and `render_mrkdwn`, which escape, are marked safe.
TEMPLATES = Environment(
    loader=PackageLoader("kipflow.sandbox"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals.update(mask=mask, render_mrkdwn=render_mrkdwn, residents=RESIDENTS)
TEMPLATES.globals.update(names={person.id: person.name for person in PEOPLE.values()})

#: These pages need no scripts and no other hosts, and no other site may frame them.
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}


class Frame:
    """Renders a template within the frame that all pages share."""

    def __init__(self, request: Request, now: Now) -> None:
        url = request.url
        self._common = {"now": now, "here": f"{url.path}?{url.query}" if url.query else url.path}

    def __call__(self, template: str, title: str, *, status: int = 200, **values: Any) -> Response:
        text = TEMPLATES.get_template(template).render(self._common, title=title, **values)
        return HTMLResponse(text, status, headers=_SAFE)

    def error(self, what: str, sentence: str, *, status: int = 404) -> Response:
        return self("note.html", what, sentence=sentence, status=status)


Show = Annotated[Frame, Depends()]

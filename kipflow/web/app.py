"""The board as a FastAPI application. Its `dependencies` decide who may see it.

Airflow mounts it with its own authentication (plugins/kipflow_board.py); tests and a person's own machine can
serve it as it is. It is read-only without `writing`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles

from kipflow.services.board import Board
from kipflow.web.acting import ActRoutes
from kipflow.web.api import BoardApi
from kipflow.web.changes import ChangesPage
from kipflow.web.errors import ErrorPages
from kipflow.web.headers import add_security_headers, with_etag
from kipflow.web.pages import BoardPages
from kipflow.web.people import PeoplePages
from kipflow.web.render import STATIC, Masthead, Pages
from kipflow.web.writing import Gate, WriteAccess


def create_app(
    board: Callable[[], Board],
    *,
    clock: Callable[[], datetime],
    dependencies: Sequence[Any] = (),
    masthead: Callable[[], Masthead] = Masthead,
    sign_in_url: str = "",
    find_me: Callable[[Request], str] | None = None,
    writing: WriteAccess | None = None,
) -> FastAPI:
    """The board.

    Args:
        board: returns the read side for one request; may raise `KipflowError`, whose message is then shown.
        clock: returns the time that "in 14 h" is relative to (aware UTC).
        dependencies: FastAPI's checks before every page and JSON answer: who may read.
        masthead: returns the header data of every page; if it raises `KipflowError`, pages have none.
        sign_in_url: where browsers are redirected when `dependencies` answer 401; the page to return to is passed
        as `next`. Programs get the 401.
        find_me: returns the signed-in user's id in the roster, "" if the community's file names none.
        writing: what settling questions needs; None: a read-only board.
    """
    checks = list(dependencies)
    app = FastAPI(title="kipflow board", dependencies=checks, docs_url=None, redoc_url=None, openapi_url=None)
    gate = Gate(writing) if writing is not None else None
    find_operator = gate.find_operator if gate else None
    pages = Pages(masthead=masthead, clock=clock, find_operator=find_operator, find_me=find_me)
    BoardPages(board, pages, clock).add_to(app)
    ChangesPage(board, pages, clock).add_to(app)
    PeoplePages(board, pages, clock).add_to(app)
    BoardApi(board, clock).add_to(app)
    if writing is not None and gate is not None:
        ActRoutes(writing, gate, pages, clock).add_to(app)
    app.mount("/static", _Static(directory=STATIC), name="static")
    ErrorPages(pages, sign_in_url=sign_in_url).add_to(app)

    @app.middleware("http")
    async def secure(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await with_etag(request, await call_next(request))
        add_security_headers(response.headers)
        return response

    return app


class _Static(StaticFiles):
    """Style, script and icon. Their address carries a digest of their content, so browsers may cache them."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=86400"
        return response

"""The board as a FastAPI application. Who may see it is decided by the `dependencies` it is given.

Airflow mounts it with its own authentication (plugins/kipflow_board.py); tests and a person's own machine
can serve it as it is. It only reads: there is no address that changes anything.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from kipflow.domain.errors import KipflowError, ServiceUnavailable, UnknownProposal
from kipflow.services.board import Board
from kipflow.web.api import build_api
from kipflow.web.pages import build_pages
from kipflow.web.render import STATIC, Masthead, Pages, find_own_path
from kipflow.web.security import add_security_headers

log = logging.getLogger("kipflow.web")

_LINES = {
    401: "Sign in to Airflow to see this board.",
    403: "Your account may not see this board.",
    404: "There is no such page on this board.",
    405: "This board only reads; it has nothing to send to.",
    500: "The board could not show this. The API server's log says why.",
}


def create_app(
    board: Callable[[], Board],
    *,
    clock: Callable[[], datetime],
    dependencies: Sequence[Any] = (),
    title: str = "Proposals",
    dry_run: bool = False,
    sign_in_url: str = "",
    root_path: str = "",
) -> FastAPI:
    """The board.

    Args:
        board: gives the read side for one request; may raise `KipflowError`, whose line is then shown.
        clock: tells the time against which "in 14 h" is reckoned (aware UTC).
        dependencies: what FastAPI checks before every page and JSON answer: who may read.
        title: the community's name.
        dry_run: whether nothing is sent; the pages say so.
        sign_in_url: where an anonymous reader can sign in (empty: no link).
        root_path: the prefix a proxy strips, if the app is served behind one by itself.
    """
    app = FastAPI(
        title=f"kipflow board: {title}",
        dependencies=list(dependencies),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        root_path=root_path,
    )
    pages = Pages(masthead=Masthead(title=title, dry_run=dry_run, sign_in_url=sign_in_url), clock=clock)
    app.include_router(build_pages(board, pages, clock))
    app.include_router(build_api(board, clock))
    app.mount("/static", _Static(directory=STATIC), name="static")
    _add_error_pages(app, pages)

    @app.middleware("http")
    async def secure(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        add_security_headers(response.headers)
        return response

    return app


class _Static(StaticFiles):
    """Style, script and icon: their address carries a digest of their content, so they may be kept."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=86400"
        return response


def _add_error_pages(app: FastAPI, pages: Pages) -> None:
    def answer(request: Request, status: int, line: str, headers: dict[str, str] | None = None) -> Response:
        response: Response
        if find_own_path(request).startswith("/api/"):
            response = JSONResponse({"error": line}, status_code=status)
        else:
            response = pages.render_error(request, status, line)
        response.headers.update(headers or {})
        add_security_headers(response.headers)
        return response

    async def refuse(request: Request, error: Exception) -> Response:
        status = int(getattr(error, "status_code", 500))
        headers = dict(getattr(error, "headers", None) or {})
        return answer(request, status, _LINES.get(status, "The board cannot answer this."), headers)

    async def refuse_query(request: Request, error: Exception) -> Response:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": ("?",), "msg": ""}
        name = str(first["loc"][-1])
        return answer(request, 422, f'This address is not understood: "{name}": {first["msg"]}.')

    async def show_unknown(request: Request, error: Exception) -> Response:
        return answer(request, 404, f"{str(error).split(';')[0]}.".capitalize())

    async def show_known(request: Request, error: Exception) -> Response:
        log.error("%s %s: %s", request.method, find_own_path(request), error)
        # where a database or service is to be found is for the log, not for every reader
        line = (
            f"The {error.service} gives no answer: {error.why}" if isinstance(error, ServiceUnavailable) else str(error)
        )
        return answer(request, 503, line)

    async def show_unexpected(request: Request, error: Exception) -> Response:
        log.error("%s %s failed", request.method, find_own_path(request), exc_info=error)
        return answer(request, 500, _LINES[500])

    for status in (400, 401, 403, 404, 405):
        app.add_exception_handler(status, refuse)
    app.add_exception_handler(RequestValidationError, refuse_query)
    app.add_exception_handler(UnknownProposal, show_unknown)
    app.add_exception_handler(KipflowError, show_known)
    app.add_exception_handler(Exception, show_unexpected)

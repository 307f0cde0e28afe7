"""Error responses: one clear line, as a page or as JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse

from kipflow.domain.errors import KipflowError, ServiceUnavailable, UnknownProposal
from kipflow.posted_forms import Refusal
from kipflow.services.changes import NoSuchVersion
from kipflow.services.ruling_checks import BadRuling
from kipflow.web.headers import add_security_headers
from kipflow.web.render import Pages, find_own_path

log = logging.getLogger("kipflow.web")

_LINES = {
    401: "Sign in to Airflow to see this board.",
    403: "Your account may not see this board.",
    404: "There is no such page on this board.",
    405: "This address does not support this method; nothing was changed.",
    500: "The board could not show this. The API server's log says why.",
}
#: The board writes no longer query, in characters; after the sign-in a longer one is dropped.
_LONGEST_QUERY = 2_000
#: Characters that a path may hold as they are (RFC 3986); all others are percent-encoded again.
_PATH_CHARACTERS = "/:@!$&'()*+,;=~-._"
#: Expected error → status and line. `BadRuling` is also raised when somebody else settled the question first.
_REFUSALS: Mapping[type[Exception], tuple[int, str]] = {
    UnknownProposal: (404, "No proposal {error.number} is known."),
    NoSuchVersion: (404, "{error}."),
    BadRuling: (409, "Nothing was changed: {error}."),
}


class ErrorPages:
    """Handlers of errors. None of them uses the store or the clock: either may be what failed."""

    def __init__(self, pages: Pages, *, sign_in_url: str = "") -> None:
        self._pages, self._sign_in_url = pages, sign_in_url

    def add_to(self, app: FastAPI) -> None:
        for status in (400, 403, 404, 405, 413, 415, 422):
            app.add_exception_handler(status, self.refuse)
        app.add_exception_handler(401, self.send_to_sign_in)
        app.add_exception_handler(RequestValidationError, self.refuse_address)
        for kind in _REFUSALS:
            app.add_exception_handler(kind, self.show_refused)
        app.add_exception_handler(KipflowError, self.show_known)
        app.add_exception_handler(Exception, self.show_unexpected)

    async def refuse(self, request: Request, error: Exception) -> Response:
        status = int(getattr(error, "status_code", 500))
        headers = dict(getattr(error, "headers", None) or {})
        line = error.detail if isinstance(error, Refusal) else _LINES.get(status, "The board cannot answer this.")
        return self._answer(request, status, line, headers)

    async def send_to_sign_in(self, request: Request, error: Exception) -> Response:
        """Redirect a browser to the sign-in, and from there back to the page it asked for; a program gets 401."""
        sign_in = self._find_sign_in(request)
        if not sign_in or _is_for_programs(request) or not _is_navigation(request):
            return await self.refuse(request, error)
        answer = RedirectResponse(sign_in, status_code=302)
        answer.headers["Vary"] = "Accept"
        add_security_headers(answer.headers)
        return answer

    async def refuse_address(self, request: Request, error: Exception) -> Response:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": ("?",), "msg": ""}
        return self._answer(request, 422, f'This address is not understood: "{first["loc"][-1]}": {first["msg"]}.')

    async def show_refused(self, request: Request, error: Exception) -> Response:
        status, line = next(answer for kind, answer in _REFUSALS.items() if isinstance(error, kind))
        return self._answer(request, status, line.format(error=error))

    async def show_known(self, request: Request, error: Exception) -> Response:
        log.error("%s %s: %s", request.method, find_own_path(request), error)
        # addresses of databases and services belong in the log, not on a page
        line = (
            f"The {error.service} gives no answer: {error.why}" if isinstance(error, ServiceUnavailable) else str(error)
        )
        return self._answer(request, 503, line)

    async def show_unexpected(self, request: Request, error: Exception) -> Response:
        log.error("%s %s failed", request.method, find_own_path(request), exc_info=error)
        return self._answer(request, 500, _LINES[500])

    def _answer(self, request: Request, status: int, line: str, headers: Mapping[str, str] | None = None) -> Response:
        response: Response
        if _is_for_programs(request):
            response = JSONResponse({"error": line}, status_code=status)
        else:
            sign_in = self._find_sign_in(request) if status in {401, 403} else ""
            response = self._pages.render_error(request, status, line, sign_in=sign_in)
        response.headers.update(headers or {})
        # the middleware that adds these headers does not see the response to an unexpected error
        add_security_headers(response.headers)
        return response

    def _find_sign_in(self, request: Request) -> str:
        """The address of the sign-in, with the requested page as `next`; "" if there is no sign-in."""
        return f"{self._sign_in_url}?{urlencode({'next': find_address(request)})}" if self._sign_in_url else ""


def find_address(request: Request) -> str:
    """The requested path and query. Begins with exactly one slash, so it can never name another host."""
    path = quote("/" + str(request.scope["path"]).lstrip("/\\"), safe=_PATH_CHARACTERS)
    query = bytes(request.scope.get("query_string", b"")).decode("latin-1")
    return f"{path}?{query}" if query and len(query) <= _LONGEST_QUERY else path


def _is_for_programs(request: Request) -> bool:
    return find_own_path(request).startswith("/api/")


def _is_navigation(request: Request) -> bool:
    """Whether a browser asks for a page. Scripts, and the board's own refresh, accept anything ("*/*")."""
    return request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", "").lower()

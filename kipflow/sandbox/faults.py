"""Fault injection: makes the sandbox's services fail, to test how kipflow copes.

A rule is one line: KIND [PATH] [xCOUNT] [NAME=VALUE …], for example

    429 /api/mbox.lua x2 retry-after=1      the next two requests of that path get 429
    500 /confluence x3                      PATH is a prefix; without one every path is meant
    slow /api/stats.lua x1 seconds=20       answers late
    late /slack/api x1 seconds=20           performs the request, and answers late
    reset /api/mbox.lua                     the connection ends in the middle of the body
    short /api/mbox.lua                     Content-Length promises more than the body holds
    cut /api/mbox.lua                       half of the body, with a Content-Length that agrees
    html /api/stats.lua                     an error page in HTML, with status 200
    json /jira                              JSON of an unexpected shape
    conflict /confluence                    somebody else saves the page just before this PUT
    expired                                 the token is no longer valid
    scope /slack/api/conversations          the token lacks this permission

Rules are used up in the given order, one request at a time, so that the same requests get the same
faults.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class FaultKind(StrEnum):
    TOO_MANY = "429"
    BROKEN = "500"
    UNAVAILABLE = "503"
    SLOW = "slow"
    LATE = "late"
    RESET = "reset"
    SHORT = "short"
    CUT = "cut"
    HTML = "html"
    WRONG_JSON = "json"
    CONFLICT = "conflict"
    EXPIRED = "expired"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A rule, with the number of requests for which it still applies."""

    kind: FaultKind
    path: str = "/"
    left: int = 1
    values: dict[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return self.values.get("seconds", 30.0)


_VALUE = re.compile(r"^(retry-after|seconds)=(\d+(?:\.\d+)?)$")
_OWN_PATHS = ("/faults", "/clock", "/health")


def parse_fault(text: str) -> Fault:
    """Parse one rule. Raises ValueError, which names the word that is unknown."""
    words = text.split()
    kinds = ", ".join(FaultKind)
    if not words or words[0] not in set(FaultKind):
        raise ValueError(f"a fault starts with one of {kinds}; got {text.strip()!r}")
    fault = Fault(kind=FaultKind(words[0]))
    for word in words[1:]:
        value = _VALUE.match(word)
        if word.startswith("/"):
            fault = replace(fault, path=word)
        elif re.fullmatch(r"x\d{1,6}", word):
            fault = replace(fault, left=int(word[1:]))
        elif value is not None:
            fault = replace(fault, values={**fault.values, value.group(1): float(value.group(2))})
        else:
            raise ValueError(f"expected /path, xCOUNT, retry-after=N or seconds=N; got {word!r}")
    return fault


def parse_faults(text: str) -> list[Fault]:
    """Parse rules separated by semicolons or line ends."""
    return [parse_fault(part) for part in re.split(r"[;\n]", text) if part.strip()]


class Faults:
    """The rules in force."""

    def __init__(self, rules: list[Fault]) -> None:
        self.rules = list(rules)

    def add(self, rules: list[Fault]) -> None:
        self.rules += rules

    def clear(self) -> None:
        self.rules = []

    def use_up(self, path: str, *kinds: FaultKind) -> Fault | None:
        """The first rule for `path` of one of these kinds (default: any), after using up one of its requests."""
        for position, rule in enumerate(self.rules):
            if rule.left > 0 and path.startswith(rule.path) and (not kinds or rule.kind in kinds):
                self.rules[position] = replace(rule, left=rule.left - 1)
                return rule
        return None

    def describe(self) -> list[dict[str, object]]:
        return [{"kind": r.kind, "path": r.path, "left": r.left, **r.values} for r in self.rules if r.left > 0]


class FaultMiddleware:
    """Applies the rules to responses, except `conflict`, which `confluence` handles."""

    _HERE = tuple(kind for kind in FaultKind if kind is not FaultKind.CONFLICT)

    def __init__(self, app: ASGIApp, *, faults: Faults) -> None:
        self.app, self.faults = app, faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or path.startswith(_OWN_PATHS):
            await self.app(scope, receive, send)
            return
        fault = self.faults.use_up(path, *self._HERE)
        if fault is None:
            await self.app(scope, receive, send)
        elif fault.kind is FaultKind.SLOW:
            await asyncio.sleep(fault.seconds)
            await self.app(scope, receive, send)
        elif fault.kind in _AFTER_REQUEST:
            kept: list[Message] = []

            async def collect(message: Message) -> None:
                kept.append(message)

            await self.app(scope, receive, collect)
            await asyncio.sleep(fault.seconds if fault.kind is FaultKind.LATE else 0)
            for message in kept if fault.kind is FaultKind.LATE else _spoil(fault.kind, kept):
                await send(message)
        else:
            await _refuse(fault, path)(scope, receive, send)


#: Faults that damage or delay a response after the request was performed.
_AFTER_REQUEST = frozenset({FaultKind.LATE, FaultKind.RESET, FaultKind.SHORT, FaultKind.CUT})


def _spoil(kind: FaultKind, kept: list[Message]) -> tuple[Message, Message]:
    """The response with half of its body."""
    start, body = kept[0], b"".join(message.get("body", b"") for message in kept)
    half = body[: len(body) // 2]
    headers = [(k, v) for k, v in start["headers"] if k.lower() not in {b"content-length", b"etag"}]
    if kind is not FaultKind.RESET:
        length = len(half) if kind is FaultKind.CUT else len(body)
        headers.append((b"content-length", str(length).encode()))
    # an unfinished response makes the server drop the connection
    end = {"type": "http.response.body", "body": half, "more_body": kind is not FaultKind.CUT}
    return {**start, "headers": headers}, end


_EXPIRED = {"statusCode": 401, "message": "The token has expired"}
_MAINTENANCE = "<!doctype html><title>Maintenance</title><h1>We will be back soon</h1><p>Planned work.</p>"
#: Fault → the response sent instead, if it does not depend on the request.
_REPLACEMENTS: dict[FaultKind, Callable[[], Response]] = {
    FaultKind.EXPIRED: lambda: JSONResponse(_EXPIRED, 401, headers={"WWW-Authenticate": "Bearer"}),
    FaultKind.SCOPE: lambda: JSONResponse({"ok": False, "error": "missing_scope"}),
    FaultKind.HTML: lambda: HTMLResponse(_MAINTENANCE),
    FaultKind.WRONG_JSON: lambda: JSONResponse(["not", "what", "you", "asked", "for"]),
    FaultKind.BROKEN: lambda: HTMLResponse("<h1>500</h1><p>The server met a problem.</p>", 500),
    FaultKind.UNAVAILABLE: lambda: HTMLResponse("<h1>503</h1><p>The server met a problem.</p>", 503),
}


def _refuse(fault: Fault, path: str) -> Response:
    if fault.kind is FaultKind.TOO_MANY:
        wait = {"Retry-After": f"{fault.values.get('retry-after', 1):g}"}
        return JSONResponse({"ok": False, "error": "ratelimited"}, 429, headers=wait)
    if fault.kind is FaultKind.EXPIRED and path.startswith("/slack/api"):
        return JSONResponse({"ok": False, "error": "token_expired"})
    return _REPLACEMENTS[fault.kind]()

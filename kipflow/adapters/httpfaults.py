"""Faults of one request, each with a short reason for the log that contains no address, header or secret."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx


class Fault(Exception):
    """One failed attempt. `wait` is the delay in seconds that the service asked for. `final`: a retry cannot help.

    `away`: the service did not answer, or is overloaded, so that other requests would fail too.
    """

    def __init__(self, why: str, *, wait: float | None = None, final: bool = False, away: bool = False) -> None:
        super().__init__(why)
        self.why, self.wait, self.final, self.away = why, wait, final, away


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A complete answer, held in memory."""

    status: int
    headers: httpx.Headers
    body: bytes

    def json(self) -> Any:
        """The body as JSON. Raises `Fault` for anything else, such as an error page with status 200."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            kind = self.headers.get("content-type", "").partition(";")[0] or "no type given"
            raise Fault(f"answered {kind} that is not JSON: {find_beginning(self.body)}") from None


def refuse(status: int, body: bytes = b"") -> None:
    """Raise a final `Fault` for a status that is not a success."""
    if 200 <= status < 300:
        return
    reason = {401: "the token was refused", 403: "not allowed", 404: "not found"}.get(status, find_beginning(body))
    raise Fault(f"answered {status}: {reason}".rstrip(": "), final=True)


def as_fault(error: httpx.HTTPError, *, away: bool) -> Fault:
    """A transport error as a fault. An untrusted certificate is final: a retry cannot help."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Fault(f"its certificate is not trusted: {cause.verify_message}"[:200], final=True, away=away)
        if isinstance(cause, socket.gaierror):
            return Fault(f"its host is not found ({cause.strerror})", away=away)
        if isinstance(cause, ConnectionRefusedError):
            return Fault("refuses connections", away=away)
    known: dict[type[httpx.HTTPError], str] = {
        httpx.ConnectTimeout: "no connection in time",
        httpx.ReadTimeout: "no answer in time",
        httpx.TooManyRedirects: "redirects in a circle",
    }
    why = known.get(type(error)) or f"{type(error).__name__}: {error}".rstrip(": ")[:200]
    return Fault(why, final=isinstance(error, httpx.UnsupportedProtocol), away=away)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes."""
    seen: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in seen:
        yield at
        seen.append(at)
        at = at.__cause__ or at.__context__


def find_beginning(body: bytes) -> str:
    """The first words of an answer."""
    return " ".join(body[:200].decode("utf-8", "replace").split())[:80]

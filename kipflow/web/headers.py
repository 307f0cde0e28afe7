"""The headers of every answer of the board: what a browser may do with it, and its ETag.

A client that has the current version already gets a 304 without a body.
"""

from __future__ import annotations

import hashlib
import re

from fastapi import Request, Response
from starlette.datastructures import MutableHeaders

#: Nothing from other hosts and nothing inline: a script in a mail's subject could not run even if escaping
#: failed. `frame-ancestors 'self'` lets only Airflow's own UI frame the board.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    ]
)

_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    # following a link to a mail must not reveal this installation's address to the archive
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def add_security_headers(headers: MutableHeaders) -> None:
    """Add the headers that the response does not set itself (such as how long it may be cached)."""
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
    # pages are only for signed-in people
    headers.setdefault("Cache-Control", "no-store")


#: Parts that differ in every response although nothing is new: the current time, and a form's token.
_VOLATILE = re.compile(
    rb'<time data-now datetime="[^"]*">|name="token" value="[^"]*"|^{"schema":[0-9]+,"as_of":"[^"]*"'
)


async def with_etag(request: Request, response: Response) -> Response:
    """The response with its `ETag`, or 304 if the client has it. Only successful GET responses have one."""
    if request.method != "GET" or response.status_code != 200 or "etag" in response.headers:
        return response
    if not hasattr(response, "body_iterator"):
        return response
    body = b"".join([bytes(part) async for part in response.body_iterator])
    tag = f'W/"{hashlib.sha256(_VOLATILE.sub(b"", body)).hexdigest()[:32]}"'
    headers = {**response.headers, "etag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={k: v for k, v in headers.items() if not k.startswith("content-")})
    return Response(body, headers=headers)

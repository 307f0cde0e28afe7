"""Forms that a browser sends, for the board and the sandbox: whose they are, how large, what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from fastapi import HTTPException, Request

#: Bytes of a form: reasons are short, a list of senders to accept is not.
MAX_BODY = 256 * 1024
MAX_FIELDS = 2_000


class Refusal(HTTPException):
    """A write that is not let through; `detail` is a sentence for whoever asked."""


def refuse_other_sites(request: Request) -> None:
    """Let a write through only where a page of this site sent it, or a program.

    Raises:
        Refusal: 403, it came from a page of another site.
    """
    if not _is_own_origin(request.headers):
        raise Refusal(403, "This came from another site: nothing was changed.")


def _is_own_origin(headers: Mapping[str, str]) -> bool:
    """Whether a request came from this site, as far as the browser says. A program says nothing of it."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


async def read_body(request: Request) -> bytes:
    """The bytes of a request.

    Raises:
        Refusal: 413, there are too many.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise Refusal(413, "This is too much for one request.")
    return bytes(body)


def parse_form(request: Request, body: bytes) -> dict[str, list[str]]:
    """The fields of a form, each with its values.

    Raises:
        Refusal: 415, it is none; 400, it cannot be read.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise Refusal(415, "Send a form.")
    try:
        return parse_qs(body.decode(), max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise Refusal(400, "This form cannot be read.") from error

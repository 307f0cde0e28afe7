"""Where a reader who is not signed in is sent, so that signing in leads back to the page that was asked for."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from fastapi import Request

#: A longer query is no address that the board writes; signing in then leads to the page without it.
_LONGEST_QUERY = 2_000
#: What a path may hold as it is (RFC 3986); all else is percent-encoded again.
_PATH_CHARACTERS = "/:@!$&'()*+,;=~-._"


def find_sign_in(request: Request, sign_in_url: str) -> str:
    """The address of the sign-in, with the page that was asked for as `next`; "" where `sign_in_url` is."""
    if not sign_in_url:
        return ""
    return f"{sign_in_url}?{urlencode({'next': find_address(request)})}"


def find_address(request: Request) -> str:
    """Path and query that were asked for. It begins with one slash: it can never name another host."""
    path = quote("/" + str(request.scope["path"]).lstrip("/\\"), safe=_PATH_CHARACTERS)
    query = bytes(request.scope.get("query_string", b"")).decode("latin-1")
    return f"{path}?{query}" if query and len(query) <= _LONGEST_QUERY else path


def is_navigation(request: Request) -> bool:
    """Whether a person's browser asks for a page. Scripts, and the board's own refresh, ask for anything ("*/*")."""
    return request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", "").lower()

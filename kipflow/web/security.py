"""The headers that every answer of the board carries."""

from __future__ import annotations

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

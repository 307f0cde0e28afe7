"""The headers that every answer of the board carries."""

from __future__ import annotations

from typing import Protocol

#: Nothing from elsewhere and nothing inline: a script that got into a mail's subject could not run even if
#: escaping failed. `frame-ancestors 'self'` lets Airflow's own UI show the board, and nobody else.
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
    # a link to a mail must not show the archive where this installation runs
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class _Headers(Protocol):
    def setdefault(self, key: str, value: str) -> str: ...


def add_security_headers(headers: _Headers) -> None:
    """Add them; what an answer says itself (how long it may be kept, say) stays."""
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
    # pages hold what only signed-in people may see
    headers.setdefault("Cache-Control", "no-store")

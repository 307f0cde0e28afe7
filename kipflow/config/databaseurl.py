"""The database's URL, without SQLAlchemy: what is wrong with one, and a password that is given apart."""

from __future__ import annotations

import re
from urllib.parse import quote

from kipflow.domain.errors import KipflowError

#: User and password, divided as SQLAlchemy does: the first @ ends the password.
_ACCOUNT = re.compile(r"(?<=://)(?:([^:/?#@]*)(?::[^@]*)?@)?")
#: An address without an account; with an @ in it, that may also end a password.
_ADDRESS = re.compile(r"[^:]+://[^:/?#@]*(?::\d+)?(?:[/?#].*)?")
#: No @ after the one that ends the password, unless in an option: the rest of a password would be taken for the host,
#: and shown.
_UNAMBIGUOUS = re.compile(r"sqlite.*|[^:]+://(?:[^:/]*(?::[^@]*)?@)?[^@?]*(?:\?[^=]+=.*)?")


class BadDatabaseUrl(KipflowError):
    """A database URL that is invalid or ambiguous; it is not shown, as it holds a password."""

    def __init__(self) -> None:
        super().__init__(
            "KIPFLOW_DATABASE_URL cannot be read as SCHEME://USER:PASSWORD@HOST:PORT/NAME; write @ / : ? # % in user "
            "and password as %40 %2F %3A %3F %23 %25, or give the password in KIPFLOW_DATABASE_PASSWORD"
        )


class UnsupportedDatabase(KipflowError):
    """A database of a kind that kipflow does not work with."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"KIPFLOW_DATABASE_URL names {kind}, which is not supported; "
            "supported are PostgreSQL (postgresql://…) and SQLite (sqlite:///FILE)"
        )
        self.kind = kind


def is_ambiguous(url: str) -> bool:
    """Whether it is uncertain where the password in it ends."""
    return _UNAMBIGUOUS.fullmatch(url) is None


def set_password(url: str, password: str) -> str:
    """The URL with a password, which is plain, instead of its own. SQLite's are left as they are.

    Raises:
        BadDatabaseUrl: it is ambiguous where its account ends.
    """
    if url.startswith("sqlite"):
        return url
    account = _ACCOUNT.search(url)
    if account is not None and ":" in account[0] and _ADDRESS.fullmatch(url):
        raise BadDatabaseUrl
    return _ACCOUNT.sub(lambda found: f"{found[1] or ''}:{quote(password, safe='')}@", url, count=1)

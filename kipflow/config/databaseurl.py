"""The database's URL as people write it: with passwords that are not percent-encoded."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from kipflow.domain.errors import KipflowError

#: What follows user and password: host, port, name, options. None of them has an @, so the last @ ends the password.
_PLACE = r"(?:\[[0-9A-Fa-f:.]+\]|[\w.%-]*)(?::\d+)?(?:/[^@/?#]*)?(?:\?[\w.-]+=.*)?"
_STANDARD = re.compile(rf"(?:[^/?#]*@)?{_PLACE}")


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


def normalize_database_url(text: str, *, password: str | None = None) -> str:
    """The URL with user and password percent-encoded, for SQLAlchemy. SQLite's are left as they are.

    A standard URL is used unchanged. In another, a password may hold @ / : ? # % if there is only one way to read it.

    Args:
        password: replaces the one in `text`; it is plain, never percent-encoded.

    Raises:
        BadDatabaseUrl: it is invalid or ambiguous.
    """
    scheme, separator, rest = text.partition("://")
    if not separator:
        raise BadDatabaseUrl
    if scheme.startswith("sqlite"):
        return text
    cut = _find_end_of_password(rest)
    account, place = (rest[:cut], rest[cut + 1 :]) if cut >= 0 else ("", rest)
    user, colon, written = account.partition(":")
    secret = password if password is not None else unquote(written)
    shown = f":{quote(secret, safe='')}" if colon or password is not None else ""
    return f"{scheme}://{quote(unquote(user), safe='')}{shown}@{place}" if account or shown else text


def _find_end_of_password(rest: str) -> int:
    """The position of the @ that ends user and password; -1 if there are none."""
    if _STANDARD.fullmatch(rest):
        authority = re.split("[/?#]", rest, maxsplit=1)[0]
        return authority.rfind("@")
    ends = [i for i, c in enumerate(rest) if c == "@" and re.fullmatch(_PLACE, rest[i + 1 :])]
    if len(ends) != 1:
        raise BadDatabaseUrl
    return ends[0]

"""What went wrong with Slack, in its words and in those of the library under it."""

from __future__ import annotations

import socket
from typing import Any
from urllib.error import URLError

_LONGEST_WAIT = 3_600.0
#: Slack's words for what only a person can put right, there: no message is to blame, and none is given up for it.
WITHHELD = frozenset(
    {
        "account_inactive",
        "channel_not_found",
        "invalid_auth",
        "is_archived",
        "missing_scope",
        "no_permission",
        "not_authed",
        "not_in_channel",
        "token_expired",
        "token_revoked",
    }
)
WITHHELD_SECONDS = 900.0


def parse_wait(raw: Any) -> float:
    """A Retry-After in seconds (slack_sdk gives it as text or as a list); 30 where it is no number."""
    value = raw[0] if isinstance(raw, list) and raw else raw
    try:
        return min(max(float(value), 1.0), _LONGEST_WAIT)
    except (TypeError, ValueError):
        return 30.0


def name_fault(error: Exception) -> str:
    """The kind of error, in words where it has some: its text may hold the request."""
    cause = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
    known: tuple[tuple[type[Exception], str], ...] = (
        (ConnectionRefusedError, "connection refused"),
        (TimeoutError, "no answer in time"),
        (socket.gaierror, "its host is not found"),
    )
    return next((words for kind, words in known if isinstance(cause, kind)), type(cause).__name__)

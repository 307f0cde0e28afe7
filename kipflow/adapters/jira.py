"""JIRA, read only: the state of a ticket."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kipflow.adapters.http import HttpService
from kipflow.adapters.patience import Patience
from kipflow.domain.pages import TicketState

_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,30}-[1-9]\d{0,8}")


class JiraTickets:
    """Tickets of a JIRA server (REST API 2); `url` is its root, ending in /rest/api/2.

    They are asked for one by one, at least `pause` seconds apart: a search for many at once answers with an
    error where a single key of them is unknown or hidden.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        contact: str = "",
        pause: float = 0.1,
        patience: Patience | None = None,
    ) -> None:
        self._http = HttpService("JIRA", url, token=token, contact=contact, pause=pause, patience=patience)

    def fetch_ticket(self, key: str, *, now: datetime) -> TicketState | None:
        """The ticket as it is at `now`; None if there is no such ticket. It keeps the asked key if it was moved.

        Raises:
            ServiceUnavailable: no usable answer, or the ticket is hidden from this account.
        """
        if not _KEY.fullmatch(key):
            return None

        def read(raw: Any) -> TicketState:
            fields = raw["fields"]
            return TicketState(
                key=key,
                status=str(fields["status"]["name"]),
                resolution=_name(fields.get("resolution")),
                fix_versions=tuple(name for v in fields.get("fixVersions") or () if (name := _name(v))),
                unreleased=tuple(
                    name
                    for v in fields.get("fixVersions") or ()
                    if (name := _name(v)) and v.get("released") is False and not v.get("archived")
                ),
                seen_at=now,
            )

        params = {"fields": "status,resolution,fixVersions"}
        return self._http.fetch_json(f"/issue/{key}", params=params, accept=frozenset({404}), read=read)[1]


def _name(value: Any) -> str | None:
    name = value.get("name") if isinstance(value, Mapping) else None
    return name if isinstance(name, str) else None

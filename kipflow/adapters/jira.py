"""JIRA, read only: the state of a ticket."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kipflow.adapters.http import HttpService, Patience
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import TicketState

_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,30}-[1-9]\d{0,8}")


class JiraTickets:
    """Tickets of a JIRA server (REST API 2); `url` is its root, ending in /rest/api/2."""

    def __init__(
        self, url: str, token: str | None = None, *, contact: str = "", patience: Patience | None = None
    ) -> None:
        self._http = HttpService("JIRA", url, token=token, contact=contact, patience=patience)

    def fetch_ticket(self, key: str, *, now: datetime) -> TicketState | None:
        """The ticket as it is at `now`; None if there is no such ticket. It keeps the asked key if it was moved.

        Raises:
            ServiceUnavailable: no usable answer, or the ticket is hidden from this account.
        """
        if not _KEY.fullmatch(key):
            return None
        path = f"/issue/{key}"
        status, raw = self._http.fetch_json(
            path, params={"fields": "status,resolution,fixVersions"}, accept=frozenset({404})
        )
        if status == 404:
            return None
        fields = raw.get("fields") if isinstance(raw, dict) else None
        if not isinstance(fields, dict):
            raise ServiceUnavailable(service="JIRA", url=self._http.url, why=f"GET {path}: an answer without fields")
        versions = fields.get("fixVersions")
        names = [_name(v) for v in versions] if isinstance(versions, list) else []
        return TicketState(
            key=key,
            status=_name(fields.get("status")) or "unknown",
            resolution=_name(fields.get("resolution")),
            fix_versions=tuple(name for name in names if name),
            seen_at=now,
        )


def _name(value: Any) -> str | None:
    name = value.get("name") if isinstance(value, Mapping) else None
    return name if isinstance(name, str) else None

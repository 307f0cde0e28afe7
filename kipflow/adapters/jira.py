"""JIRA: the state of a ticket, and comments on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kipflow.adapters.http import HttpService
from kipflow.adapters.httpfaults import Fault, refuse
from kipflow.adapters.patience import Patience
from kipflow.domain.errors import DeliveryUnclear, RateLimited, Refused
from kipflow.domain.pages import TicketState

#: Newest comments of a ticket that are searched.
_COMMENTS = 200
_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,30}-[1-9]\d{0,8}")


class JiraTickets:
    """Tickets of a JIRA server (REST API 2); `url` is its root, ending in /rest/api/2.

    Tickets are requested one by one, at least `pause` seconds apart: a search for many fails as a whole if one key
    is unknown or hidden.
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
        """The ticket at `now`; None if there is none. A moved ticket keeps the requested key; a hidden one raises."""
        if not _KEY.fullmatch(key):
            return None

        def read(raw: Any) -> TicketState:
            fields = raw["fields"]
            versions = [v for v in fields.get("fixVersions") or () if _name(v)]
            open_ones = (v for v in versions if v.get("released") is False and not v.get("archived"))
            return TicketState(
                key=key,
                status=str(fields["status"]["name"]),
                resolution=_name(fields.get("resolution")),
                fix_versions=tuple(v["name"] for v in versions),
                unreleased=tuple(v["name"] for v in open_ones),
                seen_at=now,
            )

        params = {"fields": "status,resolution,fixVersions"}
        return self._http.fetch_json(f"/issue/{key}", params=params, instead={404: None}, read=read)

    def add_comment(self, ticket: str, text: str, *, key: str) -> str:
        """Returns "TICKET/COMMENT". `find_comment` recognises it by its last line, which contains `key`."""
        what = f"POST /issue/{ticket}/comment"
        if not _KEY.fullmatch(ticket):
            raise Refused(service="JIRA", url=self._http.url, why=f"{ticket[:40]!r} is no ticket")
        try:
            content = {"body": f"{text}\n\n{_sign(key)}"}
            answer = self._http.fetch_once("POST", f"/issue/{ticket}/comment", content=content)
        except Fault as fault:
            if fault.wait is not None:
                raise RateLimited(service="JIRA", retry_after=fault.wait) from None
            raise self._http.unavailable(f"{what}: {fault.why}") from None
        try:
            refuse(answer.status, answer.body)
        except Fault as fault:
            raise Refused(service="JIRA", url=self._http.url, why=f"{what}: {fault.why}") from None
        try:
            return f"{ticket}/{answer.json()['id']}"
        except (Fault, KeyError, TypeError):
            return ticket

    def find_comment(self, ticket: str, *, key: str) -> str | None:
        """The comment with this key, searched among the newest ones of the ticket.

        Raises:
            DeliveryUnclear: not found, and the ticket has more comments than are searched.
            ServiceUnavailable: no usable answer.
        """

        def read(raw: Any) -> tuple[str | None, int]:
            mine = (c for c in raw["comments"] if str(c["body"]).rstrip().endswith(_sign(key)))
            return next((f"{ticket}/{c['id']}" for c in mine), None), int(raw["total"])

        params = {"orderBy": "-created", "maxResults": str(_COMMENTS)}
        found, total = self._http.fetch_json(f"/issue/{ticket}/comment", params=params, read=read)
        if found is None and total > _COMMENTS:
            raise DeliveryUnclear(f"it may be among the {total:,} comments of {ticket}")
        return found


def _sign(key: str) -> str:
    return f"kipflow: {key}"


def _name(value: Any) -> str | None:
    name = value.get("name") if isinstance(value, Mapping) else None
    return name if isinstance(name, str) else None

"""A Pony Mail archive: downloads months as verified mbox files, and reads its cheap statistics.

A list may have had another address earlier. Each month is fetched from the address that the list had then, and the
month of the move from both. For other code it is one list under its present address.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from kipflow.adapters.http import HttpService
from kipflow.adapters.httpfaults import Fault, refuse
from kipflow.adapters.monthfile import Download, join_files, load_known, unpacked
from kipflow.adapters.patience import Patience
from kipflow.domain.errors import ServiceUnavailable, UnreadableInput
from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.texts import digest_text
from kipflow.services.ports import MonthStats

log = logging.getLogger(__name__)

_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_LIST = re.compile(r"[A-Za-z0-9][\w.+-]*@[\w.-]+")


class PonyMailArchive:
    """The archive at `url` (the folder of mbox.lua and stats.lua).

    `contact` is sent to the archive's operators in User-Agent.
    `earlier`: present address of a moved list → its earlier addresses in order, each with its last month.
    """

    def __init__(
        self,
        url: str,
        *,
        contact: str = "",
        pause: float = 0.1,
        patience: Patience | None = None,
        earlier: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    ) -> None:
        self._http = HttpService("Pony Mail", url, contact=contact, pause=pause, patience=patience)
        self._earlier = dict(earlier or {})
        # counts from statistics that were just fetched, so that the month need not fetch them again
        self._counts: dict[tuple[str, str], int] = {}

    def fetch_stats(self, list_id: str, month: str) -> MonthStats:
        """The archive's statistics of a month. Any new, removed or replaced mail changes `digest`.

        Missing or invalid fields are ignored; only an answer without any valid field is refused.

        Raises:
            ServiceUnavailable: no usable answer.
        """
        found = [self._fetch_stats(address, month) for address in self.addresses(list_id, month)]
        if len(found) == 1:
            return found[0]
        seen = " ".join(one.digest for one in found)
        return MonthStats(mails=sum(one.mails for one in found), digest=digest_text(seen, 32))

    def addresses(self, list_id: str, month: str) -> tuple[str, ...]:
        """The addresses of the list in a month; two of them in the month of a move."""
        moves = self._earlier.get(list_id, ())
        found: list[str] = []
        since = ""
        for address, until in moves:
            if since <= month <= until:
                found.append(address)
            since = until
        return (*found, list_id) if month >= since else tuple(found)

    def _fetch_stats(self, address: str, month: str) -> MonthStats:
        query, about = _build_query(address, month), f"{address} {month}"
        found = self._http.fetch_json("/stats.lua", params=query, read=partial(_read_stats, month), about=about)
        self._counts[address, month] = found.mails
        return found

    def fetch_month(self, list_id: str, month: str, target: Path, *, now: datetime) -> ArchiveMonth:
        """Stream the month to `target` and verify it. A bad month does not raise; its status says what is wrong.

        "complete": a whole mbox, possibly empty, with at least as many mails as the archive counts; `why` names mails
        that vanished from the archive and stay in the file. "partial": truncated or lacking mails at every attempt;
        `path` is the incomplete file, or the older complete one. "missing": the archive has no such month or is
        unreachable. "unreadable": the answer is no mbox.
        """
        addresses = self.addresses(list_id, month)
        if len(addresses) == 1:
            return replace(self._fetch_from(addresses[0], month, target, now=now), list_id=list_id)
        parts = [
            self._fetch_from(address, month, target.with_name(f".{month}.{address}.mbox"), now=now)
            for address in addresses
        ]
        return _join(list_id, parts, target)

    def _fetch_from(self, address: str, month: str, target: Path, *, now: datetime) -> ArchiveMonth:
        """The month of the list under one address."""
        base = ArchiveMonth(list_id=address, month=month, status="complete", fetched_at=now, path=str(target))
        known, download = load_known(base, target), Download(base, target)
        what = f"GET /mbox.lua ({address} {month})"
        try:
            return self._http.retry(what, lambda: self._attempt(download, known))
        except ServiceUnavailable as error:
            return _fail(download, known, error.why.removeprefix(f"{what}: "))
        finally:
            download.clean()

    def _attempt(self, download: Download, known: ArchiveMonth | None) -> ArchiveMonth:
        list_id, month = download.month.list_id, download.month.month
        query = _build_query(list_id, month)
        headers = {"Accept": "application/mbox, text/plain, */*", "Accept-Encoding": "gzip"}
        if known is not None and known.etag:
            headers["If-None-Match"] = known.etag
        if known is not None and known.last_modified:
            headers["If-Modified-Since"] = known.last_modified
        with self._http.stream_once("GET", "/mbox.lua", params=query, headers=headers) as response:
            if response.status_code == 304 and known is not None:
                return known
            if response.status_code != 200:
                refuse(response.status_code)
                raise Fault(f"answered {response.status_code}", final=True)
            download.write(unpacked(self._http.read_bounded(response.iter_raw()), response.headers))
            etag, modified = response.headers.get("etag"), response.headers.get("last-modified")
        download.verify(self._count(list_id, month))
        return download.keep(etag, modified)

    def _count(self, list_id: str, month: str) -> int:
        """How many mails the archive counts in a month; 0 if unknown.

        Fetched after the month: a mail that arrives in between makes the next attempt fetch it too.
        """
        known = self._counts.pop((list_id, month), None)
        if known is not None:
            return known
        try:
            answer = self._http.fetch_once("GET", "/stats.lua", params=_build_query(list_id, month))
            refuse(answer.status)
            return _read_stats(month, answer.json()).mails
        except (Fault, KeyError, TypeError) as error:
            log.warning("Pony Mail: %s %s: its count could not be checked: %s", list_id, month, error)
            return 0


def _fail(download: Download, known: ArchiveMonth | None, why: str) -> ArchiveMonth:
    """The month with the best file there is, and why it could not be fetched."""
    if known is not None:
        # the older file is complete and stays valid
        return replace(known, status="partial", why=why, given=False, etag=None, last_modified=None)
    failed = replace(download.month, status="partial", why=why)
    if download.not_mbox:
        return replace(failed, status="unreadable", path=None)
    if download.keep_partial():
        return replace(failed, mails=download.mails, size=download.size, digest=download.digest)
    return replace(failed, status="missing", path=None)


def _read_stats(month: str, raw: Any) -> MonthStats:
    if not isinstance(raw, dict):
        raise TypeError("no object")
    emails = raw.get("emails")
    if not (isinstance(emails, list) or "hits" in raw or "active_months" in raw):
        raise KeyError("emails")
    rows = [row for row in emails or [] if isinstance(row, dict)]
    months = raw.get("active_months")
    hits, active = _as_count(raw.get("hits")), _as_count(months.get(month) if isinstance(months, dict) else None)
    # `id` is the archive's own; addresses and bodies are masked differently from day to day
    ids = sorted(str(row.get("id") or row.get("mid") or row.get("message-id") or "") for row in rows)
    return MonthStats(
        mails=max(hits or 0, active or 0, len(rows)), digest=digest_text(json.dumps([hits, active, ids]), 32)
    )


def _build_query(list_id: str, month: str) -> dict[str, str]:
    if not _LIST.fullmatch(list_id) or not _MONTH.fullmatch(month):
        raise UnreadableInput(source=f"{list_id} {month}"[:100], why="not a list address and a month such as 2024-01")
    name, _, domain = list_id.partition("@")
    return {"list": name, "domain": domain, "d": month}


def _as_count(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        value = int(value[:12])
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


#: From good to bad: a month of two addresses has the worse status.
_STATUSES = ("complete", "partial", "unreadable", "missing")


def _join(list_id: str, parts: Sequence[ArchiveMonth], target: Path) -> ArchiveMonth:
    """Join the months of several addresses of one list in one file."""
    held = [Path(part.path) for part in parts if part.path is not None]
    size, digest = join_files(held, target) if held else (0, None)
    status = max((part.status for part in parts), key=_STATUSES.index)
    return replace(
        parts[0],
        list_id=list_id,
        # mail from one address counts, even if the other one failed
        status=status if status == "complete" or not held else "partial",
        mails=sum(part.mails for part in parts if part.path is not None),
        size=size,
        digest=digest,
        etag=None,
        last_modified=None,
        path=str(target) if held else None,
        given=any(part.given and part.path is not None for part in parts),
        why="; ".join(f"{part.list_id}: {part.why}" for part in parts if part.why),
    )

"""Pony Mail's endpoints: monthly mbox, statistics, thread, mail, source.

Shapes follow what lists.apache.org gives an anonymous reader: addresses masked, children of a thread
without bodies, at most `WINDOW` mails in a listing.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email import policy
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser, BytesParser
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse, Response

from kipflow.sandbox.mails import ArchivedMail, format_separator

#: The most mails that one listing shows, whatever the month holds.
WINDOW = 300

_HEADERS = BytesHeaderParser(policy=policy.compat32)
_FULL = BytesParser(policy=policy.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A mail of the archive with what its listings show of it."""

    id: str
    message_id: str
    subject: str
    sender: str
    epoch: int
    in_reply_to: str
    references: tuple[str, ...]
    mail: ArchivedMail


@lru_cache(maxsize=8_192)  # a pure function; every sandbox of a test run reads the same story
def read_entry(mail: ArchivedMail) -> Entry:
    """Take from the raw mail what Pony Mail's index holds. Broken mails have empty fields."""
    headers = _HEADERS.parsebytes(mail.raw.partition(b"\n\n")[0])

    def header(name: str) -> str:
        return " ".join(str(headers.get(name) or "").split())

    # two copies of one mail are one document, as in the archive's own index
    name = hashlib.sha256(header("Message-ID").encode() or mail.raw).hexdigest()
    return Entry(
        id="".join(chr(ord("a") + int(c, 16)) if c.isdigit() else c for c in name[:32]),
        message_id=header("Message-ID"),
        subject=_decode(header("Subject")),
        sender=_decode(header("From")),
        epoch=int(_sent_at(header("Date"), mail.arrives_at).timestamp()),
        in_reply_to=header("In-Reply-To"),
        references=tuple(header("References").split()),
        mail=mail,
    )


def _decode(text: str) -> str:
    try:
        return str(make_header(decode_header(text)))
    except (LookupError, ValueError):
        return text


def _sent_at(date: str, fallback: datetime) -> datetime:
    """The Date header where it is believable, else the time of arrival (as the archiver does)."""
    try:
        sent = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return fallback
    sent = sent.replace(tzinfo=UTC) if sent.tzinfo is None else sent.astimezone(UTC)
    return sent if abs((sent - fallback).total_seconds()) < 7 * 86_400 else fallback


def mask(sender: str) -> str:
    """The sender as an anonymous reader sees it: "Ana Castell <an...@castell.example>"."""
    return re.sub(r"([\w.+-]{1,2})[\w.+-]*@", r"\1...@", sender)


class MailArchive:
    """All mails of one list in order of arrival; `seen(now)` are those that have arrived."""

    def __init__(self, list_id: str, mails: Iterable[ArchivedMail], *, timeless: bool = False) -> None:
        self.list_id = list_id
        self.entries = tuple(read_entry(mail) for mail in mails)
        self._timeless = timeless

    def seen(self, now: datetime) -> list[Entry]:
        return [e for e in self.entries if self._timeless or e.mail.arrives_at <= now]

    def month(self, month: str, now: datetime) -> list[Entry]:
        return [e for e in self.seen(now) if e.mail.month == month]

    def find(self, name: str, now: datetime) -> Entry | None:
        """The mail with this id, or this Message-ID with or without its angle brackets."""
        bare = name.strip().strip("<>")
        return next((e for e in self.seen(now) if bare and (e.id == bare or e.message_id.strip("<>") == bare)), None)


def read_mbox_folder(folder: Path) -> list[ArchivedMail]:
    """Real months from files named YYYY-MM.mbox, byte for byte.

    Raises:
        FileNotFoundError: the folder has no such file.
    """
    files = sorted(p for p in folder.glob("*.mbox") if re.fullmatch(r"\d{4}-\d{2}", p.stem))
    if not files:
        raise FileNotFoundError(f"{folder}: no file named YYYY-MM.mbox")
    mails: list[ArchivedMail] = []
    for path in files:
        arrived = datetime.strptime(path.stem, "%Y-%m").replace(tzinfo=UTC)
        for part in re.split(rb"(?m)(?=^From \S+ +\w{3} \w{3} +\d+ \d\d:\d\d:\d\d )", path.read_bytes()):
            separator, _, raw = part.partition(b"\n")
            if separator.startswith(b"From "):
                envelope = separator.decode("latin-1")
                mails.append(ArchivedMail(arrives_at=arrived, month=path.stem, envelope=envelope, raw=raw))
    return mails


def render_mbox(entries: Sequence[Entry]) -> bytes:
    """The mails as one mbox; separators of real files stand as they were."""
    parts: list[bytes] = []
    for entry in entries:
        mail = entry.mail
        if mail.envelope.startswith("From "):
            parts.append(mail.envelope.encode("latin-1") + b"\n" + mail.raw)
        else:
            parts.append(format_separator(mail.envelope, mail.arrives_at) + mail.raw + b"\n")
    return b"".join(parts)


def routes(archive: MailArchive, now: Callable[[], datetime]) -> APIRouter:
    """The endpoints under /api."""
    router = APIRouter(prefix="/api")

    @router.get("/mbox.lua")
    async def mbox(request: Request) -> Response:
        month = _month_of(request)
        if not _is_list(request, archive.list_id) or month is None:
            return PlainTextResponse("No such list or month", 404)
        entries = archive.month(month, now())
        body = await run_in_threadpool(render_mbox, entries)
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        newest = max(
            (e.mail.arrives_at for e in entries), default=datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
        )
        headers = {"ETag": tag, "Last-Modified": format_datetime(newest.replace(microsecond=0), usegmt=True)}
        if request.headers.get("If-None-Match") == tag:
            return Response(status_code=304, headers=headers)
        headers["Content-Disposition"] = f"attachment; filename={archive.list_id.replace('@', '_')}_{month}.mbox"
        return Response(body, media_type="application/mbox", headers=headers)

    @router.get("/stats.lua")
    def stats(request: Request) -> Response:
        month = _month_of(request)
        if not _is_list(request, archive.list_id):
            return JSONResponse({"error": "No such list"}, 404)
        seen = archive.seen(now())
        chosen = [e for e in seen if e.mail.month == month] if month else seen[-WINDOW:]
        return JSONResponse(render_stats(archive.list_id, seen, chosen))

    @router.get("/thread.lua")
    def thread(id: str) -> Response:
        moment = now()
        entry = archive.find(id, moment)
        if entry is None:
            return JSONResponse({"error": "No such e-mail or thread"}, 404)
        seen = archive.seen(moment)
        root = find_root(seen, entry)
        members = find_members(seen, root)
        return JSONResponse(
            {"thread": _tree(root, members, full=True), "emails": [_listing(e, archive.list_id) for e in members]}
        )

    @router.get("/email.lua")
    def email(id: str) -> Response:
        entry = archive.find(id, now())
        if entry is None:
            return JSONResponse({"error": "No such e-mail"}, 404)
        return JSONResponse(
            {**_listing(entry, archive.list_id), "body": body_of(entry), "references": " ".join(entry.references)}
        )

    @router.get("/source.lua")
    def source(id: str) -> Response:
        entry = archive.find(id, now())
        if entry is None:
            return PlainTextResponse("No such e-mail", 404)
        return Response(entry.mail.raw, media_type="text/plain")

    return router


def render_stats(list_id: str, seen: Sequence[Entry], chosen: Sequence[Entry]) -> dict[str, Any]:
    """Pony Mail's statistics: what a window holds, its newest mails, and how full each month is."""
    months = Counter(e.mail.month for e in seen)
    years = sorted(months) or ["1970-01"]
    shown = sorted(chosen, key=lambda e: e.epoch, reverse=True)[:WINDOW]
    people = Counter(mask(e.sender) for e in shown)
    name, _, domain = list_id.partition("@")
    return {
        "list": f"<{name}.{domain}>",
        "domain": domain,
        "name": name,
        "hits": len(shown),
        "numparts": len(people),
        "no_threads": sum(1 for e in shown if not e.in_reply_to),
        "firstYear": int(years[0][:4]),
        "firstMonth": int(years[0][5:]),
        "lastYear": int(years[-1][:4]),
        "lastMonth": int(years[-1][5:]),
        "active_months": dict(sorted(months.items())),
        "participants": [
            {"name": who.partition(" <")[0], "email": who, "count": n} for who, n in people.most_common(10)
        ],
        "emails": [_listing(e, list_id) for e in shown],
        "searchlist": f"<{name}.{domain}>",
        "unixtime": max((e.epoch for e in shown), default=0),
    }


def _listing(entry: Entry, list_id: str) -> dict[str, Any]:
    name, _, domain = list_id.partition("@")
    return {
        "id": entry.id,
        "mid": entry.id,
        "message-id": entry.message_id,
        "in-reply-to": entry.in_reply_to or None,
        "subject": entry.subject,
        "from": mask(entry.sender),
        "epoch": entry.epoch,
        "date": f"{datetime.fromtimestamp(entry.epoch, UTC):%Y/%m/%d %H:%M:%S}",
        "list_raw": f"<{name}.{domain}>",
        "private": False,
        "attachments": [],
        "deleted": False,
    }


def find_root(seen: Sequence[Entry], entry: Entry) -> Entry:
    """The first mail of the thread, as far as the archive holds it."""
    by_id = {e.message_id: e for e in reversed(seen) if e.message_id}
    visited: set[str] = set()
    while entry.in_reply_to in by_id and entry.id not in visited:
        visited.add(entry.id)
        entry = by_id[entry.in_reply_to]
    return entry


def find_members(seen: Sequence[Entry], root: Entry) -> list[Entry]:
    """The thread's mails in order of arrival, the root first."""
    inside, members = {root.message_id}, [root]
    for entry in sorted(seen, key=lambda e: e.mail.arrives_at):
        if entry.id != root.id and entry.in_reply_to and entry.in_reply_to in inside:
            members.append(entry)
            inside.add(entry.message_id)
    return members


def _tree(root: Entry, members: Sequence[Entry], *, full: bool) -> dict[str, Any]:
    """A node with its children. Only the first mail has its body: that is what the real service gives."""
    # an explicit stack: a thread of a thousand replies may be a thousand deep
    nodes: dict[str, dict[str, Any]] = {}
    for entry in members:
        top = full and entry is root
        node = {
            "id": entry.id, "tid": root.id, "mid": entry.id, "message-id": entry.message_id, "subject": entry.subject,
            "from": mask(entry.sender), "epoch": entry.epoch, "body": body_of(entry) if top else None,
            "in-reply-to": entry.in_reply_to or "" if top else None, "children": [],
        }  # fmt: skip
        nodes.setdefault(entry.message_id, node)
        parent = nodes.get(entry.in_reply_to)
        if parent is not None and parent is not node:
            parent["children"].append(node)
    return nodes[root.message_id]


def body_of(entry: Entry) -> str:
    """The mail's text as a reader sees it; HTML only mails give their markup."""
    try:
        part = _FULL.parsebytes(entry.mail.raw).get_body(preferencelist=("plain", "html"))
        return "" if part is None else str(part.get_content())
    except (LookupError, ValueError, KeyError, AttributeError):
        return entry.mail.raw.decode("utf-8", "replace")


def _month_of(request: Request) -> str | None:
    """The month asked for, as `d=2024-01` or `date=2024-01`."""
    asked = request.query_params.get("d") or request.query_params.get("date") or ""
    return asked if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", asked) else None


def _is_list(request: Request, list_id: str) -> bool:
    name, domain = request.query_params.get("list", ""), request.query_params.get("domain", "")
    return (name if "@" in name else f"{name}@{domain}").lower() == list_id

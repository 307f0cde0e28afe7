"""Pony Mail's endpoints: monthly mbox, statistics, thread, mail, source.

Shapes follow what lists.apache.org gives an anonymous reader: addresses masked, children of a thread
without bodies, at most `WINDOW` mails in a listing.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse, Response

from kipflow.sandbox.mailarchive import Entry, body_of, find_members, find_root, mask, render_mbox
from kipflow.sandbox.mails import LIST
from kipflow.sandbox.parts import Now, TheArchive

#: The most mails that one listing shows, whatever the month holds.
WINDOW = 300


router = APIRouter(prefix="/api")


@router.get("/mbox.lua")
async def mbox(request: Request, archive: TheArchive, now: Now) -> Response:
    month = _month_of(request)
    if not _is_list(request) or month is None:
        return PlainTextResponse("No such list or month", 404)
    entries = archive.month(month, now)
    body = await run_in_threadpool(render_mbox, entries)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    start = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
    newest = max((e.mail.arrives_at for e in entries), default=start)
    headers = {"ETag": tag, "Last-Modified": format_datetime(newest.replace(microsecond=0), usegmt=True)}
    if request.headers.get("If-None-Match") == tag:
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f"attachment; filename=dev_sandbox.example_{month}.mbox"
    return Response(body, media_type="application/mbox", headers=headers)


@router.get("/stats.lua")
def stats(request: Request, archive: TheArchive, now: Now) -> Response:
    month = _month_of(request)
    if not _is_list(request):
        return JSONResponse({"error": "No such list"}, 404)
    seen = archive.seen(now)
    chosen = [e for e in seen if e.mail.month == month] if month else seen[-WINDOW:]
    return JSONResponse(render_stats(seen, chosen))


@router.get("/thread.lua")
def thread(id: str, archive: TheArchive, now: Now) -> Response:
    entry = archive.find(id, now)
    if entry is None:
        return JSONResponse({"error": "No such e-mail or thread"}, 404)
    seen = archive.seen(now)
    root = find_root(seen, entry)
    members = find_members(seen, root)
    return JSONResponse({"thread": _tree(root, members), "emails": [_listing(e) for e in members]})


@router.get("/email.lua")
def email(id: str, archive: TheArchive, now: Now) -> Response:
    entry = archive.find(id, now)
    if entry is None:
        return JSONResponse({"error": "No such e-mail"}, 404)
    listing = _listing(entry)
    return JSONResponse({**listing, "body": body_of(entry), "references": " ".join(entry.references)})


@router.get("/source.lua")
def source(id: str, archive: TheArchive, now: Now) -> Response:
    entry = archive.find(id, now)
    if entry is None:
        return PlainTextResponse("No such e-mail", 404)
    return Response(entry.mail.raw, media_type="text/plain")


def render_stats(seen: Sequence[Entry], chosen: Sequence[Entry]) -> dict[str, Any]:
    """Pony Mail's statistics: what a window holds, its newest mails, and how full each month is."""
    months = Counter(e.mail.month for e in seen)
    years = sorted(months) or ["1970-01"]
    shown = sorted(chosen, key=lambda e: e.epoch, reverse=True)[:WINDOW]
    people = Counter(mask(e.sender) for e in shown)
    return {
        "list": "<dev.sandbox.example>",
        "domain": "sandbox.example",
        "name": "dev",
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
        "emails": [_listing(e) for e in shown],
        "searchlist": "<dev.sandbox.example>",
        "unixtime": max((e.epoch for e in shown), default=0),
    }


def _listing(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "mid": entry.id,
        "message-id": entry.message_id,
        "in-reply-to": entry.in_reply_to or None,
        "subject": entry.subject,
        "from": mask(entry.sender),
        "epoch": entry.epoch,
        "date": f"{entry.sent_at:%Y/%m/%d %H:%M:%S}",
        "list_raw": "<dev.sandbox.example>",
        "private": False,
        "attachments": [],
        "deleted": False,
    }


def _tree(root: Entry, members: Sequence[Entry]) -> dict[str, Any]:
    """A node with its children. Only the first mail has its body: that is what the real service gives."""
    # an explicit stack: a thread of a thousand replies may be a thousand deep
    nodes: dict[str, dict[str, Any]] = {}
    for entry in members:
        top = entry is root
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


def _month_of(request: Request) -> str | None:
    """The month asked for, as `d=2024-01` or `date=2024-01`."""
    asked = request.query_params.get("d") or request.query_params.get("date") or ""
    return asked if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", asked) else None


def _is_list(request: Request) -> bool:
    name, domain = request.query_params.get("list", ""), request.query_params.get("domain", "")
    return (name if "@" in name else f"{name}@{domain}").lower() == LIST

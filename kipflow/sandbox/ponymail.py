"""The endpoints of Pony Mail that are used: monthly mbox, statistics, source.

Answers are those of lists.apache.org to anonymous readers: masked addresses, at most `WINDOW` mails in a listing.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse, Response

from kipflow.sandbox.mailarchive import Entry, mask, render_mbox
from kipflow.sandbox.mails import LIST
from kipflow.sandbox.parts import Now, TheArchive

#: The most mails in one listing.
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
    shown = sorted(chosen, key=lambda e: e.epoch, reverse=True)[:WINDOW]
    months = Counter(e.mail.month for e in seen)
    return JSONResponse({"hits": len(shown), "active_months": months, "emails": [_listing(e) for e in shown]})


@router.get("/source.lua")
def source(id: str, archive: TheArchive, now: Now) -> Response:
    entry = archive.find(id, now)
    if entry is None:
        return PlainTextResponse("No such e-mail", 404)
    return Response(entry.mail.raw, media_type="text/plain")


def _listing(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "mid": entry.id,
        "message-id": entry.message_id,
        "in-reply-to": entry.in_reply_to or None,
        "subject": entry.subject,
        "from": mask(entry.sender),
        "epoch": entry.epoch,
    }


def _month_of(request: Request) -> str | None:
    """The requested month, from `d=2024-01` or `date=2024-01`."""
    asked = request.query_params.get("d") or request.query_params.get("date") or ""
    return asked if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", asked) else None


def _is_list(request: Request) -> bool:
    name, domain = request.query_params.get("list", ""), request.query_params.get("domain", "")
    return (name if "@" in name else f"{name}@{domain}").lower() == LIST

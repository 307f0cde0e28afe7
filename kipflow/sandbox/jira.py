"""JIRA's issue endpoint, as far as kipflow reads it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from kipflow.sandbox.parts import Now, TheTickets

router = APIRouter(prefix="/jira/rest/api/2")


@router.get("/issue/{key}")
def issue(key: str, tickets: TheTickets, now: Now, fields: str = "") -> Response:
    ticket = tickets.find(key.upper())
    state = ticket.find_state(now) if ticket else None
    if ticket is None or state is None:
        return JSONResponse({"errorMessages": ["Issue Does Not Exist"], "errors": {}}, 404)
    every = {
        "summary": ticket.summary,
        "status": {"name": state.status, "id": "1"},
        "resolution": None if state.resolution is None else {"name": state.resolution, "id": "1"},
        "fixVersions": [] if state.fix_version is None else [{"name": state.fix_version, "released": False}],
    }
    wanted = {f for f in fields.split(",") if f} or set(every)
    shown = {name: value for name, value in every.items() if name in wanted}
    return JSONResponse(
        {"id": str(ticket.id), "key": ticket.key, "self": f"/rest/api/2/issue/{ticket.id}", "fields": shown}
    )

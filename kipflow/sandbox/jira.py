"""JIRA's issue and comment endpoints, as far as kipflow uses them."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from kipflow.sandbox.parts import Json, Now, TheTickets

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


@router.get("/issue/{key}/comment")
def list_comments(key: str, tickets: TheTickets) -> Response:
    found = tickets.comments.get(key.upper(), [])[::-1]
    return JSONResponse({"startAt": 0, "maxResults": len(found), "total": len(found), "comments": found})


@router.post("/issue/{key}/comment")
def add_comment(key: str, tickets: TheTickets, now: Now, given: Json) -> Response:
    if tickets.find(key.upper()) is None:
        return JSONResponse({"errorMessages": ["Issue Does Not Exist"], "errors": {}}, 404)
    held = tickets.comments.setdefault(key.upper(), [])
    held.append({"id": str(1 + len(held)), "body": str(given["body"]), "created": now.isoformat()})
    return JSONResponse(held[-1], 201)

"""Confluence's content endpoints: pages, versions, children, labels, saving with conflicts."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from kipflow.sandbox.faults import FaultKind
from kipflow.sandbox.parts import Json, TheFaults, TheWiki
from kipflow.sandbox.people import PEOPLE
from kipflow.sandbox.wikistate import LivePage

_LIMIT = 200
_TAKEN = "A page with this title already exists: A page already exists with the same TITLE in this space"

router = APIRouter(prefix="/confluence/rest/api")


@router.get("/content/{page_id}")
async def read(page_id: str, wiki: TheWiki, expand: str = "", status: str = "current", version: int = 0) -> Response:
    page = wiki.find(page_id)
    if page is None or _is_hidden(page):
        return _refuse(page, page_id)
    if status == "historical" and not 1 <= version <= page.number:
        return _error(404, f"No content found with id: {page_id}, version {version}")
    number = version if status == "historical" else page.number
    return JSONResponse(render_page(page, number, _expansions(expand)))


@router.get("/content/{page_id}/child/page")
async def children(page_id: str, wiki: TheWiki, expand: str = "", start: int = 0, limit: int = 25) -> Response:
    page = wiki.find(page_id)
    if page is None or _is_hidden(page):
        return _refuse(page, page_id)
    limit, start = max(1, min(limit, _LIMIT)), max(0, start)
    every = wiki.children(page_id)
    shown = every[start : start + limit]
    here = f"/rest/api/content/{page_id}/child/page"
    links = {"self": here, "base": "", "context": "/confluence"}
    if start + limit < len(every):
        extra = f"&expand={expand}" if expand else ""
        links["next"] = f"{here}?limit={limit}&start={start + limit}{extra}"
    results = [render_page(p, p.number, _expansions(expand)) for p in shown]
    return JSONResponse({"results": results, "start": start, "limit": limit, "size": len(shown), "_links": links})


@router.get("/content")
async def search(wiki: TheWiki, title: str = "", expand: str = "") -> Response:
    found = [p for p in wiki.all() if p.title == title and not _is_hidden(p)]
    results = [render_page(p, p.number, _expansions(expand)) for p in found]
    return JSONResponse({"results": results, "start": 0, "limit": 25, "size": len(results), "_links": {}})


@router.put("/content/{page_id}")
async def save(page_id: str, request: Request, wiki: TheWiki, faults: TheFaults, given: Json) -> Response:
    """Save a new version of a page; 409 if somebody else saved first."""
    page = wiki.find(page_id)
    if page is None or _is_hidden(page):
        return _refuse(page, page_id)
    body, number = _body_of(given), _version_of(given)
    if body is None or number is None:
        return _error(400, "A page needs version.number and body.storage.value")
    if faults.use_up(request.url.path, FaultKind.CONFLICT) is not None:
        wiki.save_concurrently(page)
    if number != page.number + 1:
        message = f"Version must be incremented on update. Current version is: {page.number}"
        return _error(409, message, reason="Conflict")
    comment = str(given.get("version", {}).get("message") or "")
    wiki.save(page, body=body, who=_who(request), message=comment, title=str(given.get("title") or page.title))
    return JSONResponse(render_page(page, page.number, {"body.storage", "version"}))


@router.post("/content")
async def create(request: Request, wiki: TheWiki, given: Json) -> Response:
    title, body = str(given.get("title") or "").strip() if isinstance(given, dict) else "", _body_of(given)
    if not title or body is None:
        return _error(400, "A page needs a title and body.storage.value")
    ancestors = given.get("ancestors") or []
    parent = str(ancestors[-1].get("id")) if ancestors and isinstance(ancestors[-1], dict) else None
    if parent is not None and wiki.find(parent) is None:
        return _error(400, f"No parent page with id {parent}")
    page = wiki.create(title=title, parent=parent, body=body, who=_who(request))
    if page is None:
        return _error(400, _TAKEN)
    return JSONResponse(render_page(page, page.number, {"body.storage", "version"}))


def render_page(page: LivePage, number: int, expand: set[str]) -> dict[str, Any]:
    """A version of the page as JSON; only the parts named in `expand` are filled, as in Confluence."""
    version = page.versions[number - 1]
    shown: dict[str, Any] = {
        "id": page.page_id,
        "type": "page",
        "status": "current" if number == page.number else "historical",
        "title": page.title,
        "extensions": {"position": "none"},
        "_links": {
            "webui": f"/pages/viewpage.action?pageId={page.page_id}",
            "self": f"/confluence/rest/api/content/{page.page_id}",
        },
        "_expandable": {"container": "/rest/api/space/SAND"},
    }
    if "body.storage" in expand:
        shown["body"] = {"storage": {"value": version.body, "representation": "storage"}}
    if "version" in expand:
        name = PEOPLE[version.who].name if version.who in PEOPLE else version.who
        shown["version"] = {
            "by": {"type": "known", "username": version.who, "displayName": name},
            "when": f"{version.at:%Y-%m-%dT%H:%M:%S}.000Z",
            "message": version.message,
            "number": number,
            "minorEdit": False,
        }
    if "metadata.labels" in expand:
        results = [{"prefix": "global", "name": name, "id": str(i + 1)} for i, name in enumerate(page.labels)]
        shown["metadata"] = {"labels": {"results": results, "start": 0, "limit": _LIMIT, "size": len(results)}}
    return shown


def _expansions(text: str) -> set[str]:
    return {part.strip() for part in text.split(",") if part.strip()}


def _is_hidden(page: LivePage) -> bool:
    return page.gone or page.denied


def _refuse(page: LivePage | None, page_id: str) -> Response:
    if page is None or page.gone:
        return _error(404, f"No content found with id: {page_id}")
    return _error(403, "User not permitted to view this content")


def _error(status: int, message: str, *, reason: str = "") -> Response:
    data = {"authorized": status != 403, "valid": status != 400, "errors": []}
    return JSONResponse({"statusCode": status, "data": data, "message": message, "reason": reason}, status)


def _who(request: Request) -> str:
    return "kipflow" if request.headers.get("Authorization", "").startswith("Bearer ") else "anonymous"


def _body_of(given: Any) -> str | None:
    try:
        value = given["body"]["storage"]["value"]
    except (KeyError, TypeError):
        return None
    return value if isinstance(value, str) else None


def _version_of(given: Any) -> int | None:
    try:
        return int(given["version"]["number"])
    except (KeyError, TypeError, ValueError):
        return None

"""Confluence's content endpoints: pages, versions, children, labels, saving with conflicts."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from kipflow.sandbox.faults import FaultKind, Faults
from kipflow.sandbox.people import PEOPLE
from kipflow.sandbox.wikistate import LivePage, WikiState

_LIMIT = 200


def routes(wiki: WikiState, faults: Faults) -> APIRouter:
    """The endpoints under /confluence/rest/api."""
    router = APIRouter(prefix="/confluence/rest/api")
    _add_reading(router, wiki)
    _add_labels(router, wiki)
    _add_saving(router, wiki, faults)
    _add_creating(router, wiki)
    return router


def _add_reading(router: APIRouter, wiki: WikiState) -> None:
    """Pages, their versions, their children, and looking a page up by its title."""

    @router.get("/content/{page_id}")
    async def read(page_id: str, expand: str = "", status: str = "current", version: int = 0) -> Response:
        page = wiki.find(page_id)
        refusal = _refuse(page, page_id)
        if page is None or refusal is not None:
            return refusal or _error(404, f"No content found with id: {page_id}")
        if status == "historical" and not 1 <= version <= page.number:
            return _error(404, f"No content found with id: {page_id}, version {version}")
        number = version if status == "historical" else page.number
        return JSONResponse(render_page(wiki, page, number, _expansions(expand)))

    @router.get("/content/{page_id}/child/page")
    async def children(page_id: str, expand: str = "", start: int = 0, limit: int = 25) -> Response:
        page = wiki.find(page_id)
        refusal = _refuse(page, page_id)
        if refusal is not None:
            return refusal
        limit, start = max(1, min(limit, _LIMIT)), max(0, start)
        every = wiki.children(page_id)
        shown = every[start : start + limit]
        here = f"/rest/api/content/{page_id}/child/page"
        links = {"self": here, "base": "", "context": "/confluence"}
        if start + limit < len(every):
            extra = f"&expand={expand}" if expand else ""
            links["next"] = f"{here}?limit={limit}&start={start + limit}{extra}"
        results = [render_page(wiki, p, p.number, _expansions(expand)) for p in shown]
        return JSONResponse({"results": results, "start": start, "limit": limit, "size": len(shown), "_links": links})

    @router.get("/content")
    async def search(title: str = "", expand: str = "") -> Response:
        found = [p for p in wiki.all() if p.title == title and not p.gone and not p.denied]
        results = [render_page(wiki, p, p.number, _expansions(expand)) for p in found]
        return JSONResponse({"results": results, "start": 0, "limit": 25, "size": len(results), "_links": {}})


def _add_labels(router: APIRouter, wiki: WikiState) -> None:
    @router.get("/content/{page_id}/label")
    async def labels(page_id: str) -> Response:
        page = wiki.find(page_id)
        return _refuse(page, page_id) or JSONResponse(_labels(page))

    @router.post("/content/{page_id}/label")
    async def add_labels(page_id: str, request: Request) -> Response:
        page = wiki.find(page_id)
        refusal = _refuse(page, page_id)
        if page is None or refusal is not None:
            return refusal or _error(404, page_id)
        given = await _json(request)
        for label in given if isinstance(given, list) else []:
            name = str(label.get("name", "")) if isinstance(label, dict) else ""
            if name and name not in page.labels:
                page.labels.append(name)
        return JSONResponse(_labels(page))


def _add_saving(router: APIRouter, wiki: WikiState, faults: Faults) -> None:
    """A new version of a page; refused where somebody saved first."""

    @router.put("/content/{page_id}")
    async def save(page_id: str, request: Request) -> Response:
        page = wiki.find(page_id)
        refusal = _refuse(page, page_id)
        if page is None or refusal is not None:
            return refusal or _error(404, page_id)
        given = await _json(request)
        body, number = _body_of(given), _version_of(given)
        if body is None or number is None:
            return _error(400, "A page needs version.number and body.storage.value")
        if faults.take(request.url.path, FaultKind.CONFLICT) is not None:
            wiki.disturb(page)
        if number != page.number + 1:
            message = f"Version must be incremented on update. Current version is: {page.number}"
            return _error(409, message, reason="Conflict")
        comment = str(given.get("version", {}).get("message") or "")
        wiki.save(page, body=body, who=_who(request), message=comment, title=str(given.get("title") or page.title))
        return JSONResponse(render_page(wiki, page, page.number, {"body.storage", "version"}))


def _add_creating(router: APIRouter, wiki: WikiState) -> None:
    @router.post("/content")
    async def create(request: Request) -> Response:
        given = await _json(request)
        title, body = str(given.get("title") or "").strip() if isinstance(given, dict) else "", _body_of(given)
        if not title or body is None:
            return _error(400, "A page needs a title and body.storage.value")
        ancestors = given.get("ancestors") or []
        parent = str(ancestors[-1].get("id")) if ancestors and isinstance(ancestors[-1], dict) else None
        if parent is not None and wiki.find(parent) is None:
            return _error(400, f"No parent page with id {parent}")
        page = wiki.create(title=title, parent=parent, body=body, who=_who(request))
        if page is None:
            return _error(
                400, "A page with this title already exists: A page already exists with the same TITLE in this space"
            )
        return JSONResponse(render_page(wiki, page, page.number, {"body.storage", "version"}))


def render_page(wiki: WikiState, page: LivePage, number: int, expand: set[str]) -> dict[str, Any]:
    """The page's version as JSON; only the parts named in `expand` are filled, as in Confluence."""
    version = page.versions[number - 1]
    first = page.versions[0]
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
        shown["version"] = {
            "by": _person(version.who),
            "when": f"{version.at:%Y-%m-%dT%H:%M:%S}.000Z",
            "message": version.message,
            "number": number,
            "minorEdit": False,
        }
    if "history" in expand:
        shown["history"] = {
            "latest": number == page.number,
            "createdBy": _person(first.who),
            "createdDate": f"{first.at:%Y-%m-%dT%H:%M:%S}.000Z",
        }
    if "metadata.labels" in expand or "metadata" in expand:
        shown["metadata"] = {"labels": _labels(page)}
    if "ancestors" in expand:
        parent = wiki.find(page.parent) if page.parent else None
        shown["ancestors"] = [{"id": parent.page_id, "type": "page", "title": parent.title}] if parent else []
    return shown


def _expansions(text: str) -> set[str]:
    return {part.strip() for part in text.split(",") if part.strip()}


def _person(who: str) -> dict[str, str]:
    known = PEOPLE.get(who)
    return {"type": "known", "username": who, "displayName": known.name if known else who}


def _labels(page: LivePage | None) -> dict[str, Any]:
    names = page.labels if page is not None else []
    results = [{"prefix": "global", "name": name, "id": str(i + 1)} for i, name in enumerate(names)]
    return {"results": results, "start": 0, "limit": _LIMIT, "size": len(results)}


def _refuse(page: LivePage | None, page_id: str) -> Response | None:
    if page is None or page.gone:
        return _error(404, f"No content found with id: {page_id}")
    return _error(403, "User not permitted to view this content") if page.denied else None


def _error(status: int, message: str, *, reason: str = "") -> Response:
    data = {"authorized": status != 403, "valid": status != 400, "errors": []}
    return JSONResponse({"statusCode": status, "data": data, "message": message, "reason": reason}, status)


def _who(request: Request) -> str:
    return "kipflow" if request.headers.get("Authorization", "").startswith("Bearer ") else "anonymous"


async def _json(request: Request) -> Any:
    try:
        return await request.json()
    except ValueError:
        return {}


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

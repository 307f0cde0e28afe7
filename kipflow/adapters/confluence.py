"""A Confluence wiki: pages, their versions and children, and saving a page.

Errors: those of `services.ports.Wiki`, `ServiceUnavailable` if the wiki gives no usable answer or refuses the account,
and `UnreadableInput` if this account cannot read the page (deleted, restricted, without a body).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from kipflow.adapters.http import HttpService
from kipflow.adapters.httpfaults import refuse
from kipflow.adapters.patience import Patience
from kipflow.domain.errors import SaveConflict, UnreadableInput
from kipflow.domain.times import as_utc
from kipflow.services.ports import PageRef, WikiPage

#: Children in one answer; a server may give fewer. A large community needs about seven answers.
_PAGE_SIZE = 200
#: No community has more proposals. The limit stops a server whose list never ends.
_MAX_CHILDREN = 50_000
_ID = re.compile(r"[A-Za-z0-9]{1,40}")
_EXPAND = "body.storage,version,metadata.labels"
#: Status → why this account cannot read a page.
_ABSENT: Mapping[int, WikiPage | str] = {
    403: "restricted: this account may not read it",
    **dict.fromkeys((404, 410), "not found: deleted, or hidden from this account"),
}


class ConfluenceWiki:
    """A wiki. `url` is its REST root (ending in /rest/api), `token` a personal access token."""

    def __init__(
        self, url: str, token: str | None = None, *, contact: str = "", patience: Patience | None = None
    ) -> None:
        self._http = HttpService("Confluence", url, token=token, contact=contact, patience=patience)

    def fetch_page(self, page_id: str) -> WikiPage:
        """The current version of a page."""
        return self._fetch(page_id, {"expand": _EXPAND})

    def fetch_version(self, page_id: str, version: int) -> WikiPage:
        """An earlier version of a page, with its body as it was."""
        params = {"status": "historical", "version": str(version), "expand": _EXPAND}
        page = self._fetch(page_id, params)
        if page.version != version:
            raise UnreadableInput(source=f"page {page_id}", why=f"asked for version {version}, got {page.version}")
        return page

    def fetch_children(self, page_id: str) -> Iterator[PageRef]:
        """Every child page once, read in batches."""
        seen: set[str] = set()
        start = 0
        path = f"/content/{_checked(page_id)}/child/page"
        while start < _MAX_CHILDREN:
            params = {"limit": str(_PAGE_SIZE), "start": str(start), "expand": "version"}
            refs, count, has_more = self._http.fetch_json(path, params=params, read=_read_children)
            # a page that moves up while we read appears twice
            fresh = [ref for ref in refs if ref.page_id not in seen]
            seen.update(ref.page_id for ref in fresh)
            yield from fresh
            if not has_more:
                return
            start += count

    def save_page(self, page: WikiPage, *, body: str, message: str) -> WikiPage:
        """`message` is the change's comment. If the answer was lost, our own version is recognised: no conflict."""
        path = f"/content/{_checked(page.page_id)}"
        content = {
            "id": page.page_id,
            "type": "page",
            "title": page.title,
            "version": {"number": page.version + 1, "message": message[:250], "minorEdit": False},
            "body": {"storage": {"value": body, "representation": "storage"}},
        }

        status = self._send("PUT", path, content, accept={409})
        current = self.fetch_page(page.page_id)
        if current.version == page.version + 1 and (current.body == body or status != 409):
            return current  # the wiki normalises some markup
        if status == 409 or current.version > page.version + 1:
            raise SaveConflict(page_id=page.page_id, version=page.version)
        raise self._http.unavailable(f"PUT {path}: said it was saved, but the page is at version {current.version}")

    def create_page(self, parent_id: str, *, title: str, body: str) -> WikiPage:
        """If the answer was lost, the page is recognised by title and body and not created twice."""
        parent_path = f"/content/{_checked(parent_id)}"
        space = self._http.fetch_json(parent_path, params={"expand": "space"}, read=_read_space)
        content: dict[str, Any] = {
            "type": "page",
            "title": title,
            "ancestors": [{"id": parent_id}],
            "body": {"storage": {"value": body, "representation": "storage"}},
        }
        if space:
            content["space"] = {"key": space}

        status = self._send("POST", "/content", content, accept={400, 409})
        # also after a success: the page is found in the same way for every form of answer
        found = self._find_by_title(title, space)
        if found is None:
            raise self._http.unavailable(f"POST /content: answered {status}, and the page is not there")
        if status in {400, 409} and found.body != body:
            raise SaveConflict(page_id=found.page_id, version=found.version)
        return found

    def _send(self, method: str, path: str, content: Mapping[str, Any], *, accept: Collection[int]) -> int:
        """Send with retries. Returns the status: a success, or one of `accept`."""

        def attempt() -> int:
            answer = self._http.fetch_once(method, path, content=content)
            if answer.status not in accept:
                refuse(answer.status, answer.body)
            return answer.status

        return self._http.retry(f"{method} {path}", attempt)

    def _find_by_title(self, title: str, space: str | None) -> WikiPage | None:
        params = {"title": title} | ({"spaceKey": space} if space else {})
        ids = self._http.fetch_json("/content", params=params, read=lambda raw: [str(r["id"]) for r in raw["results"]])
        return self.fetch_page(ids[0]) if ids else None

    def _fetch(self, page_id: str, params: Mapping[str, str]) -> WikiPage:
        page = self._http.fetch_json(
            f"/content/{_checked(page_id)}", params=params, instead=_ABSENT, read=self._read_page
        )
        if isinstance(page, str):
            raise UnreadableInput(source=f"page {page_id}", why=page)
        return page

    def _read_page(self, raw: Any) -> WikiPage:
        version = raw["version"]
        author = version.get("by") or {}
        return WikiPage(
            page_id=str(raw["id"]),
            version=int(version["number"]),
            title=str(raw["title"]),
            body=str(raw["body"]["storage"]["value"]),
            saved_at=as_utc(datetime.fromisoformat(str(version["when"]))),
            saved_by=str(author.get("displayName") or author.get("username") or "unknown"),
            url=_address(raw, self._http.url),
            labels=_labels(raw),
            message=str(version.get("message") or ""),
        )


def _checked(page_id: str) -> str:
    if not _ID.fullmatch(page_id):
        raise UnreadableInput(source=f"page {page_id[:40]!r}", why="not a page id")
    return page_id


def _read_space(raw: Any) -> str | None:
    """The key of a page's space; None if the wiki does not say."""
    key = (raw.get("space") or {}).get("key")
    return key if isinstance(key, str) else None


def _read_children(raw: Any) -> tuple[list[PageRef], int, bool]:
    """The children of one answer, how many rows it had, and whether more follow."""
    results = raw["results"]
    refs = [PageRef(page_id=str(r["id"]), version=int(r["version"]["number"]), title=str(r["title"])) for r in results]
    limit = raw.get("limit")
    is_full = len(results) >= (limit if isinstance(limit, int) and limit > 0 else _PAGE_SIZE)
    return refs, len(results), bool(results) and (is_full or "next" in (raw.get("_links") or {}))


def _address(raw: Mapping[str, Any], root: str) -> str:
    links = raw.get("_links")
    if not isinstance(links, dict):
        return ""
    base = links.get("base") or root.removesuffix("/rest/api")
    return f"{base}{links['webui']}" if isinstance(links.get("webui"), str) else ""


def _labels(raw: Mapping[str, Any]) -> tuple[str, ...]:
    try:
        return tuple(str(label["name"]) for label in raw["metadata"]["labels"]["results"])
    except (KeyError, TypeError):
        return ()

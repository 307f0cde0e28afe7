"""A wiki in memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from kipflow.domain.errors import SaveConflict, ServiceUnavailable, UnreadableInput
from kipflow.services.ports import PageRef, WikiPage

START, DAY = datetime(2025, 11, 21, tzinfo=UTC), timedelta(days=1)


class MemoryWiki:
    """A wiki in memory whose pages can be moved, hidden and deleted, and that counts what is asked of it."""

    def __init__(self) -> None:
        self.versions: dict[str, list[WikiPage]] = {}
        self.children: set[str] = set()
        self.refused: dict[str, str] = {}
        self.refused_versions: set[tuple[str, int]] = set()
        self.down = False
        self.asked: list[str] = []
        self.save("1", "Index", "<p>index</p>", listed=False)

    def save(self, page_id: str, title: str, body: str, *, listed: bool = True, message: str = "") -> None:
        known = self.versions.setdefault(page_id, [])
        number = len(known) + 1
        known.append(
            WikiPage(
                page_id=page_id,
                version=number,
                title=title,
                body=body,
                saved_at=START + number * DAY,
                saved_by="Ann",
                labels=("kip",),
                message=message,
            )
        )
        if listed:
            self.children.add(page_id)

    def fetch_page(self, page_id: str) -> WikiPage:
        self.asked.append(page_id)
        if self.down:
            raise ServiceUnavailable(service="wiki", url="http://wiki.x.example", why="503")
        if page_id in self.refused or page_id not in self.versions:
            raise UnreadableInput(source=f"page {page_id}", why=self.refused.get(page_id, "not found"))
        return self.versions[page_id][-1]

    def fetch_version(self, page_id: str, version: int) -> WikiPage:
        self.asked.append(f"{page_id}@{version}")
        if page_id in self.refused or (page_id, version) in self.refused_versions:
            raise UnreadableInput(source=f"page {page_id}", why="not found")
        return self.versions[page_id][version - 1]

    def fetch_children(self, page_id: str) -> Iterator[PageRef]:
        for child in sorted(self.children):
            newest = self.versions[child][-1]
            yield PageRef(page_id=child, version=newest.version, title=newest.title)

    def save_page(self, page: WikiPage, *, body: str, message: str) -> WikiPage:
        newest = self.versions[page.page_id][-1]
        if newest.version != page.version:
            raise SaveConflict(page_id=page.page_id, version=page.version)
        self.save(page.page_id, page.title, body, message=message)
        return self.versions[page.page_id][-1]

    def create_page(self, parent_id: str, *, title: str, body: str) -> WikiPage:
        del parent_id
        if any(held[-1].title == title for held in self.versions.values()):
            raise SaveConflict(page_id="", version=0)
        page_id = str(100 + len(self.versions))
        self.save(page_id, title, body)
        return self.versions[page_id][-1]

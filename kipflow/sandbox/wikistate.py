"""The wiki as it stands: scripted versions that have come due, and what visitors have saved."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from kipflow.sandbox.wiki import PageScript, ScriptedVersion


@dataclass(slots=True, kw_only=True)
class LivePage:
    """A page with its saved versions, oldest first, and the scripted ones still to come."""

    page_id: str
    title: str
    parent: str | None
    versions: list[ScriptedVersion] = field(default_factory=list)
    script: deque[ScriptedVersion] = field(default_factory=deque)
    denied: bool = False
    gone: bool = False
    labels: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The current version's number."""
        return len(self.versions)


class WikiState:
    """All pages. Every look brings the scripted versions that are due by then, in order."""

    def __init__(self, scripts: Iterable[PageScript], now: Callable[[], datetime]) -> None:
        self._now = now
        self._pages = {
            s.page_id: LivePage(
                page_id=s.page_id,
                title=s.title,
                parent=s.parent,
                script=deque(s.versions),
                denied=s.denied,
                gone=s.gone,
                labels=list(s.labels),
            )
            for s in scripts
        }
        self._next_id = 9_001

    def find(self, page_id: str) -> LivePage | None:
        """The page as of now; None while it has no version yet."""
        page = self._pages.get(page_id)
        if page is None:
            return None
        moment = self._now()
        while page.script and page.script[0].at <= moment:
            page.versions.append(page.script.popleft())
        return page if page.versions else None

    def children(self, page_id: str) -> list[LivePage]:
        """The page's children by title. Deleted and restricted ones are listed too: listings lag behind."""
        found = [self.find(p.page_id) for p in list(self._pages.values()) if p.parent == page_id]
        return sorted((p for p in found if p is not None), key=lambda p: (p.title, p.page_id))

    def all(self) -> list[LivePage]:
        return [p for p in (self.find(i) for i in list(self._pages)) if p is not None]

    def save(self, page: LivePage, *, body: str, who: str, message: str, title: str | None = None) -> None:
        """Add a version. Where a visitor keeps a page, the script stops: two hands would undo each other."""
        page.versions.append(ScriptedVersion(at=self._now(), who=who, body=body, message=message))
        page.title = title or page.title
        page.script.clear()

    def disturb(self, page: LivePage) -> None:
        """Somebody else saves the page first: a harmless edit of its newest version."""
        newest = page.versions[-1]
        body = f"{newest.body}<p>Edited meanwhile (version {page.number + 1}).</p>"
        page.versions.append(ScriptedVersion(at=self._now(), who="amaro", body=body, message="Small fix"))

    def create(self, *, title: str, parent: str | None, body: str, who: str) -> LivePage | None:
        """A new page; None if its title is taken."""
        if any(p.title == title and not p.gone for p in self.all()):
            return None
        page = LivePage(page_id=str(self._next_id), title=title, parent=parent)
        self._next_id += 1
        page.versions.append(ScriptedVersion(at=self._now(), who=who, body=body, message=""))
        self._pages[page.page_id] = page
        return page

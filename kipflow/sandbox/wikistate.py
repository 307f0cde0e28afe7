"""The current wiki: scripted versions that are due, and what visitors have saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a page, saved at `at` by a resident of the story or by a visitor."""

    at: datetime
    who: str
    body: str
    message: str = ""


@dataclass(slots=True, kw_only=True)
class LivePage:
    """A page with its versions, oldest first. `denied`: it may not be read. `gone`: deleted.

    `script` has all versions in the story, of which `played` were due so far. `saved` holds the versions that visitors
    saved, by number. From `kept_from` on, a visitor maintains the page and the script stops, because they would undo
    each other's edits.
    """

    page_id: str
    title: str
    parent: str | None
    script: Sequence[Version] = ()
    denied: bool = False
    gone: bool = False
    labels: tuple[str, ...] = ()
    versions: list[Version] = field(default_factory=list)
    played: int = 0
    saved: dict[int, Version] = field(default_factory=dict)
    kept_from: int | None = None

    @property
    def number(self) -> int:
        """The current version's number."""
        return len(self.versions)

    def catch_up(self, moment: datetime) -> None:
        """Add every scripted version that is due by `moment`, in order."""
        while True:
            number = self.number + 1
            due = self.played < len(self.script) and self.script[self.played].at <= moment
            if number in self.saved:
                self.versions.append(self.saved[number])
            elif due and (self.kept_from is None or number < self.kept_from):
                self.versions.append(self.script[self.played])
                self.played += 1
            else:
                return

    def add(self, version: Version) -> None:
        self.saved[self.number + 1] = version
        self.versions.append(version)


class WikiState:
    """All pages. Every access first adds the versions that are due. The story's own pages stay as they are."""

    def __init__(self, story: Iterable[LivePage], now: Callable[[], datetime]) -> None:
        self._now = now
        self._pages = {page.page_id: replace(page, versions=[], saved={}) for page in story}
        self._scripted = frozenset(self._pages)

    def find(self, page_id: str) -> LivePage | None:
        """The current page; None if it has no version yet."""
        page = self._pages.get(page_id)
        if page is None:
            return None
        page.catch_up(self._now())
        return page if page.versions else None

    def children(self, page_id: str) -> list[LivePage]:
        """The page's children by title. Deleted and restricted ones are listed too: listings lag behind."""
        return sorted((p for p in self.all() if p.parent == page_id), key=lambda p: (p.title, p.page_id))

    def all(self) -> list[LivePage]:
        return [p for p in (self.find(i) for i in list(self._pages)) if p is not None]

    def save(self, page: LivePage, *, body: str, who: str, message: str, title: str | None = None) -> None:
        """Add a visitor's version; from now on visitors maintain the page."""
        if page.kept_from is None:
            page.kept_from = page.number + 1
        page.add(Version(at=self._now(), who=who, body=body, message=message))
        page.title = title or page.title

    def save_concurrently(self, page: LivePage) -> None:
        """Simulate a concurrent save: a harmless edit of the newest version."""
        body = f"{page.versions[-1].body}<p>Edited meanwhile (version {page.number + 1}).</p>"
        page.add(Version(at=self._now(), who="amaro", body=body, message="Small fix"))

    def create(self, *, title: str, parent: str | None, body: str, who: str) -> LivePage | None:
        """A new page; None if its title is taken."""
        if any(p.title == title and not p.gone for p in self.all()):
            return None
        page = LivePage(page_id=str(9_000 + len(self._pages)), title=title, parent=parent, kept_from=1)
        page.add(Version(at=self._now(), who=who, body=body, message=""))
        self._pages[page.page_id] = page
        return page

    # -- what outlives a restart -----------------------------------------------------------------
    def export(self) -> dict[str, Any]:
        """Visitors' changes as JSON-compatible data."""
        return {
            page.page_id: {
                "title": page.title,
                "parent": page.parent,
                "kept_from": page.kept_from,
                "saved": _SAVED.dump_python(page.saved, mode="json"),
            }
            for page in self._pages.values()
            if page.saved or page.page_id not in self._scripted
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Restore the result of `export`. Raises KeyError, TypeError or ValueError for anything else."""
        for page_id, raw in kept.items():
            page = self._pages.setdefault(page_id, LivePage(page_id=page_id, title="", parent=None))
            page.title, page.parent, page.kept_from = str(raw["title"]), raw["parent"], raw["kept_from"]
            page.saved = _SAVED.validate_python(raw["saved"])


_SAVED = TypeAdapter(dict[int, Version])

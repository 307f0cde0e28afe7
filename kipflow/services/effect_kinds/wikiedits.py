"""Edits of wiki pages: each is saved once, never overwrites others' changes, and can be rolled back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kipflow.domain.errors import Refused, SaveConflict
from kipflow.services.ports import Wiki, WikiPage
from kipflow.services.ports.effects import TAKES_BACK, OutboxRow

#: How often an edit is tried while others save the page.
SAVE_ATTEMPTS = 3
#: How many newest versions are searched for a save whose answer was lost.
VERSIONS_SEARCHED = 10


@dataclass(frozen=True, slots=True)
class WikiEdits:
    """Saves pages. The comment of a version carries the key of its effect, by which `find` knows it.

    `note` is called with each saved page: otherwise false drift would show until the next sync.
    """

    wiki: Wiki
    note: Callable[[WikiPage], object]

    def save(self, row: OutboxRow, edit: Callable[[WikiPage], str], what: str) -> str:
        """Save `edit` of the present page, or roll an edit back. Returns "PAGE@VERSION".

        An edit never overwrites newer changes. Raises `SaveConflict` if others save faster.
        """
        page_id = str(row.payload["page_id"])
        if row.is_undoing:
            return self._undo(row, page_id)
        attempts = 0
        while True:
            page, attempts = self.wiki.fetch_page(page_id), attempts + 1
            body = edit(page)
            if body == page.body:
                return f"{page_id}@{page.version}"
            try:
                return self._save(page, body, f"kipflow: {what} ({row.key})")
            except SaveConflict:
                if attempts == SAVE_ATTEMPTS:
                    raise

    def find(self, row: OutboxRow) -> str | None:
        """The version saved for a row; None if not among the newest: saving again then only adds what is missing."""
        newest = page = self.wiki.fetch_page(str(row.payload["page_id"]))
        base = max(int(row.payload.get("version", 0)), page.version - VERSIONS_SEARCHED)
        while page.version > base:
            if f"({row.key})" in page.message:
                self.note(newest)
                return f"{page.page_id}@{page.version}"
            if page.version == base + 1:
                break
            page = self.wiki.fetch_version(page.page_id, page.version - 1)
        return None

    def _undo(self, row: OutboxRow, page_id: str) -> str:
        """Save the version before an edit again, unless somebody has saved the page since."""
        page, version = self.wiki.fetch_page(page_id), int(row.payload[TAKES_BACK])
        if page.version != version or f"({row.payload['undoes']})" not in page.message:
            why = f"it has version {page.version} by {page.saved_by} by now: what they wrote would be lost"
            raise Refused(service="the wiki", url=page.url, why=why)
        before = self.wiki.fetch_version(page_id, version - 1)
        return self._save(page, before.body, f"kipflow: version {version} taken back ({row.key})")

    def _save(self, page: WikiPage, body: str, comment: str) -> str:
        saved = self.wiki.save_page(page, body=body, message=comment)
        self.note(replace(saved, body=body))
        return f"{page.page_id}@{saved.version}"

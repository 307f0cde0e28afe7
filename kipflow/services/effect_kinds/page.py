"""A proposal's page: its "Current state", and links and release that are not filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from kipflow.domain.errors import Refused
from kipflow.domain.events import PAGE_WORD, Stage
from kipflow.domain.facts import MailKind
from kipflow.domain.ownpages import own_versions
from kipflow.domain.pages import PageVersion
from kipflow.domain.texts import digest_text, is_web_address
from kipflow.services.board import ProposalView
from kipflow.services.effect_kinds.kind import PerProposalKind
from kipflow.services.effect_kinds.wikiedits import WikiEdits
from kipflow.services.ports import Effect, OutboxRow, Wiki, WikiPage
from kipflow.services.sync import note_page
from kipflow.wiki.diffs import diff_pages
from kipflow.wiki.page_editing import edit_page
from kipflow.wiki.pages import parse_page

#: Lines of a preview that are kept.
MAX_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PageKind(PerProposalKind):
    """Writes what the facts say into the page's fields, with the care of an index edit.

    The state is set if the page contradicts the derived stage; other fields are only filled in if empty. A state that
    somebody changed back is drift and a question, to avoid edit wars. `tickets` is the address before a ticket's key.
    """

    channel = "page"
    wiki: Wiki
    tickets: str = ""

    def send(self, row: OutboxRow) -> str:
        if not row.is_undoing:
            self.refuse_lapsed(row)
        return self._edits.save(row, lambda page: self._edit(page, row), "page brought up to date")

    def find(self, row: OutboxRow) -> str | None:
        return self._edits.find(row)

    @property
    def _edits(self) -> WikiEdits:
        scope = self.scope
        return WikiEdits(self.wiki, lambda p: note_page(scope.store, p, scope.prefix, max(scope.now, p.saved_at)))

    def _edit(self, page: WikiPage, row: OutboxRow) -> str:
        """The edit applied to the page as it is now; a state that somebody wrote meanwhile is not overwritten."""
        sets, stands = row.payload["sets"], parse_page(page, self.scope.prefix).status_text
        if "state" in sets and stands not in {row.payload["was"], sets["state"]}:
            why = f"version {page.version} by {page.saved_by} says {stands!r} by now: it is read first"
            raise Refused(service="the wiki", url=page.url, why=why)
        return edit_page(page.body, sets, source=f"page {page.page_id}")[0]

    def find_effect(self, view: ProposalView) -> Effect | None:
        pages = own_versions(view.pages, view.proposal.number)
        body = self.scope.store.page_body(pages[-1].page_id, pages[-1].version) if pages else None
        if body is None:
            return None
        page = pages[-1]
        after, sets = edit_page(body, dict(self._find_sets(view)), source=f"page {page.page_id}")
        if not sets:
            return None
        saved = _find_saved(view, page)
        again = saved is not None and saved.payload["sets"].get("state") == sets.get("state") is not None
        base = saved.external_ref if saved is not None else page.page_id
        digest = digest_text(json.dumps(sets, sort_keys=True), 12)
        text = f"{view.key}: set the page's {', '.join(_NAMES.get(kind, kind) for kind in sets)}"
        if again:
            text = f"{view.key}: somebody changed the state on the page back to {page.status_text!r}. Set it again?"
        return Effect(
            key=f"{view.key}/{digest}/{base}/{self.channel}",
            number=view.proposal.number,
            channel=self.channel,
            payload={
                "page_id": page.page_id,
                "version": page.version,
                "text": text,
                "sets": sets,
                "was": page.status_text,
                "diff": list(_compare(body, after, page))[:MAX_LINES],
            },
            approval=again,
        )

    def _find_sets(self, view: ProposalView) -> Iterator[tuple[str, str]]:
        """Each field with its right value; a field without one is left alone."""
        if any(drift.side == "page" and not drift.says.startswith("gone:") for drift in view.drift):
            yield "state", PAGE_WORD[view.stage]
        talk = next((view.links.get(t.first_message_id, "") for t in view.threads if t.kind is MailKind.DISCUSS), "")
        newest = view.newest_vote
        vote = view.links.get(newest.vote.root_message_id, "") if newest is not None else ""
        jira, release = view.proposal.jira, view.proposal.release
        for kind, url, shown in (
            ("discussion", talk, "here"),
            ("vote", vote, "here"),
            ("jira", f"{self.tickets}{jira}" if self.tickets and jira else "", jira or ""),
        ):
            if is_web_address(url):
                yield kind, f'<a href="{escape(url)}">{escape(shown)}</a>'
        if view.stage is Stage.ACCEPTED and release:
            yield "release", escape(release, quote=False)


_NAMES = {"discussion": "discussion thread", "vote": "vote thread", "jira": "ticket"}


def _find_saved(view: ProposalView, page: PageVersion) -> OutboxRow | None:
    """The newest edit of the page that kipflow saved, except rollbacks."""
    own = (e for e in view.effects if e.channel == PageKind.channel and e.status == "sent" and not e.is_undoing)
    saved = [e for e in own if (e.external_ref or "").startswith(f"{page.page_id}@")]
    return max(saved, key=lambda e: int(str(e.external_ref).rpartition("@")[2]), default=None)


def _compare(before: str, after: str, page: PageVersion) -> Iterator[str]:
    for change in diff_pages(before, after, source=f"page {page.page_id}"):
        yield from (f"-{line}" for line in change.removed)
        yield from (f"+{line}" for line in change.added)

"""The wiki's index: the rows that have to move, edited in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.events import Stage, effective
from kipflow.domain.proposals import format_key
from kipflow.domain.texts import digest_text
from kipflow.services.effect_kinds.kind import Scope
from kipflow.services.effect_kinds.wikiedits import WikiEdits
from kipflow.services.indexrows import CHANNEL, Rows, ask_about, choose_rows, compare_pages, edit_page, find_moves
from kipflow.services.ports import Report, Store, Wiki, WikiPage
from kipflow.services.ports.effects import MARKS, MOVED_BACK, RETRACTS, WAITING, Effect, OutboxRow
from kipflow.services.sync import note_index

#: Lines of a preview that are kept.
MAX_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexKind:
    """Saves the index page as the board has it at the time of sending.

    A row whose acceptance was retracted stays until a person releases the retraction; a row that somebody moved back
    stays until a person says to move it again.
    """

    scope: Scope
    wiki: Wiki
    page_id: str

    def plan(self) -> Report:
        """Put the edit that would correct the index into the outbox, if it is not correct already."""
        scope, prefix = self.scope, self.scope.prefix
        if scope.mode == "off":
            return Report(counts={"edits": 0})
        page = self.wiki.fetch_page(self.page_id)
        if scope.sends:
            _hold_unheard_retractions(scope.store, page, prefix, scope.now)
        rows = choose_rows(scope.store, self.wiki, page, prefix, scope.now)
        edit = self._find_edit(rows, page)
        asked = [ask_about(rows, page, prefix)] if rows.moved_back else []
        with scope.store.begin() as session:
            if scope.sends:
                session.outbox.withdraw(rows.outdated, why="its rows have moved since")
                session.outbox.withdraw(
                    self._find_overtaken(session.outbox.load_channel(CHANNEL, WAITING), edit),
                    why="overtaken by a newer edit",
                )
                session.outbox.enqueue(asked, now=scope.now)
            added = session.outbox.enqueue(edit, now=scope.now, sends=scope.sends)
        return Report(counts={"edits": added, **({"rows_moved": len(rows.moves)} if edit else {})})

    def preview(self) -> list[str]:
        """What the next edit would change: lines of a diff, none if the index is correct."""
        page = self.wiki.fetch_page(self.page_id)
        rows = choose_rows(self.scope.store, self.wiki, page, self.scope.prefix, self.scope.now)
        return compare_pages(page.body, self._edit(rows, page), self.scope.prefix, self.scope.now)

    def send(self, row: OutboxRow) -> str:
        return self._edits.save(row, lambda page: self._edit(None, page), "round-up brought up to date")

    def find(self, row: OutboxRow) -> str | None:
        return self._edits.find(row)

    @property
    def _edits(self) -> WikiEdits:
        return WikiEdits(
            self.wiki,
            lambda page: note_index(self.scope.store, page, self.scope.prefix, max(self.scope.now, page.saved_at)),
        )

    def _edit(self, rows: Rows | None, page: WikiPage) -> str:
        scope = self.scope
        chosen = rows or choose_rows(scope.store, self.wiki, page, scope.prefix, scope.now)
        return edit_page(scope.store, chosen, page.body, scope.prefix, scope.now)

    def _find_edit(self, rows: Rows, page: WikiPage) -> list[Effect]:
        body = self._edit(rows, page)
        if body == page.body:
            return []
        moves = [{"number": n, "from": stands, "to": to} for n, stands, to in rows.moves]
        changed = compare_pages(page.body, body, self.scope.prefix, self.scope.now)[:MAX_LINES]
        return [
            Effect(
                key=f"index/{page.page_id}/{page.version}/{digest_text(body, 16)}",
                number=None,
                channel=CHANNEL,
                payload={
                    "page_id": page.page_id,
                    "version": page.version,
                    "moves": moves,
                    "diff": changed,
                    MARKS: [list(mark) for mark in rows.marks],
                },
                approval=self.scope.mode == "approve",
            )
        ]

    def _find_overtaken(self, waiting: Sequence[OutboxRow], edit: Sequence[Effect]) -> list[str]:
        """The waiting edits of this page that are no longer the due one."""
        due = {effect.key for effect in edit}
        plain = (r for r in waiting if not r.is_undoing and r.payload.keys().isdisjoint({MOVED_BACK, RETRACTS}))
        return [r.key for r in plain if r.payload.get("page_id") == self.page_id and r.key not in due]


def _hold_unheard_retractions(store: Store, page: WikiPage, prefix: str, now: datetime) -> None:
    """Hold retractions of acceptances that were recorded while nothing was sent (in dry-run, say) for a person."""
    with store.begin() as session:
        moves = find_moves(session.history.load_index_rows(), page.body, prefix, now)
        unreleased = session.outbox.load_unreleased_retractions()
        leaving = [number for number, stands, _ in moves if stands == "accepted" and number not in unreleased]
        for number in leaving:
            history = session.history.load(number)
            accepted = [t for t in history if t.target is Stage.ACCEPTED]
            standing = effective(history)
            # with an acceptance in effect, an operator moved the proposal on: nobody has to be asked again
            if not accepted or any(t in standing for t in accepted) or session.outbox.is_retraction_released(number):
                continue
            key = format_key(prefix, number)
            text = f"{key}: its acceptance was retracted while nothing was sent; its index row moves when released"
            effect = Effect(
                key=f"{key}/{accepted[-1].id}/index",
                number=number,
                channel=CHANNEL,
                payload={"page_id": page.page_id, "text": text, RETRACTS: True},
                approval=True,
            )
            session.outbox.enqueue([effect], now=now)

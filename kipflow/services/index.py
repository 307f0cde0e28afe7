"""The round-up index: rendered from the derived stages, imported from files, kept true on the wiki."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.errors import Refused, SaveConflict, UnreadableInput
from kipflow.domain.events import Stage
from kipflow.domain.facts import CallNote
from kipflow.domain.history import effective
from kipflow.domain.numbering import find_next
from kipflow.domain.proposals import format_key
from kipflow.services.indexrows import (
    CHANNEL,
    ask_about,
    choose_rows,
    compare_pages,
    edit_page,
    find_moves,
    find_sections,
)
from kipflow.services.ports import RETRACTS, TAKES_BACK, Effect, OutboxRow, Report, Store, Wiki, WikiPage
from kipflow.services.sync import note_index
from kipflow.wiki.index import (
    ParsedIndex,
    parse_index_json,
    parse_index_page,
    parse_index_text,
    render_index,
)
from kipflow.wiki.recordings import parse_recordings, parse_recordings_text

#: Lines of a preview that are kept.
MAX_LINES = 200
#: A page that somebody edits while we write: read it again and try so often.
SAVE_ATTEMPTS = 3
#: Versions of the page among which a save is looked for whose answer was lost.
VERSIONS_SEARCHED = 10


def render_board_index(store: Store, *, prefix: str, form: str, as_of: datetime) -> str:
    """The round-up of every decided proposal, as markdown, html, confluence or json."""
    with store.read() as session:
        rows, following = session.history.load_index_rows(), find_next(session.pages.load_taken())
    # where no page, row or ruling has a number, mail is all there is, and it takes none
    shown = following.listed if following.listed > 1 else None
    return render_index(find_sections(rows, as_of), prefix=prefix, next_number=shown, format=form)


def import_index(store: Store, text: str, *, prefix: str, seen_at: datetime, source: str) -> Report:
    """Store the rows of an index file (JSON, wiki page or plain text) as the baseline of their proposals.

    The number that it states as the next one and its notes of calls are kept as those of the wiki's own index are.

    Raises:
        UnreadableInput: the file has no row that could be read.
    """
    parsed, notes = _parse(text, prefix, seen_at, source)
    if not parsed.entries:
        raise UnreadableInput(source=source, why=f"holds no row such as {prefix}-12: Title")
    with store.begin() as session:
        changed = session.pages.save_index_entries(parsed.entries)
        session.pages.save_stated_number(parsed.next_number, origin="import")
        noted = session.pages.save_call_notes(notes, seen_at=seen_at)
    proposals = len({e.number for e in parsed.entries})
    counts = {"rows": len(parsed.entries), "proposals": proposals, "proposals_changed": changed}
    if notes:
        counts["call_notes_new"] = noted
    return Report(counts=counts, warnings=parsed.warnings)


def preview_index(store: Store, wiki: Wiki, *, page_id: str, prefix: str, now: datetime) -> list[str]:
    """What the next edit of the wiki's index would change: lines of a diff, none where it is true."""
    page = wiki.fetch_page(page_id)
    rows = choose_rows(store, wiki, page, prefix, now)
    return compare_pages(page.body, edit_page(store, rows, page.body, prefix, now), prefix, now)


def update_index(
    store: Store, wiki: Wiki, *, page_id: str, prefix: str, mode: str, sends: bool, now: datetime
) -> Report:
    """Put the edit that would make the wiki's index true into the outbox, if it is not true already.

    A row whose acceptance fell stays as it is while a person has not let people hear of that, one that somebody moved
    back while no person has said to move it again.
    `mode` is "send", "approve" (a person releases the edit) or "off"; without `sends` the row is only shown.
    """
    if mode == "off":
        return Report(counts={"edits": 0})
    page = wiki.fetch_page(page_id)
    if sends:
        _hold_unheard_retractions(store, page, prefix, now)
    rows = choose_rows(store, wiki, page, prefix, now)
    if sends and (rows.moved_back or rows.outdated):
        with store.begin() as session:
            session.outbox.withdraw(rows.outdated, why="its rows have moved since")
            session.outbox.enqueue([ask_about(rows, page, prefix)] if rows.moved_back else [], now=now)
    body = edit_page(store, rows, page.body, prefix, now)
    if body == page.body:
        return Report(counts={"edits": 0})
    moves = [{"number": n, "from": stands, "to": to} for n, stands, to in rows.moves]
    digest = hashlib.sha256(body.encode()).hexdigest()[:16]
    changed = compare_pages(page.body, body, prefix, now)[:MAX_LINES]
    effect = Effect(
        key=f"index/{page_id}/{page.version}/{digest}",
        number=None,
        channel=CHANNEL,
        payload={"page_id": page_id, "version": page.version, "moves": moves, "diff": changed},
        approval=mode == "approve",
    )
    with store.begin() as session:
        added = session.outbox.enqueue([effect], now=now, status="pending" if sends else "skipped")
    return Report(counts={"edits": added, "rows_moved": len(moves)})


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexHandler:
    """Saves the index page as the board has it at the time of sending: a queued edit never overwrites news.

    The comment of the page's version carries the row's key, by which `find` knows it.
    """

    store: Store
    wiki: Wiki
    prefix: str
    now: datetime

    def send(self, row: OutboxRow) -> str:
        page_id = str(row.payload["page_id"])
        if TAKES_BACK in row.payload:
            return self._take_back(row, page_id)
        for attempt in range(SAVE_ATTEMPTS):
            page = self.wiki.fetch_page(page_id)
            rows = choose_rows(self.store, self.wiki, page, self.prefix, self.now)
            body = edit_page(self.store, rows, page.body, self.prefix, self.now)
            if body == page.body:
                return f"{page_id}@{page.version}"
            try:
                comment = f"kipflow: round-up brought up to date ({row.key})"
                saved = self.wiki.save_page(page, body=body, message=comment)
            except SaveConflict:
                if attempt == SAVE_ATTEMPTS - 1:
                    raise
                continue
            self._note(replace(saved, body=body))
            return f"{page_id}@{saved.version}"
        raise SaveConflict(page_id=page_id, version=0)

    def find(self, row: OutboxRow) -> str | None:
        """The version that was saved for a row. Beyond those looked at, saving anew adds only what is not there."""
        newest = page = self.wiki.fetch_page(str(row.payload["page_id"]))
        base = max(int(row.payload.get("version", 0)), page.version - VERSIONS_SEARCHED)
        while page.version > base:
            if f"({row.key})" in page.message:
                self._note(newest)
                return f"{page.page_id}@{page.version}"
            if page.version == base + 1:
                break
            page = self.wiki.fetch_version(page.page_id, page.version - 1)
        return None

    def _take_back(self, row: OutboxRow, page_id: str) -> str:
        """Save what stood there before an edit, unless somebody has saved the page since."""
        page, version = self.wiki.fetch_page(page_id), int(row.payload[TAKES_BACK])
        if page.version != version or f"({row.payload['undoes']})" not in page.message:
            why = f"it has version {page.version} by {page.saved_by} by now: what they wrote would be lost"
            raise Refused(service="the wiki's index", url=page.url, why=why)
        before = self.wiki.fetch_version(page_id, version - 1)
        comment = f"kipflow: version {version} taken back ({row.key})"
        saved = self.wiki.save_page(page, body=before.body, message=comment)
        self._note(replace(saved, body=before.body))
        return f"{page_id}@{saved.version}"

    def _note(self, page: WikiPage) -> None:
        """What the index says now is known at once: waiting for the next sync would show drift that is none."""
        note_index(self.store, page, self.prefix, max(self.now, page.saved_at))


def _hold_unheard_retractions(store: Store, page: WikiPage, prefix: str, now: datetime) -> None:
    """Let acceptances that were retracted while nothing was sent (in dry-run, say) wait for a person like any other."""
    with store.begin() as session:
        moves = find_moves(session.history.load_index_rows(), page.body, prefix, now)
        unreleased = session.outbox.load_unreleased_retractions()
        leaving = [number for number, stands, _ in moves if stands == "accepted" and number not in unreleased]
        for number in leaving:
            history = session.history.load(number)
            accepted = [t for t in history if t.target is Stage.ACCEPTED]
            standing = effective(history)
            # an acceptance that stands was left by an operator's word: nobody has to be asked again
            if not accepted or any(t in standing for t in accepted) or session.outbox.is_retraction_released(number):
                continue
            key = format_key(prefix, number)
            text = f"{key}: its acceptance fell while nothing was sent; its row of the index moves when released"
            effect = Effect(
                key=f"{key}/{accepted[-1].id}/index",
                number=number,
                channel=CHANNEL,
                payload={"page_id": page.page_id, "text": text, RETRACTS: True},
                approval=True,
            )
            session.outbox.enqueue([effect], now=now)


def _parse(text: str, prefix: str, seen_at: datetime, source: str) -> tuple[ParsedIndex, tuple[CallNote, ...]]:
    start = text.lstrip()[:1]
    if start in {"{", "["}:
        return parse_index_json(text, prefix, seen_at), ()
    if start == "<":
        return parse_index_page(text, prefix, seen_at), parse_recordings(text, prefix)
    if "\x00" in text:
        raise UnreadableInput(source=source, why="is no text")
    return parse_index_text(text, prefix, seen_at), parse_recordings_text(text, prefix)

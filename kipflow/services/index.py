"""The round-up index: rendered from the derived stages, and imported from files."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.pages import CallNote
from kipflow.domain.proposals import find_next
from kipflow.services.indexrows import find_sections
from kipflow.services.ports import Report, Store
from kipflow.wiki.index_exports import parse_index_json
from kipflow.wiki.index_reading import ParsedIndex, parse_index_page
from kipflow.wiki.index_text import parse_index_text
from kipflow.wiki.index_writing import render_index
from kipflow.wiki.recordings import parse_recordings, parse_recordings_text


def render_board_index(store: Store, *, prefix: str, form: str, as_of: datetime) -> str:
    """The round-up of every decided proposal, as markdown, html, confluence or json."""
    with store.read() as session:
        rows, following = session.history.load_index_rows(), find_next(session.pages.load_taken())
    # if no page, row or ruling has a number, there is only mail, which takes none
    shown = following.listed if following.listed > 1 else None
    return render_index(find_sections(rows, as_of), prefix=prefix, next_number=shown, format=form)


def import_index(store: Store, text: str, *, prefix: str, seen_at: datetime, source: str) -> Report:
    """Store the rows of an index file (JSON, wiki page, Markdown or plain text) as the baseline of their proposals.

    Its next number and its notes of calls are stored too, as for the wiki's own index.

    Raises:
        UnreadableInput: the file has no row that could be read.
    """
    parsed, notes = _parse(text, prefix, seen_at, source)
    if not parsed.entries:
        why = "; ".join(parsed.warnings) or f"holds no row such as {prefix}-12: Title"
        raise UnreadableInput(source=source, why=why)
    with store.begin() as session:
        batch = session.batches.open("index", [source], seen_at=seen_at)
        changed = session.pages.save_index_entries(parsed.entries, batch=batch)
        session.batches.close(batch)
        session.pages.save_stated_number(parsed.next_number, origin="import")
        noted = session.pages.save_call_notes(notes, seen_at=seen_at)
    proposals = len({e.number for e in parsed.entries})
    counts = {"rows": len(parsed.entries), "proposals": proposals, "proposals_changed": changed}
    if notes:
        counts["call_notes_new"] = noted
    return Report(counts=counts, warnings=parsed.warnings)


def _parse(text: str, prefix: str, seen_at: datetime, source: str) -> tuple[ParsedIndex, tuple[CallNote, ...]]:
    start = text.lstrip()[:1]
    if start in {"{", "["}:
        return parse_index_json(text, prefix, seen_at), ()
    if start == "<":
        page = parse_index_page(text, prefix, seen_at)
        # even a copy of the wiki's index is an import: its rows can be undone, the wiki's own cannot
        rows = tuple(replace(row, origin="import") for row in page.entries)
        return replace(page, entries=rows), parse_recordings(text, prefix)
    if "\x00" in text:
        raise UnreadableInput(source=source, why="is no text")
    return parse_index_text(text, prefix, seen_at), parse_recordings_text(text, prefix)

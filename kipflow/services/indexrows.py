"""Which rows of the wiki's index an edit may change: never those that a person moved.

A row that somebody moved after kipflow's last edit stays: a person is asked once, and the row is drift meanwhile.
Releases and "(WIP)" follow the ticket, except spellings of the same release ("3.1" for 3.1.0) and what somebody changed
after kipflow wrote it. This avoids edit wars.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.events import SECTION_OF_STAGE, Stage
from kipflow.domain.facts import Ruling
from kipflow.domain.pages import IndexEntry, name_versions
from kipflow.domain.proposals import find_next, format_key
from kipflow.domain.texts import list_some
from kipflow.services.ports import IndexRow, Store, Wiki, WikiPage
from kipflow.services.ports.effects import MARKS, MOVED_BACK, ON_ITS_WAY, Effect, OutboxRow
from kipflow.wiki.index_editing import replace_index
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.index_writing import render_index

CHANNEL = "index"
NOWHERE = "nowhere"

#: A row in the wrong section: its number, its section, the right section.
Move = tuple[int, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows that an edit may change, and those that it must not.

    `free` are the rows that it may change, `moves` the moves that it would make; `moved_back` are rows that somebody
    moved and that no question is open about. `outdated` are the keys of questions whose rows or right sections have
    changed since. `base` is the page's version that kipflow saved last, None if there is none. `marks` are the releases
    and "(WIP)" that an edit would set.
    """

    free: tuple[IndexRow, ...]
    moves: tuple[Move, ...] = ()
    moved_back: tuple[Move, ...] = ()
    outdated: tuple[str, ...] = ()
    base: int | None = None
    marks: tuple[Mark, ...] = ()


def choose_rows(store: Store, wiki: Wiki, page: WikiPage, prefix: str, now: datetime) -> Rows:
    """The rows that an edit may change. If rows would move, the page's version at kipflow's last edit is fetched."""
    with store.read() as session:
        unreleased = session.outbox.load_unreleased_retractions()
        rows = [r for r in session.history.load_index_rows() if r.number not in unreleased or r.stage is Stage.ACCEPTED]
        edits = [e for e in session.outbox.load_channel(CHANNEL) if str(e.payload.get("page_id")) == page.page_id]
        rulings = session.rulings.load_all()
    moves = find_moves(rows, page.body, prefix, now)
    outdated = [e.key for e in edits if e.status == "held" and not set(list_moves(e)) <= set(moves)]
    asking = [e for e in edits if e.key not in outdated]
    # moves that wait for an answer, or were refused
    stays = [edit for edit in asking if edit.status == "held" or edit.is_refused]
    left = {move for edit in stays for move in list_moves(edit)} | _find_acknowledged(rulings, moves)
    going = {move for edit in asking if edit.status in ON_ITS_WAY for move in list_moves(edit)}
    base = _find_base(edits)
    then: Mapping[int, str] = {}
    if base is not None and base < page.version and set(moves) - left - going:
        then = find_places(wiki.fetch_version(page.page_id, base).body, prefix, now)
    moved_back = [m for m in moves if m not in left and m not in going and then.get(m[0]) == m[2]]
    kept = left.union(moved_back)
    numbers = {number for number, *_ in kept.intersection(moves)}
    marked, marks = choose_marks(rows, parse_index_page(page.body, prefix, now).entries, edits)
    return Rows(
        free=tuple(r for r in marked if r.number not in numbers),
        marks=tuple(mark for mark in marks if mark[0] not in numbers),
        moves=tuple(m for m in moves if m not in kept),
        moved_back=tuple(moved_back),
        outdated=tuple(outdated),
        base=base,
    )


def find_moves(rows: Iterable[IndexRow], body: str, prefix: str, now: datetime) -> list[Move]:
    """The rows in a wrong section."""
    stands = find_places(body, prefix, now)
    wanted = ((row.number, SECTION_OF_STAGE[row.stage]) for row in rows)
    return [(n, stands.get(n, NOWHERE), to) for n, to in wanted if stands.get(n, NOWHERE) != to]


def find_places(body: str, prefix: str, now: datetime) -> dict[int, str]:
    """Number → its section on the page; the last one if there are several."""
    return {entry.number: entry.section for entry in parse_index_page(body, prefix, now).entries}


def list_moves(edit: OutboxRow) -> list[Move]:
    """The moved-back rows that an effect asks about."""
    return [(int(number), str(stands), str(wanted)) for number, stands, wanted in edit.payload.get(MOVED_BACK, ())]


def ask_about(rows: Rows, page: WikiPage, prefix: str) -> Effect:
    """The effect that asks whether to move rows again that somebody moved back."""
    moved = list_some([f"{format_key(prefix, number)} to {stands}" for number, stands, _ in rows.moved_back], 20)
    return Effect(
        key=f"index/{page.page_id}/{rows.base}/moved-back/{page.version}",
        number=None,
        channel=CHANNEL,
        payload={
            "page_id": page.page_id,
            "version": page.version,
            "text": f"somebody moved rows on the index page after kipflow: {moved}. Move them again?",
            MOVED_BACK: [list(move) for move in rows.moved_back],
        },
        approval=True,
    )


def compare_pages(before: str, after: str, prefix: str, now: datetime) -> list[str]:
    """The rows that an edit removes ("-") and adds ("+"), in the order of the page."""
    old, new = (_list_rows(body, prefix, now) for body in (before, after))
    changed = difflib.unified_diff(old, new, n=0, lineterm="")
    return [line for line in changed if not line.startswith(("---", "+++", "@@"))]


def find_sections(rows: Sequence[IndexRow], seen_at: datetime) -> dict[str, list[IndexEntry]]:
    """The rows by section of the index, each in order of number."""
    sections: dict[str, list[IndexEntry]] = {"accepted": [], "discussion": [], "dormant": [], "discarded": []}
    for row in sorted(rows, key=lambda r: r.number):
        section = SECTION_OF_STAGE[row.stage]
        if len(row.written) > 1:
            # people must say which of them is the proposal; all are kept
            sections[section] += [replace(e, section=section, seen_at=seen_at, origin="page") for e in row.written]
            continue
        sections[section].append(
            IndexEntry(
                number=row.number,
                title=row.title,
                section=section,
                seen_at=seen_at,
                origin="page",
                release=row.release,
                in_progress=row.in_progress,
                url=row.url,
                jira=row.jira,
            )
        )
    return sections


def edit_page(store: Store, rows: Rows, body: str, prefix: str, now: datetime) -> str:
    """The page with the rows that may change in their right sections; everything else stays as it is."""
    with store.read() as session:
        following = find_next(session.pages.load_taken())
    sections = find_sections(rows.free, now)
    rendered = render_index(sections, prefix=prefix, next_number=following.listed, format="confluence")
    return replace_index(body, rendered, prefix=prefix)


def _list_rows(body: str, prefix: str, now: datetime) -> list[str]:
    shown = (
        (f"{e.section}:", format_key(prefix, e.number), e.title, e.release, "(WIP)" * e.in_progress)
        for e in parse_index_page(body, prefix, now).entries
    )
    return [" ".join(filter(None, parts)) for parts in shown]


def _find_acknowledged(rulings: Sequence[Ruling], moves: Sequence[Move]) -> set[Move]:
    """The moves that a person has acknowledged as drift: these rows may stay."""
    standing = (r for r in rulings if r.kind == "drift" and r.target == "index" and not r.revoked_at)
    said = {(r.number, r.value.get("says"), SECTION_OF_STAGE.get(r.value.get("derived", ""))) for r in standing}
    return {move for move in moves if move in said}


def _find_base(edits: Sequence[OutboxRow]) -> int | None:
    """The version saved by kipflow's last edit, except rollbacks."""
    saved = [e for e in edits if e.status == "sent" and e.external_ref and not e.is_undoing]
    newest = max(saved, key=lambda e: (e.sent_at or e.created_at, e.key), default=None)
    return int(str(newest.external_ref).rpartition("@")[2]) if newest is not None else None


#: A row's number, its release ("" if none), and whether it is "(WIP)".
Mark = tuple[int, str, bool]


def choose_marks(
    rows: Iterable[IndexRow], entries: Sequence[IndexEntry], edits: Sequence[OutboxRow]
) -> tuple[list[IndexRow], list[Mark]]:
    """The rows with the marks that an edit may write on a page with these entries, and the marks that it would change.

    `edits` are those of the page, oldest first.
    """
    times = Counter(entry.number for entry in entries)
    # leave a number that is listed twice to people
    stands = {entry.number: entry for entry in entries if times[entry.number] == 1}
    sent = (edit.payload.get(MARKS, ()) for edit in edits if edit.status == "sent")
    wrote = {number: (release, wip) for written in sent for number, release, wip in written}
    chosen, marks = list[IndexRow](), list[Mark]()
    for row in rows:
        entry = stands.get(row.number)
        if entry is None or len(row.written) > 1:
            chosen.append(row)
            continue
        said = (entry.release or "", entry.in_progress)
        wanted = _find_wanted(row, entry)
        if wanted != said and wrote.get(row.number, said) == said:
            marks.append((row.number, *wanted))
        else:
            wanted = said
        chosen.append(replace(row, release=wanted[0] or None, in_progress=wanted[1]))
    return chosen, marks


def _find_wanted(row: IndexRow, entry: IndexEntry) -> tuple[str, bool]:
    written = entry.release or ""
    if row.stage is not Stage.ACCEPTED:  # only what is accepted has a release
        return written, entry.in_progress
    same = not row.release or name_versions(row.release) == name_versions(written)
    return (written if same else row.release or ""), row.in_progress

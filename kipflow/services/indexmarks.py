"""Releases and "(WIP)" in the rows of the wiki's index: what an edit writes, and what people wrote after it.

They follow the ticket. A release that only looks different ("3.1" for 3.1.0) stays, and so does what somebody changed
after kipflow wrote it: that is drift, never an edit war.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kipflow.domain.events import Stage
from kipflow.domain.pages import IndexEntry
from kipflow.domain.releases import name_versions
from kipflow.services.ports import MARKS, IndexRow, OutboxRow

#: A row's number, its release ("" if none), and whether it is "(WIP)".
Mark = tuple[int, str, bool]


def choose_marks(
    rows: Iterable[IndexRow], entries: Sequence[IndexEntry], edits: Sequence[OutboxRow]
) -> tuple[list[IndexRow], list[Mark]]:
    """The rows as an edit may write them on a page with these entries, and the marks that it would change.

    `edits` are those of the page, oldest first.
    """
    stands = _find_single(entries)
    wrote = {number: (release, wip) for edit in edits for number, release, wip in _list_written(edit)}
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


def _find_single(entries: Sequence[IndexEntry]) -> Mapping[int, IndexEntry]:
    """The entries by number; not of a number that stands twice: which of them it is, is for people to say."""
    times = Counter(entry.number for entry in entries)
    return {entry.number: entry for entry in entries if times[entry.number] == 1}


def _list_written(edit: OutboxRow) -> Iterable[tuple[int, str, bool]]:
    return edit.payload.get(MARKS, ()) if edit.status == "sent" else ()

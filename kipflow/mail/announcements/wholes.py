"""Totals that an announcement gives before their parts: "11 binding votes, 5 of them -1", "11 votes: 6 +1, 5 -1"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from kipflow.mail.announcements.entries import Entry
from kipflow.mail.announcements.tallywords import IN_ALL


def drop_wholes(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without wholes that others are part of: a whole has votes of any choice. Its parts get its group."""
    kept: list[Entry] = []
    lent = IN_ALL  # by the whole to its parts
    for at, entry in enumerate(entries):
        before = entries[at - 1] if at else None
        if not entry.is_explicit:
            lent = (
                entry.group
                if (before is None or before.is_explicit) and _has_parts(entry, entries[at + 1 :])
                else IN_ALL
            )
            kept.extend([entry] if lent == IN_ALL else [])
            continue
        of_whole = (
            entry.is_share and before is not None and not before.is_explicit
        )  # "3 binding votes, none of them -1"
        group = before.group if of_whole and before is not None else lent
        kept.append(replace(entry, group=group) if entry.group == IN_ALL else entry)
    return kept


def _has_parts(whole: Entry, entries: Sequence[Entry]) -> bool:
    """Whether entries with a choice count parts of one without: as they say, or because they add up to it."""
    parts = list(
        takewhile(lambda x: x.is_explicit and x.number is not None and x.group in {IN_ALL, whole.group}, entries)
    )
    is_said = bool(parts) and parts[0].is_share and bool(parts[0].number)
    adds_up = len(parts) > 1 and sum(x.number or 0 for x in parts) == whole.number
    return bool(whole.number) and (is_said or (adds_up and not any(x.is_apart for x in parts)))

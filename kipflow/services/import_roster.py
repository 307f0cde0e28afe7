"""Import other records of people into a roster file. Nobody is removed, nothing overwritten.

An id identifies, then an address, then an exact name of at least two words that only one person has.
What contradicts the file, or could mean two people, is a conflict: it is reported and left out, for a person to settle.
Gaps are filled: a missing date or end of a role, more addresses and spellings.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations

from kipflow.domain.likeness import is_one_edit
from kipflow.domain.people import Person, fold_name
from kipflow.domain.texts import as_printable, list_some
from kipflow.rosters.editing import edit_roster
from kipflow.rosters.entries import Listing, clean_name
from kipflow.rosters.files import RosterFile, count_comments, parse_roster, render_roster
from kipflow.services.roster_merging import Merging

_DATED = re.compile(r" \(\d{4}-\d{2}-\d{2}\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The result of an import: the new roster, ids added and changed, conflicts left out, and notes.

    `text` is the new text of its file, `lost_comments` how many comments are lost within changed lines.
    """

    roster: RosterFile
    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: int
    conflicts: tuple[str, ...]
    notes: tuple[str, ...]
    text: str = ""
    lost_comments: int = 0


def import_roster(existing: RosterFile | None, listing: Listing, *, source: str, as_of: date) -> ImportReport:
    """The roster with the additions of `listing`; `existing` is None for a new one.

    `source` describes the listing's origin and is kept in the file; `as_of` is the listing's date.
    """
    before = existing or RosterFile(people=())
    merging = Merging(known=before.people, as_of=as_of)
    for entry in listing.entries:
        merging.add(entry)
    people = tuple(merging.people.values())
    was = {p.id: p for p in before.people}
    touched = {p.id for p in people if was.get(p.id) != p}
    notes = [*listing.notes, *merging.notes, *_note_roles(people, touched), *_note_names(people, touched)]
    if any(entry.roles for entry in listing.entries):
        notes.extend(_note_absent(before.people, merging.met))
    text, day = _join_sources(before, clean_name(source), as_of)
    return ImportReport(
        roster=replace(before, people=people, source=text, as_of=day),
        added=tuple(p.id for p in people if p.id not in was),
        changed=tuple(p.id for p in people if p.id in was and p.id in touched),
        unchanged=sum(p.id not in touched for p in people),
        conflicts=tuple(merging.conflicts),
        notes=tuple(notes),
    )


# -- what a person should know ------------------------------------------------------------------------
def _note_roles(people: Sequence[Person], touched: set[str]) -> Iterator[str]:
    undated = sum(p.id in touched and any(r.since is None for r in p.roles) for p in people)
    if undated:
        yield f"people with a role of no start date, which counts as always held, in old votes too: {undated}"


def _note_absent(people: Sequence[Person], met: set[str]) -> Iterator[str]:
    gone = sorted(p.id for p in people if p.id not in met and any(r.until is None for r in p.roles))
    if gone:
        said = "not in this source, though with a role in the file, which stays until it is ended by hand"
        yield f"{said}: {list_some(gone, 10)}"


def _note_names(people: Sequence[Person], touched: set[str]) -> Iterator[str]:
    """A note for each pair of names that differ by one letter: they are kept as two people."""
    near: dict[str, set[tuple[str, str]]] = {}
    for person in people:
        name = fold_name(person.name)
        # names that differ by one letter are equal without one letter of either or both
        for key in {name, *(name[:i] + name[i + 1 :] for i in range(len(name)))}:
            near.setdefault(key, set()).add((person.id, name))
    pairs: set[tuple[str, str]] = set()
    for group in near.values():
        for (one, first), (other, second) in combinations(sorted(group)[:8], 2):
            if {one, other} & touched and first != second and is_one_edit(first, second):
                pairs.add((one, other))
    shown = {p.id: p.name for p in people}
    for one, other in sorted(pairs):
        yield f"{shown[one]} ({one}) and {shown[other]} ({other}) are one letter apart: kept as two people"


def _join_sources(before: RosterFile, source: str, as_of: date) -> tuple[str, date]:
    """All sources in one line, each except the newest with its date; each source is named once."""
    parts: dict[str, date | None] = {}
    for part in before.source.split("; ") if before.source else ():
        dated = _DATED.search(part)
        name = _DATED.sub("", part)
        parts[name] = date.fromisoformat(dated.group(0).strip(" ()")) if dated else before.as_of
    if not before.people:
        parts.clear()  # "empty; fill in" is no source any more
    name = source.replace("; ", ", ")
    known = parts.get(name)
    parts[name] = max(as_of, known) if known else as_of
    newest = max([as_of, *(d for d in parts.values() if d is not None)])
    texts = [n if day in (None, newest) else f"{n} ({day.isoformat()})" for n, day in parts.items() if n]
    return "; ".join(texts), newest


def plan_change(was: str, listing: Listing, *, source: str, as_of: date, name: str = "the roster") -> ImportReport:
    """The file with the additions of `listing`; `was` is its text, "" if there is none.

    Raises:
        UnreadableInput: `was` is no roster; the message calls it `name`.
    """
    existing = parse_roster(was, source=name) if was else None
    report = import_roster(existing, listing, source=source, as_of=as_of)
    if existing is None:
        return replace(report, text=render_roster(report.roster))
    text = edit_roster(was, existing, report.roster)
    return replace(report, text=text, lost_comments=max(0, count_comments(was) - count_comments(text)))


def find_difference(was: str, text: str, name: str = "the roster") -> Iterator[str]:
    """The changes as a unified diff; unprintable characters are replaced."""
    names = name if was else "/dev/null", name
    for line in difflib.unified_diff(was.splitlines(), text.splitlines(), *names, lineterm="", n=1):
        yield as_printable(line, "\ufffd")

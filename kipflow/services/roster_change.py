"""What an import would make of a roster's file, and the lines that differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from kipflow.rosters.editing import edit_roster
from kipflow.rosters.entries import Listing
from kipflow.rosters.files import parse_roster, render_roster
from kipflow.services.import_roster import ImportReport, import_roster


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A roster's file with an import: its new text. `lost_comments` stood within the lines that change."""

    text: str
    report: ImportReport
    lost_comments: int = 0


def plan_change(was: str, listing: Listing, *, source: str, as_of: date, name: str = "the roster") -> Change:
    """The file with what `listing` adds to it; `was` is its text, "" where there is none.

    Raises:
        UnreadableInput: `was` is no roster; `name` is what it is called then.
    """
    if not was:
        report = import_roster(None, listing, source=source, as_of=as_of)
        return Change(text=render_roster(report.roster), report=report)
    existing = parse_roster(was, source=name)
    report = import_roster(existing, listing, source=source, as_of=as_of)
    text = edit_roster(was, existing, report.roster)
    lost = existing.comments - parse_roster(text, source="the new text").comments
    return Change(text=text, report=report, lost_comments=max(0, lost))


def find_difference(was: str, text: str, name: str = "the roster") -> Iterator[str]:
    """The lines that change, as `diff -u` shows them; what cannot be printed is replaced."""
    names = name if was else "/dev/null", name
    for line in difflib.unified_diff(was.splitlines(), text.splitlines(), *names, lineterm="", n=1):
        yield "".join(c if c.isprintable() else "\ufffd" for c in line)

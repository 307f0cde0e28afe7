"""The release of a proposal and whether its work is in progress: from its ticket, else from the index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from kipflow.domain.pages import IndexEntry, PageVersion, TicketState

#: Resolutions that mean that nothing was built, folded.
_DROPPED = frozenset(
    {
        "wontfix", "wontdo", "duplicate", "invalid", "incomplete", "cannotreproduce", "notaproblem", "notabug",
        "abandoned", "workaround", "later", "remindmelater", "autoclosed", "informationprovided", "declined",
        "rejected", "obsolete", "withdrawn", "cancelled", "canceled", "unresolvable",
    }
)  # fmt: skip


class Work(StrEnum):
    """What a ticket says of the work on a proposal."""

    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"


def find_work(ticket: TicketState) -> Work:
    """Whether the ticket's work is open, done or dropped ("Won't Fix", "Duplicate")."""
    if not ticket.resolution or ticket.resolution.strip().lower() == "unresolved":
        return Work.OPEN
    folded = "".join(c for c in ticket.resolution.lower() if c.isalpha())
    return Work.DROPPED if folded in _DROPPED else Work.DONE


def find_ticket(
    tickets: Sequence[TicketState], page: PageVersion | None, rows: Sequence[IndexEntry]
) -> TicketState | None:
    """The newest state of the ticket named on the page, else of the one in the index."""
    key = (page.jira if page is not None else None) or next((r.jira for r in reversed(rows) if r.jira), None)
    return next((t for t in reversed(tickets) if t.key == key), None)


def name_versions(text: str) -> frozenset[str]:
    """The versions that a release names, as `find_release_name` has each."""
    return frozenset(find_release_name(part) for part in re.split(r"[,;/&\s]+", text) if part)


def find_release(entry: IndexEntry | None, ticket: TicketState | None) -> tuple[str | None, bool]:
    """The proposal's release, and whether work on it is in progress.

    A ticket with fix versions decides; a dropped one has no release, whatever versions it names; without versions or
    without a ticket the index decides.
    """
    work = find_work(ticket) if ticket is not None else None
    if work is Work.DROPPED:
        return None, False
    if ticket is not None and ticket.fix_versions:
        return ", ".join(dict.fromkeys(ticket.fix_versions)), work is Work.OPEN
    if entry is None:
        return None, False
    return entry.release, entry.in_progress and work is not Work.DONE


def find_release_name(version: str) -> str:
    """A version to compare by: "v3.1.0" and "3.1" are one release, "3.1.1" another."""
    word = version.strip().lower().removeprefix("v")
    parts = word.split(".")
    return ".".join(parts[:2]) if len(parts) == 3 and parts[2] in {"0", "x"} else word

"""What wiki and ticket tracker say of a proposal, its release and the work on it among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


class StatusWord(StrEnum):
    """A page's Current state, in the stages' vocabulary."""

    DRAFT = "draft"
    DISCUSSION = "discussion"
    VOTE = "vote"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DORMANT = "dormant"
    DISCARDED = "discarded"
    TEMPLATE = "template"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class WikiPage:
    """A page version as a wiki gives it. `body` is storage format, `message` the author's comment on the change."""

    page_id: str
    version: int
    title: str
    body: str
    saved_at: datetime
    saved_by: str
    url: str = ""
    labels: tuple[str, ...] = ()
    message: str = ""


#: Title and digest of each section of a page.
Substance = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVersion:
    """One saved version of a proposal's page. `status_text` is the Current state as written.

    `touches` are the `interfaces`, each with the line that says so.
    `substance` has each section's title and a digest that only a change of substance alters; empty where
    the text is not known.
    """

    page_id: str
    version: int
    saved_at: datetime
    saved_by: str
    title: str
    number: int | None
    status: StatusWord
    status_text: str
    url: str = ""
    jira: str | None = None
    discussion_link: str | None = None
    body: str = ""
    interfaces: tuple[str, ...] = ()
    touches: tuple[tuple[str, str], ...] = ()
    substance: Substance = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAbsence:
    """A time during which a page could not be read from the wiki; `until` None: still.

    `asked_at` is when it was last tried.
    """

    page_id: str
    since: datetime
    why: str
    asked_at: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNote:
    """What was noted on a proposal in a recorded call. `call` is what the page calls it, `url` the recording."""

    number: int
    call: str
    held_on: date | None
    url: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One row of a round-up index. `section` is "accepted", "discussion", "dormant", "discarded", "unknown".

    `origin` is "page" for the wiki's own index and "import" for a file that an operator loaded: an
    import is a deliberate baseline and gives a proposal without any mail its stage.
    """

    number: int
    title: str
    section: str
    seen_at: datetime
    origin: str
    release: str | None = None
    in_progress: bool = False
    author: str | None = None
    created_at: datetime | None = None
    changed_at: datetime | None = None
    url: str | None = None
    jira: str | None = None


#: The status of a ticket that the tracker does not have.
NO_TICKET = "not found"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketState:
    """A ticket as seen in JIRA; its status is `NO_TICKET` if there was none.

    `unreleased` are those of its `fix_versions` that are not out yet.
    """

    key: str
    status: str
    resolution: str | None
    fix_versions: tuple[str, ...]
    seen_at: datetime
    unreleased: tuple[str, ...] = ()


def find_newest_rows(entries: Iterable[IndexEntry]) -> tuple[IndexEntry, ...]:
    """The rows of the newest reading of the wiki's index, else of the newest import; by title."""
    held = tuple(entries)
    own = [e for e in held if e.origin == "page"] or held
    newest = max((e.seen_at for e in own), default=None)
    return tuple(sorted((e for e in own if e.seen_at == newest), key=lambda e: (e.title, e.section)))


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

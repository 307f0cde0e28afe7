"""What wiki and ticket tracker say of a proposal."""

from __future__ import annotations

from collections.abc import Iterable
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

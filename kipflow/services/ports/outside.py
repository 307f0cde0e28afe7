"""The services outside. Nothing here reads a clock: `now` is an argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.pages import TicketState, WikiPage


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthStats:
    """What the archive's cheap statistics say of a month: enough to learn whether it changed."""

    mails: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRef:
    """A child page, without its body."""

    page_id: str
    version: int
    title: str


class Archive(Protocol):
    """A mailing list archive that gives months as mbox."""

    def fetch_stats(self, list_id: str, month: str) -> MonthStats: ...

    def fetch_month(self, list_id: str, month: str, target: Path, *, now: datetime) -> ArchiveMonth:
        """Stream the month to `target` and verify it. Never raises for a bad month: its status says so."""
        ...


class Wiki(Protocol):
    """A wiki with versions."""

    def fetch_page(self, page_id: str) -> WikiPage: ...

    def fetch_version(self, page_id: str, version: int) -> WikiPage: ...

    def fetch_children(self, page_id: str) -> Iterator[PageRef]: ...

    def save_page(self, page: WikiPage, *, body: str, message: str) -> WikiPage:
        """Save `body` as the version after `page.version`. Raises `SaveConflict`."""
        ...

    def create_page(self, parent_id: str, *, title: str, body: str) -> WikiPage:
        """Make a page below `parent_id`. Raises `SaveConflict` if the space has a page of that title."""
        ...


class Tickets(Protocol):
    def fetch_ticket(self, key: str, *, now: datetime) -> TicketState | None: ...


class TicketComments(Protocol):
    """Comments on tickets. One is known by its `key`."""

    def add_comment(self, ticket: str, text: str, *, key: str) -> str:
        """A reference to the comment. Raises as `Chat.post` does."""
        ...

    def find_comment(self, ticket: str, *, key: str) -> str | None:
        """The reference of the comment with this key; None: it is certainly not there."""
        ...


class Mailer(Protocol):
    """A server that takes mails."""

    def send(self, mail: bytes, *, sender: str, recipient: str) -> None:
        """Hand a mail over. Raises `Refused` where it certainly was not taken; after any other error it may be."""
        ...


class Chat(Protocol):
    """A chat service. A message is known by its `key`; a reference says where it is."""

    def post(
        self, channel: str, text: str, blocks: Sequence[Mapping[str, Any]], *, key: str, thread: str | None = None
    ) -> str:
        """Post a message, below the one that `thread` refers to if there is one; a reference to it.

        Raises `Refused` or `RateLimited` where it certainly was not posted; after any other error it may have been.
        """
        ...

    def update(self, reference: str, text: str, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Put this in the place of what a message said; nothing happens where somebody deleted it. Raises as `post`."""
        ...

    def find(self, channel: str, *, key: str, since: datetime, thread: str | None = None) -> str | None:
        """The reference of the message with this key that was posted since then; None: it is certainly not there.

        Raises `DeliveryUnclear` where that can't be read at all.
        """
        ...

    def find_user(self, addresses: Sequence[str]) -> str | None:
        """Where a person is written to directly who has one of these mail addresses; None: nobody has."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A button that a user of the chat pressed: its `value`, and the reason that stood beside it.

    `message` is what `post` returned for the message that it is below.
    """

    user: str
    message: str
    value: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """What Airflow says of the DAGs: those that are paused, and those whose newest run failed, with when it did."""

    paused: tuple[str, ...] = ()
    failed: Mapping[str, datetime] = field(default_factory=dict)

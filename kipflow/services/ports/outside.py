"""The services outside. Nothing here reads a clock: `now` is an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.pages import TicketState, WikiPage

#: Logs an act before it happens: author, name of the act, values. If it raises, the act must not happen.
Audit = Callable[[str, str, Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthStats:
    """The archive's cheap statistics on a month: enough to see whether it changed."""

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


class Wiki(Protocol):
    """A wiki with versions."""

    def fetch_page(self, page_id: str) -> WikiPage: ...

    def fetch_version(self, page_id: str, version: int) -> WikiPage: ...

    def fetch_children(self, page_id: str) -> Iterator[PageRef]: ...

    def save_page(self, page: WikiPage, *, body: str, message: str) -> WikiPage:
        """Save `body` as the version after `page.version`. Raises `SaveConflict`."""

    def create_page(self, parent_id: str, *, title: str, body: str) -> WikiPage:
        """Make a page below `parent_id`. Raises `SaveConflict` if the space has a page of that title."""


class Tickets(Protocol):
    def fetch_ticket(self, key: str, *, now: datetime) -> TicketState | None: ...


class TicketComments(Protocol):
    """Comments on tickets. One is known by its `key`."""

    def add_comment(self, ticket: str, text: str, *, key: str) -> str:
        """A reference to the comment. Raises as `Chat.post` does."""

    def find_comment(self, ticket: str, *, key: str) -> str | None:
        """The reference of the comment with this key; None: it is certainly not there."""


class Mailer(Protocol):
    """A server that takes mails."""

    def send(self, mail: bytes, *, sender: str, recipient: str) -> None:
        """Hand over a mail. Raises `Refused` if it certainly was not accepted; after any other error it may be."""


class Chat(Protocol):
    """A chat service. A message is known by its `key`; a reference says where it is."""

    def post(
        self, channel: str, text: str, blocks: Sequence[Mapping[str, Any]], *, key: str, thread: str | None = None
    ) -> str:
        """Post a message, in the thread of the message `thread` if given. Returns a reference to it.

        Raises `Refused` or `RateLimited` if it certainly was not posted; after any other error it may have been.
        """

    def update(self, reference: str, text: str, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Replace the content of a message; nothing happens if somebody deleted it. Raises as `post`."""

    def find(self, channel: str, *, key: str, since: datetime, thread: str | None = None) -> str | None:
        """The reference of the message with this key that was posted since then; None: it is certainly not there.

        Raises `DeliveryUnclear` where that can't be read at all.
        """

    def find_user(self, addresses: Sequence[str]) -> str | None:
        """The direct channel of the person with one of these mail addresses; None: there is nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A button pressed by a chat user: its `value`, and the reason entered with it.

    `message` is what `post` returned for the message that it is below.
    """

    user: str
    message: str
    value: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The DAGs that are paused in Airflow, and those whose newest run failed, with the time."""

    paused: tuple[str, ...] = ()
    failed: Mapping[str, datetime] = field(default_factory=dict)

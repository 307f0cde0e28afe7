"""The stores of facts: mail, pages, rulings, and values between runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from kipflow.domain.facts import ArchiveMonth, Message, Ruling, Unreadable
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, IndexEntry, PageAbsence, PageVersion, Substance, TicketState
from kipflow.domain.people import Mailbox
from kipflow.domain.proposals import Numbers
from kipflow.services.ports.records import Batch, CheckedPage, MonthChange, SaveReport, StaleMonth


class MailStore(Protocol):
    """Mails, their months, and their senders."""

    def save_messages(
        self, messages: Iterable[Message], *, seen_at: datetime, reading_rules: int = 0, batch: int | None = None
    ) -> SaveReport:
        """Store new mails. A known mail that was read by older rules gets the new reading.

        `reading_rules` is the version of the rules that read these messages, `batch` what they came with.
        """

    def load_stale_months(self, reading_rules: int) -> list[StaleMonth]:
        """The months with mails that rules older than these read, in order."""

    def count_stale(self, list_id: str, month: str, reading_rules: int) -> int: ...
    def expire_readings(self) -> None:
        """Mark every mail as read by outdated rules."""

    def save_unreadable(self, items: Iterable[Unreadable], *, seen_at: datetime) -> int: ...
    def save_month(self, month: ArchiveMonth) -> None: ...
    def drop_month(self, list_id: str, month: str) -> None: ...
    def load_months(self, list_id: str | None = None) -> dict[tuple[str, str], ArchiveMonth]:
        """The months held, of one list or of all, by list and month, in that order."""

    def find_mailbox(self, key: str) -> Mailbox | None:
        """The sender with an address, as in the newest mail; None if no mail came from there."""

    def find_references(self, message_id: str) -> tuple[str, ...] | None:
        """The references of a stored mail; None if the mail is not stored."""

    def find_first_mail(self, address: str) -> datetime | None:
        """When the first stored mail came from an address; None if none did."""


class PageStore(Protocol):
    """Pages in all their versions, the index, tickets, and the numbers that these assign."""

    def save_version(self, page: PageVersion, *, seen_at: datetime) -> bool: ...
    def load_versions(self) -> dict[str, int]:
        """Page id → newest stored version."""

    def find_body(self, page_id: str, version: int) -> str | None:
        """The storage format of a stored version; `load_facts` leaves bodies out."""

    def find_text(self, page_id: str, version: int) -> tuple[str, Substance] | None:
        """Body and substance of a stored version."""

    def load_holes(self, limit: int) -> list[tuple[str, int]]:
        """Versions (page id, number) that are not held although later ones are."""

    def load_absent(self) -> dict[str, PageAbsence]:
        """The pages that cannot be read at present, by their id."""

    def note_absent(self, page_id: str, *, why: str, at: datetime, number: int | None = None) -> bool:
        """False if that is known already. `number` is what its title says, for a page that was never read."""

    def note_present(self, page_id: str, *, at: datetime) -> bool:
        """False if it was not missed."""

    def load_checked(self) -> list[CheckedPage]: ...
    def save_faults(
        self, page: CheckedPage, found: Sequence[PageFault], *, rules: str, at: datetime
    ) -> tuple[PageFault, ...]:
        """Store the faults found on a page. Returns those that were never found on it before."""

    def save_call_notes(self, notes: Iterable[CallNote], *, seen_at: datetime) -> int:
        """Store the new notes of recorded calls. Returns how many."""

    def save_index_entries(self, entries: Iterable[IndexEntry], *, batch: int | None = None) -> int: ...
    def save_ticket(self, ticket: TicketState) -> bool: ...
    def load_ticket_keys(self) -> list[str]:
        """The tickets that proposal pages and index entries name."""

    def load_taken(self) -> Numbers:
        """All numbers assigned by pages, rows or rulings, and the next number according to the index."""

    def save_stated_number(self, number: int | None, *, origin: str) -> None:
        """Note what an index ("page" or "import") states as its next number; None states nothing."""


class RulingStore(Protocol):
    """What people ruled."""

    def save(self, ruling: Ruling) -> int: ...
    def revoke(self, ruling_id: int, *, at: datetime, by: str, reason: str = "") -> None: ...
    def load_all(self) -> tuple[Ruling, ...]:
        """All rulings in order of time. Blocks other rulings until the transaction ends."""


class Batches(Protocol):
    """What each ingest or import stored, so that it can be undone."""

    def open(self, kind: str, sources: Sequence[str], *, seen_at: datetime) -> int:
        """Begin a batch; its id."""

    def close(self, batch: int, months: Sequence[MonthChange] = ()) -> None:
        """Store its changes to months; an empty batch is deleted."""

    def load_all(self) -> tuple[Batch, ...]: ...
    def find_shared(self, batch: int) -> dict[int, set[str]]:
        """Other batch → the mails that it has in common with this one."""

    def remove(self, batch: Batch, *, at: datetime) -> frozenset[int]:
        """Remove the facts that no other batch has. Returns the affected proposals, to be decided again."""

    def note_undone(self, batch: int, *, at: datetime, by: str, reason: str, numbers: Sequence[int]) -> None: ...


class Marks(Protocol):
    """Values kept between runs (what a watcher last saw, say)."""

    def load(self, name: str) -> str | None: ...
    def save(self, name: str, value: str) -> None: ...

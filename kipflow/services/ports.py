"""What the use cases need from the outside, as Protocols. Adapters and fakes fulfil them.

All times are aware UTC. Nothing here reads a clock: `now` and `as_of` are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import (
    ArchiveMonth,
    CallNote,
    IndexEntry,
    Message,
    PageAbsence,
    PageVersion,
    ProposalFacts,
    Ruling,
    SilenceWarning,
    StatusWord,
    Substance,
    TicketState,
    Unreadable,
)
from kipflow.domain.numbering import Numbers
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.roster import Mailbox


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveReport:
    """What saving messages did. `touched` are the proposals whose facts changed.

    `reread` are known mails that newer rules read otherwise than what was stored.
    """

    new: int = 0
    known: int = 0
    reread: int = 0
    touched: frozenset[int] = frozenset()


#: In a payload: the effect tells that an acceptance does not hold. Until a person releases it, the index keeps the row.
RETRACTS = "acceptance_falls"
#: In a payload: the silence that the effect warns the author of (its `silent_at`). Sent, it is the warning's delivery.
WARNS = "warns_of_silence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something to do outside. `key` makes it happen once: "932/passed/3f2c…/slack".

    `channel` is "slack" or "index"; `approval` says that a person must release it first. `renews`: it takes the place
    of one that was only shown in dry-run, or withdrawn.
    """

    key: str
    number: int | None
    channel: str
    payload: Mapping[str, Any]
    approval: bool = False
    renews: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A stored effect. `status`: pending, claimed (somebody delivers it), held (awaits approval), sent, failed (gave
    up), unsure (it may have gone out, and a person must look), skipped (dry-run), withdrawn (corrected before it was
    sent).

    `tried_at` is since when it may have gone out, by the community's clock; None: it certainly has not.
    """

    key: str
    number: int | None
    channel: str
    payload: Mapping[str, Any]
    status: str
    attempts: int
    created_at: datetime
    next_attempt_at: datetime
    sent_at: datetime | None = None
    external_ref: str | None = None
    last_error: str | None = None
    tried_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An effect in somebody's hands: who delivers it, and until when by the database's clock."""

    by: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleMonth:
    """A month with mails that older rules read. `path` is its raw file, None where it came from elsewhere."""

    list_id: str
    month: str
    mails: int
    path: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A fact that came since a proposal was last decided: why its history may have to be corrected.

    `kind` is "message", "reading" (a stored mail was read again by newer rules), "page", "index" or "ruling"; `ref`
    names it, `line` says it in words. `at` is when it was sent, saved or made, `seen_at` when kipflow came to know.
    """

    kind: str
    ref: str
    line: str
    at: datetime
    seen_at: datetime
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthStats:
    """What the archive's cheap statistics say of a month: enough to learn whether it changed."""

    list_id: str
    month: str
    mails: int
    newest: datetime | None
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WikiPage:
    """A page version as a wiki gives it. `body` is storage format, `message` what its author said of the change."""

    page_id: str
    version: int
    title: str
    body: str
    saved_at: datetime
    saved_by: str
    url: str = ""
    labels: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRef:
    """A child page, without its body."""

    page_id: str
    version: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPage:
    """A proposal's page as far as judging it needs, without its body.

    `stage` is None until the proposal was decided on. `others` are the titles of other pages with the same
    number. `judged` is what was judged last: version, rules, and `around` as it was; None: never.
    """

    page_id: str
    number: int
    version: int
    title: str
    saved_at: datetime
    status: StatusWord
    stage: Stage | None
    ticket: str | None
    is_ticket_missing: bool
    others: tuple[str, ...]
    judged: tuple[int, str, str] | None

    @property
    def around(self) -> str:
        """What the faults depend on besides the page itself, as a text that changes when it does."""
        return repr((self.others, self.is_ticket_missing))


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """What the round-up shows of one proposal, by its derived stage.

    `written` are the rows that the newest index has of it, each with a title of its own, if there is more than one.
    """

    number: int
    title: str
    stage: Stage
    url: str | None = None
    jira: str | None = None
    release: str | None = None
    in_progress: bool = False
    written: tuple[IndexEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One figure: `name` ("stage_days_median"), `dimension` ("Vote"), `value` in `unit` ("days")."""

    name: str
    dimension: str
    value: float
    unit: str


class Archive(Protocol):
    """A mailing list archive that gives months as mbox."""

    def fetch_stats(self, list_id: str, month: str) -> MonthStats: ...

    def fetch_month(self, list_id: str, month: str, target: Path, *, now: datetime) -> ArchiveMonth:
        """Stream the month to `target` and verify it. Never raises for a bad month: its status says so."""
        ...

    def permalink(self, message_id: str) -> str: ...


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


class Chat(Protocol):
    """A chat service. A message is known by its `key`; a reference says where it is."""

    def post(
        self, channel: str, text: str, blocks: Sequence[Mapping[str, Any]], *, key: str, thread: str | None = None
    ) -> str:
        """Post a message, below the one that `thread` refers to if there is one; a reference to it.

        Raises `Refused` or `RateLimited` where it certainly was not posted; after any other error it may have been.
        """
        ...

    def find(self, channel: str, *, key: str, since: datetime, thread: str | None = None) -> str | None:
        """The reference of the message with this key that was posted since then; None: it is certainly not there.

        Raises `CannotTell` where that can't be read at all.
        """
        ...


class Session(Protocol):
    """One transaction of the store: everything or nothing of it is kept."""

    # facts
    def save_messages(self, messages: Iterable[Message], *, seen_at: datetime, reading_rules: int = 0) -> SaveReport:
        """Store what is not held yet. A known mail that older rules read gets the newer reading.

        `reading_rules` is the version of the rules that read these messages.
        """
        ...

    def load_stale_months(self, reading_rules: int) -> list[StaleMonth]:
        """The months with mails that rules older than these read, in order."""
        ...

    def count_stale(self, list_id: str, month: str, reading_rules: int) -> int: ...
    def save_unreadable(self, items: Iterable[Unreadable], *, seen_at: datetime) -> int: ...
    def save_month(self, month: ArchiveMonth) -> None: ...
    def load_months(self, list_id: str | None = None) -> list[ArchiveMonth]: ...
    def save_page_version(self, page: PageVersion, *, seen_at: datetime) -> bool: ...
    def load_page_versions(self) -> dict[str, int]:
        """Page id → newest stored version."""
        ...

    def find_page_body(self, page_id: str, version: int) -> str | None:
        """The storage format of a stored version; `load_facts` leaves bodies out."""
        ...

    def find_page_text(self, page_id: str, version: int) -> tuple[str, Substance] | None:
        """Body and substance of a stored version."""
        ...

    def load_page_holes(self, limit: int) -> list[tuple[str, int]]:
        """Versions (page id, number) that are not held although later ones are."""
        ...

    def load_absent_pages(self) -> dict[str, PageAbsence]:
        """The pages that cannot be had at present, by their id."""
        ...

    def note_page_absent(self, page_id: str, *, why: str, at: datetime, number: int | None = None) -> bool:
        """False if that is known already. `number` is what its title says, for a page that was never read."""
        ...

    def note_page_present(self, page_id: str, *, at: datetime) -> bool:
        """False if it was not missed."""
        ...

    def load_checked_pages(self) -> list[CheckedPage]: ...
    def save_page_faults(
        self, page: CheckedPage, found: Sequence[PageFault], *, rules: str, at: datetime
    ) -> tuple[PageFault, ...]:
        """Note what was found on a page now; the faults that were never found on it before."""
        ...

    def load_page_faults(self, number: int) -> tuple[PageFault, ...]:
        """The faults that the proposal's pages have now, errors first."""
        ...

    def save_call_notes(self, notes: Iterable[CallNote], *, seen_at: datetime) -> int:
        """Store the notes of recorded calls that are new; how many."""
        ...

    def save_index_entries(self, entries: Iterable[IndexEntry]) -> int: ...
    def save_ticket(self, ticket: TicketState) -> bool: ...
    def load_ticket_keys(self) -> list[str]:
        """The tickets that proposal pages and index entries name."""
        ...

    def save_ruling(self, ruling: Ruling) -> int: ...
    def revoke_ruling(self, ruling_id: int, *, at: datetime, by: str, reason: str = "") -> None: ...
    def load_rulings(self) -> tuple[Ruling, ...]:
        """Every ruling by time. Nobody else rules until the transaction ends."""
        ...

    def find_mailbox(self, key: str) -> Mailbox | None:
        """Who writes from an address, as the newest mail shows them; None where no mail came from there."""
        ...

    def find_first_mail(self, address: str) -> datetime | None:
        """When the first mail that is held came from an address; None where none did."""
        ...

    # decisions
    def load_pending(self, as_of: datetime) -> list[int]:
        """Proposals with facts newer than their last decision, or a deadline that `as_of` has reached."""
        ...

    def mark_all_pending(self) -> int: ...
    def load_numbers(self) -> list[int]: ...
    def load_taken(self) -> Numbers:
        """Every number that pages, rows or rulings gave out, and what the index states as the next one."""
        ...

    def save_stated_number(self, number: int | None, *, origin: str) -> None:
        """Note what an index ("page" or "import") states as its next number; None states nothing."""
        ...

    def is_claimed(self, number: int) -> bool:
        """Whether by the newest decision only mail names the proposal's number, or a person refused it."""
        ...

    def load_facts(self, number: int) -> ProposalFacts:
        """Raises `UnknownProposal`."""
        ...

    def load_fresh(self, numbers: Sequence[int]) -> list[ProposalFacts]:
        """The facts of those of these that were never decided and are known from rows of an index only."""
        ...

    def save_first_decisions(self, decisions_: Sequence[Decision], *, recorded_at: datetime, run_id: str = "") -> None:
        """Keep the first decisions on proposals that `load_fresh` gave, each with its history."""
        ...

    def load_decided_at(self, number: int) -> datetime | None:
        """The `as_of` of the newest stored decision on the proposal."""
        ...

    def load_index_rows(self) -> list[IndexRow]:
        """Every decided proposal whose number is more than claimed, in order of number."""
        ...

    def load_history(self, number: int) -> tuple[Transition, ...]: ...
    def load_first_recorded(self, number: int) -> datetime | None:
        """When the proposal's first entry was recorded: since then kipflow follows it."""
        ...

    def load_new_facts(self, number: int) -> list[NewFact]:
        """What came since the proposal's newest decision, oldest first."""
        ...

    def load_rules_changed(self, number: int) -> bool:
        """Whether policy or roster are others than at the proposal's newest decision."""
        ...

    def append_transitions(
        self, transitions: Sequence[Transition], *, recorded_at: datetime, run_id: str = ""
    ) -> int: ...
    def save_warning(self, number: int, warning: SilenceWarning) -> bool:
        """Keep a warning that was written; False if there is one of that silence already."""
        ...

    def save_decision(self, decision: Decision) -> None:
        """Replace what the board shows of the proposal, and take it off the pending list."""
        ...

    # effects
    def enqueue(self, effects: Iterable[Effect], *, now: datetime, status: str = "pending") -> int: ...
    def find_claim(self, channel: str) -> Claim | None:
        """The claim on an effect of this channel whose lease runs."""
        ...

    def claim_effect(
        self, channel: str, *, by: str, now: datetime, lease: timedelta, ended: str | None = None
    ) -> OutboxRow | None:
        """Take the next due effect of a channel into one's hands, in order; None where there is none for `by`.

        Nobody else gets one of that channel until it is sent or put back, or the lease has run out. `ended` is a
        claimant that is known to be gone. The row's `tried_at` is what it was before this claim.
        """
        ...

    def renew_claim(self, key: str, *, by: str, lease: timedelta) -> bool:
        """False where it is in somebody else's hands by now."""
        ...

    def find_thread(self, number: int, channel: str) -> str | None:
        """The reference of the first message on a proposal that was sent to `channel`: the root of its thread."""
        ...

    def mark_sent(self, key: str, *, at: datetime, external_ref: str) -> None:
        """Note that an effect went out. One that warns of a silence is the delivery of that warning."""
        ...

    def mark_failed(
        self, key: str, *, error: str, next_attempt_at: datetime | None, tried_at: datetime | None = None
    ) -> None:
        """Count an attempt. `next_attempt_at` None gives up; `tried_at`: it may have gone out since then."""
        ...

    def confirm_sent(self, key: str, *, by: str, at: datetime) -> bool:
        """A person's word that an effect of which nobody could tell did go out; False if it is none of these."""
        ...

    def find_effect(self, key: str) -> OutboxRow | None: ...
    def load_effect_status(self, keys: Iterable[str]) -> dict[str, str]:
        """Key → status, of the effects that exist; "unsure" for every one that may have gone out."""
        ...

    def withdraw_effects(self, keys: Iterable[str], *, why: str) -> int:
        """Take back what has not been sent yet; how many. What may have gone out stays."""
        ...

    def load_unreleased_retractions(self) -> frozenset[int]:
        """The proposals whose acceptance was retracted while no person let that be known yet."""
        ...

    def find_waiting_retraction(self, number: int) -> OutboxRow | None:
        """The effect, not sent yet, that tells that the proposal's acceptance does not hold."""
        ...

    def is_retraction_released(self, number: int) -> bool:
        """Whether a person let it be known that the proposal's acceptance does not hold."""
        ...

    def release_effect(self, key: str, *, by: str, at: datetime) -> bool:
        """A person's approval: held becomes pending, as does what was given up. An unsure one is not there: the
        person looked."""
        ...

    # reads for export and metrics
    def iter_rows(self, table: str, columns: Sequence[str] | None = None) -> Iterator[list[dict[str, Any]]]:
        """Batches of plain rows of "transition", "vote", "ballot", "proposal" or "proposal_message".

        All of their columns, or those named.
        """
        ...

    def save_metrics(self, rows: Iterable[MetricRow], *, as_of: datetime, run_id: str) -> int: ...

    # values kept between runs (what a watcher last saw, say)
    def load_mark(self, name: str) -> str | None: ...
    def save_mark(self, name: str, value: str) -> None: ...


class Store(Protocol):
    def begin(self) -> AbstractContextManager[Session]:
        """Open a transaction; it commits when the block ends and rolls back when it raises."""
        ...

    def read(self) -> AbstractContextManager[Session]:
        """Open a transaction that only reads: it sees one moment, and neither waits nor keeps others waiting."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a use case did: counts for logs and XCom, and lines worth a person's eye."""

    counts: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

"""What the board, the CLI and reports read: frozen views and the `Board` Protocol that gives them.

The store fulfils `Board` by SQL, with a number of queries that does not depend on the number of rows.
Everything shown is what the last decision on each proposal *recorded* (`decided_at`); nothing is judged
anew here, so the board never shows a stage that the history doesn't hold. `as_of` only bounds what is
shown: nothing recorded later than it. All times are aware UTC; texts are raw and must be escaped where
they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Drift, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ArchiveMonth, Kind, Ruling, SilenceWarning
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, IndexEntry, PageVersion, TicketState
from kipflow.domain.proposals import Proposal
from kipflow.domain.senders import AddressSource, Authentication
from kipflow.domain.tally import Outcome, Tally
from kipflow.domain.votemails import VoteMail
from kipflow.services.ports import MetricRow, OutboxRow


class Waiting(StrEnum):
    """What a proposal waits for, by what was last decided. `PERSON` is any of question, wiki and author."""

    PERSON = "person"
    QUESTION = "question"
    WIKI = "wiki"
    AUTHOR = "author"
    VOTES = "votes"
    TIME = "time"


class Sort(StrEnum):
    """What a list of proposals is ordered by; the number breaks ties.

    `STAGE` is the order of `Stage`; `CLOSE` the earliest close of the current vote, proposals without one last in both
    directions; `SINCE` the entry into the present stage, `ACTIVITY` the newest message, page version or ruling.
    """

    NUMBER = "number"
    TITLE = "title"
    STAGE = "stage"
    SINCE = "since"
    ACTIVITY = "activity"
    CLOSE = "close"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowQuery:
    """Which proposals to list; a number that a person refused is in no list.

    `stages` empty means all. `text` is looked for, whatever its case, in title and author; a number or
    key ("932", "KIP-932", "kip 932") finds the proposal of that number as well. `%` and `_` in it mean
    themselves. `author` is a part of an author's name, `interface` one of `INTERFACES` that the newest version of
    the page touches.
    """

    stages: tuple[Stage, ...] = ()
    text: str = ""
    author: str = ""
    interface: str = ""
    waiting: Waiting | None = None
    sort: Sort = Sort.NUMBER
    descending: bool = True
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteClock:
    """The current vote of a proposal in stage Vote, as last decided.

    `quorum` and `earliest_close` include the care owed; `care` names the interfaces that raised them.
    `hangs` says that ballots under review could turn it.
    """

    round: int
    opened_at: datetime
    earliest_close: datetime
    quorum: int
    outcome: Outcome
    tally: Tally
    hangs: bool = False
    care: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """One proposal in a list. `clock` is set in stage Vote only.

    `title` is without number and prefix. `missing` is `Decision.missing`; `review` counts its review items;
    `drift` names the sides that disagree ("page", "index"), each once. `warned_at` is when the author was
    warned of dormancy. `decided_at` is the `as_of` of the decision that all this is from. `claim` says that its
    number is doubtful ("claimed": only mail names it; "jump": far beyond all others), `claim_why` why.
    """

    number: int
    key: str
    title: str
    author: str | None
    stage: Stage
    since: datetime
    decided_at: datetime
    last_activity: datetime | None = None
    clock: VoteClock | None = None
    missing: tuple[str, ...] = ()
    review: int = 0
    drift: tuple[str, ...] = ()
    warned_at: datetime | None = None
    next_deadline: datetime | None = None
    release: str | None = None
    in_progress: bool = False
    claim: str = ""
    claim_why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPage:
    """A page of a list of proposals; `total` counts all that match the query, not just this page."""

    rows: tuple[BoardRow, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthCoverage:
    """How completely one month of one list is held, and how many of its mails could not be read."""

    month: ArchiveMonth
    unreadable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTransition:
    """A transition as the history holds it.

    `retracted` says that a later correction took the ground from it. `recorded_at` is when it was
    written (its own `at` is when its rule became true), `run_id` the Airflow run that did it. `decision_rules` is the
    version of kipflow's rules then; None for what was recorded before that was noted.
    """

    transition: Transition
    recorded_at: datetime
    run_id: str = ""
    retracted: bool = False
    decision_rules: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentTransition:
    """A transition in the list of the newest ones, with the proposal it belongs to."""

    key: str
    title: str
    recorded: RecordedTransition


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The newest metrics that the Spark job gave, and the moment they describe."""

    as_of: datetime
    rows: tuple[MetricRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The state of the whole community in one glance; lists of proposals come from `Board.rows`.

    `stages` has every stage, with 0 where empty. `messages` counts mails held, `unreadable` items
    that could not be read, `pending` proposals whose facts are newer than their decision. `attention`
    counts proposals that need a person, `review` and `drift` the single items. `effects` counts outbox rows
    by status. `months` are in order of list and month, newest last; `last_poll` is when an archive was last
    looked at, `last_decision` the newest `decided_at`. `recent` is newest first, a correction by its time of record.
    """

    stages: Mapping[Stage, int]
    messages: int = 0
    attention: int = 0
    review: int = 0
    drift: int = 0
    pending: int = 0
    unreadable: int = 0
    months: tuple[MonthCoverage, ...] = ()
    last_poll: datetime | None = None
    last_decision: datetime | None = None
    effects: Mapping[str, int] = field(default_factory=dict)
    metrics: Metrics | None = None
    recent: tuple[RecentTransition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadCount:
    """The mails of a proposal by what they are for: "12 mails by 5 people between … and …"."""

    kind: Kind
    mails: int
    people: int
    first_at: datetime
    last_at: datetime
    first_message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderBallot:
    """A ballot of a sender who is asked about: its own line, its mail, and what the mail's receiving host recorded.

    `source` is where the mail was read, `url` its permalink ("" where there is none).
    """

    line: str
    at: datetime
    message_id: str
    source: str
    url: str
    authentication: Authentication
    address_source: AddressSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """One proposal with everything it rests on. What was decided is from the decision at `decided_at`.

    `history` is all that was recorded, in order of record, corrections included. `votes` are its judged
    rounds in order. `pages` are without bodies, oldest first. `activity` maps months ("2026-03") with mail to
    the number of mails. `links` maps every message id in `votes` and `threads` that is known in an archive
    to its permalink. `rulings` includes revoked ones, `warnings` those of silences that ended. `faults` are those of
    its page now, errors first; `effects` its outbox rows, newest first. `claim` and `claim_why` are as in `BoardRow`;
    "refused" is a number that a person refused. `questioned` maps the subject of each question about a sender to
    the ballots in question.
    """

    key: str
    proposal: Proposal
    stage: Stage
    since: datetime
    decided_at: datetime
    policy_version: str
    history: tuple[RecordedTransition, ...] = ()
    votes: tuple[VoteState, ...] = ()
    missing: tuple[str, ...] = ()
    review: tuple[ReviewItem, ...] = ()
    drift: tuple[Drift, ...] = ()
    next_deadline: datetime | None = None
    warned_at: datetime | None = None
    last_activity: datetime | None = None
    pages: tuple[PageVersion, ...] = ()
    index_entries: tuple[IndexEntry, ...] = ()
    tickets: tuple[TicketState, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    warnings: tuple[SilenceWarning, ...] = ()
    threads: tuple[ThreadCount, ...] = ()
    activity: Mapping[str, int] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    calls: tuple[CallNote, ...] = ()
    faults: tuple[PageFault, ...] = ()
    effects: tuple[OutboxRow, ...] = ()
    claim: str = ""
    claim_why: str = ""
    questioned: Mapping[str, tuple[SenderBallot, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """A question for a person, with the proposal it is about. `url` is the permalink of what it quotes; a question
    about a sender has the `ballots` in question."""

    number: int
    key: str
    title: str
    stage: Stage
    item: ReviewItem
    decided_at: datetime
    url: str = ""
    ballots: tuple[SenderBallot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderRow:
    """Somebody of whom it is asked whether they are a person of the roster, with what speaks for it.

    `sender` is what a ruling names: an address, or the id of a mail where only that one is in question. `mails`,
    `first_at`, `last_at`, `authenticated` and `not_authentic` count what the address sent under that name;
    `results` are announcements that name the person among those whose votes bind.
    """

    sender: str
    address: str
    name: str
    person: str
    person_name: str
    proposals: tuple[str, ...]
    question: str
    asked_at: datetime | None = None
    mails: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    authenticated: int = 0
    not_authentic: int = 0
    results: int = 0
    last_result: datetime | None = None
    ballots: tuple[SenderBallot, ...] = ()

    @property
    def key(self) -> str:
        """Names the row among all: the sender and whom it may be."""
        return f"{self.sender} {self.person}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRow:
    """A disagreement between sides, with the proposal it is about."""

    number: int
    key: str
    title: str
    stage: Stage
    drift: Drift


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableRow:
    """Something that could not be read: where it is, why, and when that was last seen."""

    source: str
    why: str
    list_id: str
    month: str
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadablePage:
    """A page of unreadable items, newest first; `total` counts all."""

    rows: tuple[UnreadableRow, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectPage:
    """A page of outbox rows, newest first; `total` counts all of the asked status."""

    rows: tuple[OutboxRow, ...]
    total: int


class Board(Protocol):
    """The read side. Every method is one short read-only transaction and safe from any thread."""

    def overview(self, as_of: datetime) -> Overview:
        """Counts, coverage, outbox, the newest metrics, and the 12 newest transitions of those recorded by `as_of`."""
        ...

    def rows(self, query: RowQuery) -> RowPage:
        """The proposals that `query` asks for, in a fixed number of queries whatever the limit."""
        ...

    def newest(self, limits: Mapping[Stage, int]) -> Mapping[Stage, tuple[BoardRow, ...]]:
        """At most so many proposals of each of these stages, latest activity first."""
        ...

    def proposal(self, number: int, as_of: datetime) -> ProposalView:
        """One proposal. Raises `UnknownProposal`, also where none of its facts has been decided on yet."""
        ...

    def absent(self, as_of: datetime, number: int | None = None) -> Mapping[int, tuple[str, ...]]:
        """Number of a proposal in a vote → who still has to vote: the names of people whose ballots bound on some vote
        of the last half year, who voted last first. `number` asks about that proposal alone."""
        ...

    def vote_mails(self, number: int, as_of: datetime) -> tuple[VoteMail, ...]:
        """The newest 500 mails on votes on a proposal, oldest first."""
        ...

    def page_body(self, page_id: str, version: int) -> str | None:
        """The storage format of one version of a page; None if it is not held."""
        ...

    def review(self) -> tuple[ReviewRow, ...]:
        """Every open question, those that an outcome depends on first, then by number."""
        ...

    def senders(self) -> tuple[SenderRow, ...]:
        """Every sender who is asked about, once for each person whom it may be; the first asked about first."""
        ...

    def identities(self) -> tuple[Ruling, ...]:
        """The standing rulings on who is who, newest first."""
        ...

    def drift(self) -> tuple[DriftRow, ...]:
        """Every disagreement, highest number first."""
        ...

    def unreadable(self, *, offset: int = 0, limit: int = 50) -> UnreadablePage: ...

    def effects(self, *, status: str = "", offset: int = 0, limit: int = 50) -> EffectPage:
        """Outbox rows of one status ("" means all)."""
        ...

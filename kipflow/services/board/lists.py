"""What the board's lists show: proposals, an overview, and what waits for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from kipflow.domain.events import Stage
from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.tally import Outcome, Tally
from kipflow.services.board.proposal import RecordedTransition
from kipflow.services.ports import MetricRow

T = TypeVar("T")


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
    the page touches. `run` is the name of a run that added to their history. Without a `limit` all of them are listed.
    """

    stages: tuple[Stage, ...] = ()
    text: str = ""
    author: str = ""
    interface: str = ""
    run: str = ""
    waiting: Waiting | None = None
    sort: Sort = Sort.NUMBER
    descending: bool = True
    offset: int = 0
    limit: int | None = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteClock:
    """The current vote of a proposal in stage Vote, as last decided.

    `quorum` and `earliest_close` include the care required; `care` names the interfaces that raised them.
    `depends_on_review` says that ballots under review could turn it.
    """

    round: int
    opened_at: datetime
    earliest_close: datetime
    quorum: int
    outcome: Outcome
    tally: Tally
    depends_on_review: bool = False
    care: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingVoters:
    """Who of the active voters has not voted: by name, the most recently active first. For those in `asked` a question
    is open whether a mail is their vote."""

    unvoted: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """One proposal in a list. `clock` is set in stage Vote only.

    `title` is without number and prefix. `missing` is `Decision.missing`; `review` counts its review items;
    `drift` names the sides that disagree ("page", "index"), each once. `warned_at` is when the author was
    warned of dormancy. `decided_at` is the `as_of` of the decision that all this is from. `claim` says that its
    number is doubtful ("claimed": only mail names it; "jump": far beyond all others), `claim_why` why. `undated`: its
    stage is known from an index only, and `since` is when the index was read.
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
    undated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOf(Generic[T]):
    """A page of a list; `total` counts all that match the query, not just this page."""

    rows: tuple[T, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthCoverage:
    """How completely one month of one list is held, and how many of its mails could not be read."""

    month: ArchiveMonth
    unreadable: int = 0


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
    """The state of the whole community; lists of proposals come from `Board.rows`.

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

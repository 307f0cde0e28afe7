"""Records passed between the use cases and the store. All times are aware UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from kipflow.domain.events import Stage
from kipflow.domain.facts import ArchiveMonth, Coverage, Message, Ruling, SilenceWarning
from kipflow.domain.pages import IndexEntry, PageAbsence, PageVersion, StatusWord, TicketState
from kipflow.domain.proposals import Numbering


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthChange:
    """An ingest's change to the coverage of a month; `breaks_*` are its truncated files, as stored."""

    before: ArchiveMonth | None
    after: ArchiveMonth
    breaks_before: str
    breaks_after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """A downloaded month, with the archive's statistics on it.

    `counted` is their number of mails; 0 if unknown.
    """

    month: ArchiveMonth
    stats: str
    counted: int = 0

    @property
    def file(self) -> Path | None:
        """The month's file, if it can be read: a truncated one can, up to its break."""
        path = self.month.path if self.month.status in {"complete", "partial"} else None
        return None if path is None else Path(path)

    @property
    def is_given(self) -> bool:
        """Whether the archive gave the month just now, at least in part."""
        return self.file is not None and self.month.given

    @property
    def is_whole(self) -> bool:
        """Whether the month's file is complete according to the archive."""
        return self.month.status == "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one ingest ("mail") or import ("index") of `sources` stored. `items`: the facts that came from files only.

    `numbers` are the proposals that were affected when it was undone.
    """

    id: int
    kind: str
    sources: tuple[str, ...]
    seen_at: datetime
    months: tuple[MonthChange, ...] = ()
    items: int = 0
    undone_at: datetime | None = None
    undone_by: str = ""
    reason: str = ""
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveReport:
    """What saving messages did. `touched` are the proposals whose facts changed.

    `reread` counts known mails that newer rules read differently.
    """

    new: int = 0
    known: int = 0
    reread: int = 0
    touched: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleMonth:
    """A month with mails that older rules read. `path` is its raw file, None where it came from elsewhere."""

    list_id: str
    month: str
    path: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A fact that came since a proposal was last decided, and may lead to a correction.

    `kind` is "message", "reading" (a stored mail was read again by newer rules), "page", "index" or "ruling"; `ref`
    names it, `line` says it in words. `at` is when it was sent, saved or made, `seen_at` when kipflow learned of it.
    """

    kind: str
    ref: str
    line: str
    at: datetime
    seen_at: datetime
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPage:
    """A proposal's page with the data to check it, without its body.

    `stage` is None until the proposal is decided. `others` are the titles of other pages with the same number. `judged`
    is what was checked last: version, rules, and `around`; None: never.
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
        """What the faults depend on besides the page itself, as a comparable text."""
        return repr((self.others, self.is_ticket_missing))


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """What the round-up shows of one proposal, by its derived stage.

    `written` are its rows in the newest index, if there is more than one with different titles.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRows:
    """All stored rows of one proposal, in order of time, from which its facts are assembled.

    `rivals` are mails of other proposals in the threads of these; `identities` every ruling on who is who, revoked ones
    too. `numbering` comes without its writers.
    """

    number: int
    messages: tuple[Message, ...] = ()
    rivals: tuple[Message, ...] = ()
    pages: tuple[PageVersion, ...] = ()
    absences: tuple[PageAbsence, ...] = ()
    index_entries: tuple[IndexEntry, ...] = ()
    tickets: tuple[TicketState, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    identities: tuple[Ruling, ...] = ()
    warnings: tuple[SilenceWarning, ...] = ()
    followed_since: datetime | None = None
    coverage: Coverage = field(default_factory=Coverage)
    numbering: Numbering = field(default_factory=Numbering)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a use case: counts for logs and XCom, and warnings for a person."""

    counts: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

"""What passes between the use cases and the store. All times are aware UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from kipflow.domain.events import Stage
from kipflow.domain.facts import (
    Coverage,
    IndexEntry,
    Message,
    PageAbsence,
    PageVersion,
    Ruling,
    SilenceWarning,
    StatusWord,
    TicketState,
)
from kipflow.domain.numbering import Numbering


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
#: In a payload: the rows of the index that somebody moved back, each as (number, where it stands, where it should).
#: Until a person releases it, the index keeps them.
MOVED_BACK = "moved_back"
#: In a payload: the version of the page that an edit takes back.
TAKES_BACK = "takes_back"
#: In a payload: the message of a vote, which is kept up to date in place: what it takes to write it again.
CARD = "vote_card"
#: In a payload: the key of the message of a vote in whose thread this one goes.
BELOW = "below"
#: How the reason begins for which an effect was withdrawn because a person refused it.
REFUSED_BY = "refused by"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRows:
    """All that is stored of one proposal, in order of time: what its facts are assembled from.

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
    """What a use case did: counts for logs and XCom, and lines worth a person's eye."""

    counts: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

"""What the board shows of one proposal, and what waits for people: questions, senders, drift, unreadable mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from kipflow.domain.clocks import VoteState, find_newest
from kipflow.domain.decisions import Drift, ReviewItem
from kipflow.domain.events import Evidence, Stage, Transition
from kipflow.domain.facts import MailKind, Ruling, SilenceWarning
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, IndexEntry, PageVersion, TicketState
from kipflow.domain.proposals import Proposal
from kipflow.domain.senders import AddressSource, Authentication
from kipflow.services.ports import OutboxRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderBallot:
    """A ballot of a sender in question: its line, its mail, and what the receiving host recorded.

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
class ReviewRow:
    """A question for a person, with the proposal it is about. `url` is the permalink of what it quotes; a question
    about a sender has the `ballots` in question. Both are empty in a person's own list of questions."""

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
    """A sender who may be a person of the roster, with the evidence for it.

    `sender` is what a ruling names: an address, or the id of a single mail in question. `mails`,
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
class VoterRow:
    """Somebody who cast a ballot on a proposal, as the mail names them; `is_running`: in a vote under way."""

    number: int
    is_running: bool
    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableRow:
    """Something that could not be read: where it is, why, and when that was last seen."""

    source: str
    why: str
    list_id: str
    month: str
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTransition:
    """A transition as the history holds it.

    `retracted`: a later correction retracted it. `recorded_at` is when it was written (its own `at` is when its rule
    became true), `run_id` the Airflow run that wrote it. `decision_rules` is the version of kipflow's rules then; None
    for old entries without it.
    """

    transition: Transition
    recorded_at: datetime
    run_id: str = ""
    retracted: bool = False
    decision_rules: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadCount:
    """The mails of a proposal by what they are for: "12 mails by 5 people between … and …"."""

    kind: MailKind
    mails: int
    people: int
    first_at: datetime
    last_at: datetime
    first_message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """One proposal with all its evidence. What was decided is from the decision at `decided_at`.

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

    @property
    def newest_vote(self) -> VoteState | None:
        """The last round that was opened by somebody entitled to."""
        return find_newest(self.votes)

    def link(self, evidence: Evidence) -> Evidence:
        """Evidence of this proposal with the permalink of its mail, where it has no address of its own."""
        return replace(evidence, url=evidence.url or self.links.get(evidence.ref, ""))

"""What the board shows of one proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from kipflow.domain.clocks import VoteState, find_newest
from kipflow.domain.decisions import Drift, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import Kind, Ruling, SilenceWarning
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, IndexEntry, PageVersion, TicketState
from kipflow.domain.proposals import Proposal
from kipflow.services.board.waiting import SenderBallot
from kipflow.services.ports import OutboxRow


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
class ThreadCount:
    """The mails of a proposal by what they are for: "12 mails by 5 people between … and …"."""

    kind: Kind
    mails: int
    people: int
    first_at: datetime
    last_at: datetime
    first_message_id: str


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

    @property
    def newest_vote(self) -> VoteState | None:
        """The last round that somebody opened who may."""
        return find_newest(self.votes)

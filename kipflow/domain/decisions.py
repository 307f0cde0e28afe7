"""What `lifecycle.decide` answers: the stage with its history, and what is open about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from kipflow.domain.clocks import VoteState, after, find_newest
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.numberdoubts import NumberDoubt
from kipflow.domain.silence import Silence


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A question for a person. `subject` names what a ruling would settle (a message id, say).

    `asked_at` is when the facts first raised it, where that is known: what is old is no news.
    """

    kind: str
    subject: str
    question: str
    line: str = ""
    outcomes: tuple[str, ...] = ()
    asked_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What follows from a proposal's facts at `as_of`.

    `missing` says what it still lacks, fit for a reader; `next_deadline` is the next moment at which
    the clock alone could change something (None: only new facts can). `warning` is that of the silence that lasts, and
    `warned_at` when its author learned of it (None: not yet). `unwarned` is a silence that has no warning and must have
    one, which whoever records this writes.
    `claim` is what is doubtful about its number.
    """

    number: int
    as_of: datetime
    policy_version: str
    stage: Stage
    since: datetime
    history: tuple[Transition, ...]
    votes: tuple[VoteState, ...] = ()
    missing: tuple[str, ...] = ()
    review: tuple[ReviewItem, ...] = ()
    drift: tuple[Drift, ...] = ()
    next_deadline: datetime | None = None
    warned_at: datetime | None = None
    warning: SilenceWarning | None = None
    unwarned: Silence | None = None
    last_activity: datetime | None = None
    number_doubt: NumberDoubt | None = None

    @property
    def newest_vote(self) -> VoteState | None:
        """The last round that somebody opened who may."""
        return find_newest(self.votes)


#: What can say something else than the facts.
SIDES = ("page", "index", "result", "ticket", "release")
#: How long people have to bring their pages up to date after a move or an edit, before anybody is asked to.
DRIFT_GRACE = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One disagreement: who says what, what the facts say, and the edit that would settle it.

    `side` is one of `SIDES`. `derived` is what it is held against;
    `evidence` says where and when the side said so, `said_at` since when it has.
    """

    side: str
    says: str
    derived: str
    evidence: str
    fix: str
    said_at: datetime | None = None

    def find_due(self, since: datetime) -> datetime:
        """When people are asked about it, where the stage began at `since`: they have a day from the later of both."""
        return after(max(since, self.said_at or since), DRIFT_GRACE)

    @property
    def as_ruled(self) -> dict[str, str]:
        """The value of a ruling that acknowledges it."""
        return {"says": str(self.says), "derived": str(self.derived)}

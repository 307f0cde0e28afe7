"""The result of `lifecycle.decide`: the stage with its history, and the open points, a silence among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from kipflow.domain.clocks import VoteState, after, find_newest
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.numberdoubts import NumberDoubt
from kipflow.domain.policy import Policy

#: A run at most so much later than the time for which it decides counts as on time.
PROMPT = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """No activity since `quiet_since`; from `silent_at` on a warning is due (`stages.quiet` finds it).

    `past` is when it led to dormancy without a warning, before kipflow followed the proposal (None: it did already).
    `warning` is its first warning, `warned_at` when the author got that (None: not yet), `dormant_at` when the proposal
    goes dormant (None while nobody was warned).
    """

    quiet_since: datetime
    silent_at: datetime
    past: datetime | None = None
    warning: SilenceWarning | None = None
    warned_at: datetime | None = None
    dormant_at: datetime | None = None


def make_warning(
    silence: Silence, policy: Policy, *, as_of: datetime, recorded_at: datetime, followed_since: datetime | None
) -> SilenceWarning:
    """The warning of `silence` by a decision as of `as_of`, written at `recorded_at`.

    Its date counts from `as_of`, so that a backfill gives the same history as runs at that time. But nobody was
    notified then: if the grace period would end after kipflow began to follow the proposal (`followed_since`; None:
    now), the date counts from `recorded_at`.
    """
    warned_at = as_of
    if recorded_at - as_of > PROMPT and after(as_of, policy.grace) > (followed_since or recorded_at):
        warned_at = recorded_at
    return SilenceWarning(
        quiet_since=silence.quiet_since,
        silent_at=silence.silent_at,
        as_of=as_of,
        warned_at=warned_at,
        due_at=None if policy.dormancy_by_person else after(warned_at, policy.grace),
        recorded_at=recorded_at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A question for a person. `subject` names what a ruling would settle (a message id, say).

    `asked_at` is when the facts first raised it, if known: an old question is no news.
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

    `missing` says in words what it still lacks; `next_deadline` is the next moment at which time alone could change
    something (None: only new facts can). `warning` belongs to the present silence, `warned_at` is when its author got
    it (None: not yet). `unwarned` is a silence that requires a warning and has none: whoever records this decision
    writes it. `number_doubt` is what is doubtful about its number.
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


#: The sides that can disagree with the facts.
SIDES = ("page", "index", "result", "ticket", "release")
#: The grace period in which people can update their pages after a move or an edit, before they are asked to.
DRIFT_GRACE = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One disagreement: who says what, what the facts say, and the edit that would settle it.

    `side` is one of `SIDES`. `derived` is what the facts say instead;
    `evidence` says where and when the side said so, `said_at` since when it has.
    """

    side: str
    says: str
    derived: str
    evidence: str
    fix: str
    said_at: datetime | None = None

    def find_due(self, since: datetime) -> datetime:
        """When people are asked: `DRIFT_GRACE` after the later of the stage's beginning (`since`) and `said_at`."""
        return after(max(since, self.said_at or since), DRIFT_GRACE)

    @property
    def as_ruled(self) -> dict[str, str]:
        """The value of a ruling that acknowledges it."""
        return {"says": str(self.says), "derived": str(self.derived)}

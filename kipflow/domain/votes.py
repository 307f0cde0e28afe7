"""Votes (polls) and the ballots cast in them.

An `Expression` is what the words of a message say. It becomes a `Ballot` when its message belongs to a vote and its
author is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from kipflow.domain.ownperiods import OwnPeriod
from kipflow.domain.people import Doubt, DoubtKind
from kipflow.domain.senders import KnownBy


class Choice(StrEnum):
    """What a voter wants. Fractions keep their sign here and their text in `Expression.value`."""

    FOR = "+1"
    ABSTAIN = "0"
    AGAINST = "-1"


class BallotStatus(StrEnum):
    """Whether a ballot is in the tally, and why not."""

    COUNTED = "counted"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    REVIEW = "review"
    VOID = "void"


class Standing(StrEnum):
    """How sure the reading of an expression is, without knowledge of its thread."""

    CLEAR = "clear"
    UNCLEAR = "unclear"
    WITHDRAWAL = "withdrawal"
    HINT = "hint"  # may be a vote in words: asked about unless its author has the same vote
    DOUBT = "doubt"  # may change or take back a vote: asked about if its author has one
    LEANING = "leaning"  # for or against, and casts nothing: asked about if its author's vote is the other one
    QUOTED = "quoted"  # in a quotation or the subject: asked about if nobody wrote it before

    @property
    def is_tentative(self) -> bool:
        """Whether it becomes a question only because of its author's other expressions."""
        return self not in {Standing.CLEAR, Standing.UNCLEAR, Standing.WITHDRAWAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """What one line of an author's own words says about a vote.

    `value` keeps what was written ("-0.9"); `rule` names the reading rule that fired on `line`;
    `why` says what a person must settle when `standing` is unclear.
    """

    choice: Choice | None
    value: str
    claimed_binding: bool | None
    line: str
    rule: str
    standing: Standing = Standing.CLEAR
    why: str = ""

    def as_question(self, rule: str, why: str) -> Expression:
        """The expression as a question to a person, by this rule."""
        return replace(self, rule=rule, standing=Standing.UNCLEAR, why=why)


def drop_leanings(expressions: Iterable[Expression]) -> tuple[Expression, ...]:
    """The expressions without leanings."""
    return tuple(e for e in expressions if e.standing is not Standing.LEANING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One voter's expression in one message, as judged within its vote.

    `voter` is the roster's id, else the address in lower case. `binding` is by roster at `cast_at`;
    `claimed_binding` is what the voter wrote (None: nothing). `known_by` says how its sender is known. `dated_at` is
    when the voter's mail says that it was written, `arrived_from` what says when it arrived (`Message`).
    `is_ruled`: a person said what it votes.
    """

    voter: str
    name: str
    address: str
    choice: Choice | None
    value: str
    binding: bool
    claimed_binding: bool | None
    cast_at: datetime
    message_id: str
    line: str
    rule: str
    status: BallotStatus
    why: str = ""
    known_by: KnownBy = KnownBy.UNKNOWN
    dated_at: datetime | None = None
    arrived_from: str = ""
    is_ruled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a closing announcement says. Counts are None where it does not give them.

    `outcome` is "passed", "failed", "cancelled" or None. `binding`, `non_binding` map "+1", "0", "-1"
    to the announced numbers; `total` holds counts announced without a split.
    `contradictions` lists where the announcement disagrees with itself (number against names). `unclear` is a sentence
    that may end the vote and is not understood: such an announcement ends nothing, a person is asked. `corrects`: the
    mail calls itself a correction; `only_denies`: it only takes back an earlier announcement. Revised by a later mail,
    it applies from `revised_at` on; until then `before` does.
    """

    by: str
    message_id: str
    announced_at: datetime | None
    outcome: str | None
    binding: dict[str, int] | None = None
    non_binding: dict[str, int] | None = None
    total: dict[str, int] | None = None
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    line: str = ""
    contradictions: tuple[str, ...] = ()
    unclear: str = ""
    corrects: bool = False
    only_denies: bool = False
    revised_at: datetime | None = None
    before: Declared | None = None

    @property
    def counts(self) -> bool:
        """Whether it gives any number of votes."""
        return bool(self.binding or self.non_binding or self.total)

    @property
    def closes_at(self) -> datetime | None:
        """When it closed the vote; None for one that is not understood."""
        return None if self.unclear and self.outcome is None else self.announced_at

    def as_of(self, moment: datetime) -> Declared | None:
        """What was announced by `moment`; None if nothing was."""
        since = self.revised_at or self.announced_at
        if since is None or since <= moment:
            return self
        return self.before.as_of(moment) if self.before is not None else None


def states_end(declared: Declared | None) -> bool:
    """Whether a mail may announce an end, and does not only take back an earlier announcement."""
    return declared is not None and not declared.only_denies


class EndKind(StrEnum):
    """What a mail claims about a vote: result announced, called off, replaced by the sender's own round, or opened."""

    CLOSED = "closed"
    CANCELLED = "cancelled"
    REPLACED = "replaced"
    CALLED = "called"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedEnd:
    """An end (or opening) of a vote by somebody not known to be entitled to it: shown and asked about, not applied.

    `why` says what is missing. `waits`: the sender may be entitled, so nothing is accepted while it is open. `declared`
    is what it announces. `settled_at` is when a ruling settled it (None: open), `accepted` what was ruled.
    """

    kind: EndKind
    by: str
    address: str
    message_id: str
    at: datetime
    line: str
    why: str
    waits: bool = False
    declared: Declared | None = None
    settled_at: datetime | None = None
    accepted: bool = False

    def is_settled(self, at: datetime) -> bool:
        return self.settled_at is not None and self.settled_at <= at


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One round of one poll, from its opening mail to its end.

    `ballots` are in order of `cast_at` with their status judged. `ended_at` is set when the round was cancelled by its
    caller, replaced by the next round or refused by a person (`ended_how`). `root_missing`: the opening mail is not
    held, so other mails may be missing too, and the vote can't be called passed or failed. `doubts` are mailboxes among
    its voters that may be one person's. In a judged vote these are the open ones, and `before_doubts` are the ballots
    before the latest of each voter was chosen. `crowded` says why not all doubts are listed: nothing is decided until a
    person has settled some (empty: all are listed). `claimed_ends` are ends by people not entitled; `contested` is its
    own doubtful opening. `dated_at` and `declared_dated_at` are the Dates of its opening and
    announcement; `opened_from` is as `Message.arrived_from`. `own_periods` are its caller's own voting periods.
    """

    key: str
    proposal: int | None
    round: int
    list_id: str
    subject: str
    root_message_id: str
    opened_by: str
    opened_by_address: str
    opened_at: datetime
    ballots: tuple[Ballot, ...] = ()
    declared: Declared | None = None
    ended_at: datetime | None = None
    ended_how: str | None = None
    ended_message_id: str | None = None
    root_missing: bool = False
    doubts: tuple[Doubt, ...] = ()
    before_doubts: tuple[Ballot, ...] = ()
    crowded: str = ""
    claimed_ends: tuple[ClaimedEnd, ...] = ()
    contested: ClaimedEnd | None = None
    opened_from: str = ""
    dated_at: datetime | None = None
    declared_dated_at: datetime | None = None
    own_periods: tuple[OwnPeriod, ...] = ()

    def is_over(self, at: datetime) -> bool:
        return self.ended_at is not None and self.ended_at <= at

    @property
    def is_held(self) -> bool:
        """Whether an open question about its end or opening keeps the vote from being decided."""
        return self.contested is not None or any(
            e.waits and e.settled_at is None and e.kind is not EndKind.CLOSED for e in self.claimed_ends
        )

    @property
    def is_proper(self) -> bool:
        """Whether its opening is valid: neither in question nor refused."""
        return self.contested is None and self.ended_how != "refused"

    @property
    def doubted_mails(self) -> frozenset[str]:
        """The mails under review because their sender may be somebody whose vote binds."""
        return frozenset(mail for doubt in self.doubts if doubt.kind is DoubtKind.SENDER for mail in doubt.binds)

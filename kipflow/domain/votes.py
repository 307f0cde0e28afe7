"""Votes (polls), the ballots cast in them, and which of a voter's ballots stands.

A `Ballot` is one voter's expression in one message. What the words of a message say is an
`Expression`; it becomes a ballot when its message belongs to a vote and its author is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from kipflow.domain.arrivals import is_far
from kipflow.domain.identities import Doubt, DoubtKind
from kipflow.domain.roster import say_mailbox
from kipflow.domain.senders import KnownBy


class Choice(StrEnum):
    """What a voter wants. Fractions keep their sign here and their text in `Expression.value`."""

    FOR = "+1"
    ABSTAIN = "0"
    AGAINST = "-1"


class BallotStatus(StrEnum):
    """Why a ballot is in the tally or is not."""

    COUNTED = "counted"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    REVIEW = "review"
    VOID = "void"


class Standing(StrEnum):
    """How sure the reading of an expression is, before anything is known of its thread."""

    CLEAR = "clear"
    UNCLEAR = "unclear"
    WITHDRAWAL = "withdrawal"
    #: may be a vote told in words: asked about unless its author has the same vote
    HINT = "hint"
    #: may change or take back a vote: asked about if its author has one
    DOUBT = "doubt"

    @property
    def is_faint(self) -> bool:
        """Whether it is asked about only for what else its author says."""
        return self in {Standing.HINT, Standing.DOUBT}


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
        """The same, put to a person by this rule."""
        return replace(self, rule=rule, standing=Standing.UNCLEAR, why=why)


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
    """What a closing announcement says. Counts are None where it does not tell them.

    `outcome` is "passed", "failed", "cancelled" or None. `binding`, `non_binding` map "+1", "0", "-1"
    to the announced numbers; `total` holds counts announced without a split.
    `contradictions` lists where the announcement disagrees with itself (number against names). `unclear` is a
    sentence that may end the vote and is not understood: such an announcement ends nothing, a person is asked.
    `corrects` says that the mail calls itself a correction. What a later mail made of an announcement holds from
    `revised_at` on; until then, `before` does.
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
    revised_at: datetime | None = None
    before: Declared | None = None

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


class EndKind(StrEnum):
    """What somebody says has become of a vote: announced, called off, or followed by a round of their own."""

    CLOSED = "closed"
    CANCELLED = "cancelled"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedEnd:
    """An end of a vote that came from nobody who is known to be entitled to it: shown and asked, not obeyed.

    `why` says what is missing. `waits`: it may be from somebody entitled, so no acceptance goes past it. `declared`
    is what it announces. `settled_at` is when a person's word settled it (None: open), `accepted` what that word is.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One round of one poll, from its opening mail to its end.

    `ballots` are in order of `cast_at` with their status judged. `ended_at` is set when the round was
    cancelled by its caller, replaced by the next round or refused by a person (`ended_how`).
    `root_missing` says that the opening mail is not held: mails before the first one seen may be
    missing too, and the vote can't be called passed or failed. `doubts` are mailboxes among its voters
    that may be one person's; in a judged vote only those that nobody has settled, and `heard` then
    are its ballots as they were before one of each voter was let stand. `crowded` says why not all such doubts
    are listed: then nothing can be decided until a person has settled some (empty: all are). `claimed_ends` are
    those that nobody entitled gave it, `contested` is the one by which this round would replace one that runs.
    `dated_at` and `declared_dated_at` are what the senders of its opening and of its announcement claim,
    `opened_from` what says when it was opened.
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
    last_message_at: datetime | None = None
    root_missing: bool = False
    doubts: tuple[Doubt, ...] = ()
    heard: tuple[Ballot, ...] = ()
    crowded: str = ""
    claimed_ends: tuple[ClaimedEnd, ...] = ()
    contested: ClaimedEnd | None = None
    opened_from: str = ""
    dated_at: datetime | None = None
    declared_dated_at: datetime | None = None

    @property
    def is_held(self) -> bool:
        """Whether an end or a beginning by somebody unproven is open, past which nothing is decided."""
        return self.contested is not None or any(
            e.waits and e.settled_at is None and e.kind is not EndKind.CLOSED for e in self.claimed_ends
        )

    @property
    def claimed_mails(self) -> frozenset[str]:
        """The mails under review because their sender claims to be somebody whose vote would bind."""
        return frozenset(mail for doubt in self.doubts if doubt.kind is DoubtKind.SENDER for mail in doubt.binds)

    def earliest_close(self, period: timedelta) -> datetime:
        """The first moment at which this round may be closed."""
        return self.opened_at + period


def find_announcements(vote: Vote) -> list[datetime]:
    """When the vote's result was announced, and when that was revised, the latest first."""
    found: list[datetime] = []
    declared = vote.declared
    while declared is not None:
        since = declared.revised_at or declared.announced_at
        found.extend([since] if since is not None else [])
        declared = declared.before
    return found


def with_latest_standing(ballots: Iterable[Ballot]) -> tuple[Ballot, ...]:
    """Judge which ballot of each voter stands: the latest clear one, unless withdrawn later.

    An unclear later ballot does not displace an earlier clear one: it waits for a person beside it. An
    unclear earlier one is settled by the voter's own later word.
    Ballots already void stay void. Order of input does not matter.
    """
    ordered = sorted(ballots, key=lambda b: (b.cast_at, b.message_id))
    standing: dict[str, int] = {}
    waiting: dict[str, int] = {}
    judged: list[Ballot] = []
    for ballot in ordered:
        index = len(judged)
        if ballot.status in _SPEAKS and ballot.voter in waiting:
            earlier = waiting.pop(ballot.voter)
            judged[earlier] = replace(judged[earlier], status=BallotStatus.SUPERSEDED)
        if ballot.status is BallotStatus.COUNTED:
            if ballot.voter in standing:
                earlier = standing[ballot.voter]
                judged[earlier] = replace(judged[earlier], status=BallotStatus.SUPERSEDED)
            standing[ballot.voter] = index
        elif ballot.status is BallotStatus.WITHDRAWN and ballot.voter in standing:
            earlier = standing.pop(ballot.voter)
            judged[earlier] = replace(judged[earlier], status=BallotStatus.WITHDRAWN)
        elif ballot.status is BallotStatus.REVIEW:
            waiting[ballot.voter] = index
        judged.append(ballot)
    return tuple(judged)


def ask_for_senders(ballots: Iterable[Ballot], doubts: Iterable[Doubt]) -> tuple[Ballot, ...]:
    """The ballots, those under review whose senders claim to be somebody whose vote would bind."""
    asked = {mail: doubt for doubt in doubts if doubt.kind is DoubtKind.SENDER for mail in doubt.binds}
    return tuple(_ask_for_sender(b, asked[b.message_id]) if b.message_id in asked else b for b in ballots)


def _ask_for_sender(ballot: Ballot, doubt: Doubt) -> Ballot:
    status = ballot.status if ballot.status is BallotStatus.VOID else BallotStatus.REVIEW
    return replace(ballot, voter=doubt.one_voter, binding=False, status=status, why=say_doubt(doubt))


def say_doubt(doubt: Doubt) -> str:
    """The question with what speaks for it."""
    if doubt.kind is DoubtKind.SENDER:
        return f"{say_mailbox(doubt.one)} {doubt.why}: is this {doubt.other.name}?"
    return f"are {say_mailbox(doubt.one)} and {say_mailbox(doubt.other)} the same person? ({doubt.why})"


_SPEAKS = frozenset({BallotStatus.COUNTED, BallotStatus.WITHDRAWN, BallotStatus.REVIEW})


def judge(vote: Vote, as_of: datetime, *, earliest_close: datetime | None = None) -> Vote:
    """The vote as it stood at `as_of`: later mail unseen, late ballots void, one ballot per voter.

    `vote.ballots` must be as read (not judged before). A ballot cast after the closing announcement,
    or after the round was cancelled or replaced, is void; but an announcement before `earliest_close`
    takes nobody's right to vote until then. An unclear announcement closes nothing.
    """
    vote = _obey_accepted(vote, as_of)
    declared = vote.declared.as_of(as_of) if vote.declared is not None else None
    ended = vote.ended_at is not None and vote.ended_at <= as_of
    close = find_close(vote, as_of, earliest_close=earliest_close)
    kept: list[Ballot] = []
    for ballot in vote.ballots:
        if ballot.cast_at > as_of:
            continue
        # a person who counts what arrived late and is dated before the close says that it was cast in time
        if close is not None and ballot.cast_at > close and not (ballot.is_ruled and claims_in_time(ballot, close)):
            why = "; ".join(filter(None, ("cast after the close", ballot.why)))
            ballot = replace(ballot, status=BallotStatus.VOID, why=why)
        kept.append(ballot)
    open_doubts = [d for d in vote.doubts if d.settled_at is None or d.settled_at > as_of]
    judged = with_latest_standing(ask_for_senders(kept, open_doubts))
    if ended:
        judged = tuple(replace(b, status=BallotStatus.VOID, why=f"the round was {vote.ended_how}") for b in judged)
    doubts = _find_heard(open_doubts, judged)
    return replace(
        vote,
        ballots=judged,
        declared=declared,
        ended_at=vote.ended_at if ended else None,
        ended_how=vote.ended_how if ended else None,
        ended_message_id=vote.ended_message_id if ended else None,
        doubts=doubts,
        heard=tuple(kept) if doubts else (),
    )


def _obey_accepted(vote: Vote, as_of: datetime) -> Vote:
    """The vote with the ends that a person's word had made good by then; of the others only what was known."""
    known = [e if _is_settled(e, as_of) else replace(e, settled_at=None) for e in vote.claimed_ends if e.at <= as_of]
    contested = vote.contested
    vote = replace(vote, claimed_ends=tuple(known), contested=None)
    for end in known:
        over = vote.ended_at is not None and vote.ended_at <= end.at
        if end.settled_at is None or not end.accepted or over:
            continue
        if end.kind is not EndKind.CLOSED:
            vote = replace(vote, ended_at=end.at, ended_how=str(end.kind), ended_message_id=end.message_id)
        elif end.declared is not None and vote.declared is None:
            vote = replace(vote, declared=replace(end.declared, announced_at=end.at))
    if contested is None or (_is_settled(contested, as_of) and contested.accepted):
        return vote
    if _is_settled(contested, as_of):  # a round that a person refused never was one
        return replace(vote, ended_at=contested.at, ended_how="refused", ended_message_id=contested.message_id)
    return replace(vote, contested=replace(contested, settled_at=None))


def _is_settled(end: ClaimedEnd, at: datetime) -> bool:
    return end.settled_at is not None and end.settled_at <= at


def claims_in_time(ballot: Ballot, close: datetime) -> bool:
    """Whether a ballot arrived after the close, and its sender dates it well before."""
    dated = ballot.dated_at
    return dated is not None and dated <= close < ballot.cast_at and is_far(ballot.cast_at, dated)


def find_close(vote: Vote, as_of: datetime, *, earliest_close: datetime | None = None) -> datetime | None:
    """From when on ballots came too late, as known at `as_of`; None: they don't yet."""
    if vote.ended_at is not None and vote.ended_at <= as_of:
        return vote.ended_at
    declared = vote.declared.as_of(as_of) if vote.declared is not None else None
    announced = declared.closes_at if declared is not None else None
    if announced is None:
        return None
    return announced if earliest_close is None else max(announced, earliest_close)


def _find_heard(doubts: Iterable[Doubt], judged: Iterable[Ballot]) -> tuple[Doubt, ...]:
    """The doubts about mails whose ballots have a say."""
    heard = {b.message_id for b in judged if b.status is not BallotStatus.VOID}
    return tuple(replace(d, settled_at=None) for d in doubts if not heard.isdisjoint(d.mails))

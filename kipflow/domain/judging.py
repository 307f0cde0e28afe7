"""The state of a vote at a moment: which ballots count, which ends apply, and how doubts could be settled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice, product
from math import prod

from kipflow.domain.people import Doubt, DoubtKind, say_mailbox
from kipflow.domain.votes import Ballot, BallotStatus, Declared, EndKind, Vote


def states_outcome(declared: Declared | None) -> bool:
    """Whether a mail announces an outcome that is understood."""
    return declared is not None and declared.outcome is not None


def find_announcements(vote: Vote) -> list[datetime]:
    """When the vote's result was announced and revised, the latest first."""
    found: list[datetime] = []
    declared = vote.declared
    while declared is not None:
        since = declared.revised_at or declared.announced_at
        found.extend([since] if since is not None else [])
        declared = declared.before
    return found


def with_latest_standing(ballots: Iterable[Ballot]) -> tuple[Ballot, ...]:
    """Judge which ballot of each voter counts: the latest clear one, unless withdrawn later.

    An unclear later ballot does not replace an earlier clear one: both are kept until a person rules. An unclear
    earlier one is settled by the voter's own later ballot. Ballots already void stay void. Order of input does not
    matter.
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
    """The ballots; those whose senders may be somebody with a binding vote are put under review."""
    asked = {mail: doubt for doubt in doubts if doubt.kind is DoubtKind.SENDER for mail in doubt.binds}

    def ask(ballot: Ballot) -> Ballot:
        doubt = asked.get(ballot.message_id)
        if doubt is None:
            return ballot
        status = ballot.status if ballot.status is BallotStatus.VOID else BallotStatus.REVIEW
        return replace(ballot, voter=doubt.one_voter, binding=False, status=status, why=say_doubt(doubt))

    return tuple(map(ask, ballots))


def say_doubt(doubt: Doubt) -> str:
    """The doubt as a question, with its reason."""
    if doubt.kind is DoubtKind.SENDER:
        return f"{say_mailbox(doubt.one)} {doubt.why}: is this {doubt.other.name}?"
    return f"are {say_mailbox(doubt.one)} and {say_mailbox(doubt.other)} the same person? ({doubt.why})"


_SPEAKS = frozenset({BallotStatus.COUNTED, BallotStatus.WITHDRAWN, BallotStatus.REVIEW})


def judge(vote: Vote, as_of: datetime, *, earliest_close: datetime | None = None) -> Vote:
    """The vote as it stood at `as_of`: later mail unseen, late ballots void, one ballot per voter.

    `vote.ballots` must be as read (not judged before). A ballot cast after the closing announcement,
    or after the round was cancelled or replaced, is void; but an announcement before `earliest_close`
    does not shorten the voting period. An unclear announcement closes nothing.
    """
    vote = _apply_accepted(vote, as_of)
    declared = vote.declared.as_of(as_of) if vote.declared is not None else None
    close = find_close(vote, as_of, earliest_close=earliest_close)
    kept: list[Ballot] = []
    for ballot in vote.ballots:
        if ballot.cast_at > as_of:
            continue
        # a ruling that counts a late ballot dated before the close says that it was cast in time
        if close is not None and ballot.cast_at > close and not (ballot.is_ruled and is_dated_in_time(ballot, close)):
            why = "; ".join(filter(None, ("cast after the close", ballot.why)))
            ballot = replace(ballot, status=BallotStatus.VOID, why=why)
        kept.append(ballot)
    open_doubts = [d for d in vote.doubts if d.settled_at is None or d.settled_at > as_of]
    judged = with_latest_standing(ask_for_senders(kept, open_doubts))
    if vote.is_over(as_of):
        judged = tuple(replace(b, status=BallotStatus.VOID, why=f"the round was {vote.ended_how}") for b in judged)
    else:
        vote = reopen(vote)
    doubts = _find_heard(open_doubts, judged)
    return replace(
        vote,
        ballots=judged,
        declared=declared,
        doubts=doubts,
        before_doubts=tuple(kept) if doubts else (),
    )


def reopen(vote: Vote) -> Vote:
    """The vote as if nothing had called it off or replaced it."""
    return replace(vote, ended_at=None, ended_how=None, ended_message_id=None)


def _apply_accepted(vote: Vote, as_of: datetime) -> Vote:
    """The vote with the ends accepted by then applied; of the other claimed ends only what was known then."""
    known = [e if e.is_settled(as_of) else replace(e, settled_at=None) for e in vote.claimed_ends if e.at <= as_of]
    contested = vote.contested
    vote = replace(vote, claimed_ends=tuple(known), contested=None)
    for end in known:
        over = vote.is_over(end.at)
        revives = over and end.kind is EndKind.CLOSED and vote.ended_how == "cancelled"
        if end.settled_at is None or not end.accepted or (over and not revives):
            continue
        if revives:  # the vote went on, though it was called off
            vote = reopen(vote)
        if end.kind is not EndKind.CLOSED:
            vote = replace(vote, ended_at=end.at, ended_how=str(end.kind), ended_message_id=end.message_id)
        elif end.declared is not None and vote.declared is None:
            vote = replace(vote, declared=replace(end.declared, announced_at=end.at))
    if contested is None or (contested.is_settled(as_of) and contested.accepted):
        return vote
    if contested.is_settled(as_of):  # a refused opening: there never was such a round
        return replace(vote, ended_at=contested.at, ended_how="refused", ended_message_id=contested.message_id)
    return replace(vote, contested=replace(contested, settled_at=None))


def is_dated_in_time(ballot: Ballot, close: datetime) -> bool:
    """Whether a ballot arrived after the close but is dated before it; minutes apart if both mails crossed."""
    return ballot.dated_at is not None and ballot.dated_at <= close < ballot.cast_at


def find_close(vote: Vote, as_of: datetime, *, earliest_close: datetime | None) -> datetime | None:
    """After which moment ballots are too late, as known at `as_of`; None: the vote is not closed."""
    if vote.is_over(as_of):
        return vote.ended_at
    declared = vote.declared.as_of(as_of) if vote.declared is not None else None
    announced = declared.closes_at if declared is not None else None
    if announced is None:
        return None
    return announced if earliest_close is None else max(announced, earliest_close)


def _find_heard(doubts: Iterable[Doubt], judged: Iterable[Ballot]) -> tuple[Doubt, ...]:
    """The doubts about mails with a ballot that is not void."""
    counted = {b.message_id for b in judged if b.status is not BallotStatus.VOID}
    return tuple(replace(d, settled_at=None) for d in doubts if not counted.isdisjoint(d.mails))


#: Ways to settle a vote's doubts that are tried one by one. Above that, a person must settle some doubts first.
MAX_SETTLEMENTS = 64


#: The mails that a doubt is about: each such group has one answer.
_Asked = tuple[str, tuple[str, ...]]


def _find_asked(doubt: Doubt) -> _Asked:
    return doubt.one_voter, doubt.mails


def _list_options(vote: Vote) -> dict[_Asked, list[Doubt | None]]:
    """Group of mails → its possible authors: the voter it shows (None), or one of the people it may be from.

    Only doubts that touch binding ballots are listed: no other can change an outcome.
    """
    options: dict[_Asked, list[Doubt | None]] = {}
    for doubt in vote.doubts:
        if doubt.binds:
            options.setdefault(_find_asked(doubt), [None]).append(doubt)
    return options


def count_settlements(vote: Vote) -> int:
    """The number of ways to settle the doubts about binding ballots."""
    return prod(map(len, _list_options(vote).values()))


def list_settlements(vote: Vote) -> Iterator[Vote]:
    """The vote judged anew for each way to settle its doubts: at most `MAX_SETTLEMENTS`."""
    options = _list_options(vote)
    if not options:
        yield vote
        return
    for way in islice(product(*options.values()), MAX_SETTLEMENTS):
        yield _settle(vote, dict(zip(options, way, strict=True)))


def settle_one(vote: Vote, doubt: Doubt, *, same: bool) -> Vote:
    """The judged vote with one doubt settled, the others as they are."""
    return _settle(vote, {_find_asked(doubt): doubt if same else None}, only=doubt)


def _settle(vote: Vote, way: Mapping[_Asked, Doubt | None], *, only: Doubt | None = None) -> Vote:
    """The vote with each mail in doubt assigned to one voter, and one ballot of each voter counted."""
    owner: dict[str, tuple[str, bool]] = {}
    for doubt in vote.doubts:
        if _find_asked(doubt) in way and (only is None or doubt == only):
            owner.update((mail, (doubt.one_voter, False)) for mail in doubt.mails)
    for chosen in way.values():
        if chosen is not None:
            owner.update((mail, (chosen.other_voter, mail in chosen.binds)) for mail in chosen.mails)
    ballots = []
    for ballot in vote.before_doubts:
        if ballot.message_id in owner:
            voter, binding = owner[ballot.message_id]
            ballot = replace(ballot, voter=voter, binding=binding)
        ballots.append(ballot)
    left = () if only is None else [d for d in vote.doubts if _find_asked(d) != _find_asked(only)]
    return replace(vote, ballots=with_latest_standing(ask_for_senders(ballots, left)), doubts=(), before_doubts=())

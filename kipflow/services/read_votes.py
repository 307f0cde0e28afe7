"""`kipflow votes`: every vote in some mail files, with ballots and evidence. No database."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from kipflow.domain.arrivals import UNRECORDED
from kipflow.domain.differences import compare_without_roster, find_differences, find_late_ballots
from kipflow.domain.facts import Message, Unreadable, VoteMail
from kipflow.domain.judging import find_close, judge
from kipflow.domain.ownperiods import find_period_end
from kipflow.domain.people import Doubt
from kipflow.domain.policy import Policy, Reading
from kipflow.domain.roster import Roster
from kipflow.domain.sameids import is_other_mail, name_apart
from kipflow.domain.senders import KnownBy
from kipflow.domain.tally import Outcome, Tally, count, find_outcome, find_possible_outcomes, say_ways
from kipflow.domain.times import render_machine_time
from kipflow.domain.votes import Vote, states_end
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.mail.lazy import LazyMessage
from kipflow.mail.threads import Threads, read_threads
from kipflow.services.explaining import PassedOver, find_passed_over


class VotingCommunity(Protocol):
    """The part of a community's configuration that reading votes needs."""

    @property
    def prefix(self) -> str: ...
    @property
    def keyed_by(self) -> str: ...
    @property
    def lists(self) -> tuple[str, ...]: ...
    @property
    def reading(self) -> Reading: ...
    def as_policy(self) -> Policy: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteReading:
    """One round, judged at the report's time; each of `doubts` with the outcomes that depend on it.

    `read_until` is the time of the newest mail of its list: later votes may be missing.
    """

    vote: Vote
    tally: Tally
    outcome: Outcome
    earliest_close: datetime
    differences: tuple[str, ...]
    possible: tuple[Outcome, ...]
    read_until: datetime
    doubts: tuple[tuple[Doubt, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesReport:
    """All votes in what was read. `messages_read` counts each mail once, however many copies there are.

    `as_of` is when the votes are judged; None if no mail has a time. `opened_later` is when the first later vote was
    opened. `claimed` counts mails without a recorded arrival, for which their Date is used.
    """

    as_of: datetime | None
    messages_read: int
    unreadable: tuple[Unreadable, ...]
    votes: tuple[VoteReading, ...]
    opened_later: datetime | None = None
    claimed: int = 0
    passed_over: tuple[PassedOver, ...] = ()

    @property
    def is_lacking(self) -> bool:
        """Whether a mail may be missing: a file was cut, or a mail of it could not be read."""
        return any(unread.lost for unread in self.unreadable)

    @property
    def knows_somebody(self) -> bool:
        """Whether the roster has any of the voters; if not, nothing binds."""
        return any(_has_known_voter(reading.vote) for reading in self.votes)


def read_votes(
    paths: Sequence[Path],
    *,
    community: VotingCommunity,
    roster: Roster,
    as_of: datetime | None = None,
    on_mail: Callable[[int], None] | None = None,
    explained: bool = False,
) -> VotesReport:
    """Read every mail under `paths` (mbox, maildir, .eml, Pony Mail JSON, folders of these) and find the votes in them.

    They are judged at `as_of`; None: the time of the newest mail. `on_mail` gets the number of mails read so far.
    `explained`: also find why lines that look like votes are none.
    """
    messages, unreadable = _read(paths, community, on_mail)
    policy = community.as_policy()
    threads = read_threads(messages, roster, policy, prefix=community.prefix, keyed_by=community.keyed_by)
    # a reply with a wrong clock does not shift it
    read_until: dict[str, datetime] = {}
    for message in messages:
        if message.arrived_at is not None:
            at = threads.times[message.message_id]
            read_until[message.list_id] = max(at, read_until.get(message.list_id, at))
    moment = as_of if as_of is not None else max(read_until.values(), default=None)
    readings: list[VoteReading] = []
    later: datetime | None = None
    if moment is not None:
        readings = [
            _judge(vote, roster, policy, moment, read_until.get(vote.list_id, moment))
            for vote in threads.votes
            if vote.opened_at <= moment
        ]
        later = min((vote.opened_at for vote in threads.votes if vote.opened_at > moment), default=None)
    return VotesReport(
        as_of=moment,
        messages_read=len(messages),
        unreadable=tuple(unreadable),
        votes=tuple(readings),
        opened_later=later,
        claimed=sum(message.arrived_from in UNRECORDED for message in messages),
        passed_over=find_passed_over(_find_vote_mails(messages, readings, threads)) if explained else (),
    )


def _find_vote_mails(
    messages: Sequence[Message], readings: Sequence[VoteReading], threads: Threads
) -> Iterator[VoteMail]:
    """The mails in the threads of votes, in order of time."""
    in_thread = {reading.vote.root_message_id for reading in readings}
    for message in sorted(messages, key=lambda m: (threads.times[m.message_id], m.message_id)):
        if threads.parents.get(message.message_id) in in_thread or message.message_id in in_thread:
            in_thread.add(message.message_id)
            yield VoteMail(
                message_id=message.message_id,
                author=message.author_name or message.author_address,
                own_text=message.own_text,
                announces=states_end(message.declared),
            )


#: The number of newest mails whose headers are kept, for a copy from another archive.
_AT_HAND = 1_000


def _read(
    paths: Iterable[Path], community: VotingCommunity, on_mail: Callable[[int], None] | None
) -> tuple[list[Message], list[Unreadable]]:
    """Each mail once. Two different mails with one id are both kept, and reported."""
    messages: dict[str, Message] = {}
    unreadable: list[Unreadable] = []
    read = 0
    lately: deque[LazyMessage] = deque()
    how = FileReading(
        list_id=community.lists[0],
        month="",
        list_from_headers=True,
        keep_cut=True,
        lazy=True,
        **community.reading,
    )
    for item in read_path(*paths, how=how):
        read += 1
        if on_mail is not None:
            on_mail(read)
        if isinstance(item, Unreadable):
            unreadable.append(item)
            continue
        if isinstance(item, LazyMessage):
            lately.append(item)
            if len(lately) > _AT_HAND:
                lately.popleft().forget_headers()
        known = messages.setdefault(item.message_id, item)
        if known is item and isinstance(item, LazyMessage):
            item.read_vote()
        elif known is not item and is_other_mail(known, item):
            why = f"has the Message-ID {item.message_id} of another mail ({known.source}); both are read"
            unreadable.append(Unreadable(source=item.source, why=why, list_id=item.list_id, month=item.month))
            apart = name_apart(item)
            messages.setdefault(apart.message_id, apart)
    return list(messages.values()), unreadable


def _judge(vote: Vote, roster: Roster, policy: Policy, as_of: datetime, read_until: datetime) -> VoteReading:
    earliest_close = find_period_end(vote, policy.voting_period, as_of)
    judged = judge(vote, as_of, earliest_close=earliest_close)
    outcome = find_outcome(judged, policy, as_of)
    is_comparable = roster.people and (_has_known_voter(judged) or not judged.ballots)
    compare = find_differences if is_comparable else compare_without_roster
    return VoteReading(
        vote=judged,
        tally=count(judged.ballots),
        outcome=outcome,
        earliest_close=earliest_close,
        differences=(
            *_compare_outcomes(judged, outcome, earliest_close),
            *compare(judged),
            *_find_late(judged, policy, as_of, earliest_close),
        ),
        possible=find_possible_outcomes(judged, policy, as_of),
        read_until=read_until,
        doubts=tuple((d, say_ways(judged, d, policy)) for d in judged.doubts),
    )


def _has_known_voter(vote: Vote) -> bool:
    return any(ballot.known_by is not KnownBy.UNKNOWN for ballot in vote.ballots)


_AGAINST_ANNOUNCED = {
    "passed": {Outcome.SHORT, Outcome.FAILED, Outcome.CONTESTED},
    "failed": {Outcome.PASSED, Outcome.PASSING},
}


def _compare_outcomes(vote: Vote, outcome: Outcome, earliest_close: datetime) -> Iterator[str]:
    """Differences between the announced outcome and the ballots, or an announcement that was too early."""
    declared = vote.declared
    if declared is not None and declared.unclear:
        yield f'may end the vote, and is not understood: "{declared.unclear}"'
    if declared is None or declared.outcome is None:
        return
    if outcome in _AGAINST_ANNOUNCED[declared.outcome]:
        yield f"announced as {declared.outcome}, but the ballots say {outcome}"
    early = declared.announced_at is not None and declared.announced_at < earliest_close
    if early and not vote.root_missing:  # the time of a missing opening is unknown
        yield f"announced before the period was over, which ends at {render_machine_time(earliest_close)}"


def _find_late(vote: Vote, policy: Policy, as_of: datetime, earliest_close: datetime) -> Iterator[str]:
    """Questions about late ballots dated before the end that would turn the vote."""
    close = find_close(vote, as_of, earliest_close=earliest_close)
    if close is not None and vote.ended_at is None:
        for late in find_late_ballots(vote, close, policy):
            yield "; ".join((late.question, *late.outcomes))

"""`kipflow votes`: every vote in some mail files, with ballots and evidence. No database."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from kipflow.domain.arrivals import CLAIMED, is_far, say_dated
from kipflow.domain.differences import find_differences
from kipflow.domain.ends import say_end
from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.judging import find_close, judge, say_doubt
from kipflow.domain.lateclaims import find_late_claims
from kipflow.domain.namesakes import say_ways
from kipflow.domain.people import Doubt
from kipflow.domain.policy import Policy
from kipflow.domain.records import pick_fields
from kipflow.domain.roster import Roster
from kipflow.domain.sameids import is_other_mail, name_apart
from kipflow.domain.senders import KnownBy
from kipflow.domain.tally import Outcome, Tally, count, find_outcome, find_possible_outcomes
from kipflow.domain.votemails import VoteMail
from kipflow.domain.votes import Ballot, BallotStatus, ClaimedEnd, Declared, Vote
from kipflow.mail.archive import read_path
from kipflow.mail.threads import Threads, read_threads
from kipflow.services.explaining import PassedOver, find_passed_over

SCHEMA = 1
SCHEMA_FILE = Path(__file__).with_name("votes.schema.json")

CSV_COLUMNS = (
    *("key", "round", "list", "subject", "opened_at", "outcome", "voter", "name", "address", "choice", "value"),
    *("binding", "claimed_binding", "cast_at", "status", "rule", "line", "message_id", "known_by"),
)


class VotingCommunity(Protocol):
    """What of a community's configuration reading votes needs."""

    @property
    def prefix(self) -> str: ...
    @property
    def keyed_by(self) -> str: ...
    @property
    def lists(self) -> tuple[str, ...]: ...
    @property
    def receivers(self) -> tuple[str, ...]: ...
    def as_policy(self) -> Policy: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteReading:
    """One round as it stood at the report's time; `doubts` come with the outcomes that depend on them."""

    vote: Vote
    tally: Tally
    outcome: Outcome
    earliest_close: datetime
    differences: tuple[str, ...]
    possible: tuple[Outcome, ...]
    doubts: tuple[tuple[Doubt, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VotesReport:
    """All votes in what was read. `messages_read` counts each mail once, however many copies there are.

    `as_of` is the moment the votes are judged at; None where no mail told a time. `opened_later` is when
    the first of the votes was opened that had not been by then. `claimed` mails have no record of their arrival: the
    senders' dates stand in.
    """

    as_of: datetime | None
    messages_read: int
    unreadable: tuple[Unreadable, ...]
    votes: tuple[VoteReading, ...]
    opened_later: datetime | None = None
    claimed: int = 0
    passed_over: tuple[PassedOver, ...] = ()

    @property
    def knows_somebody(self) -> bool:
        """Whether the roster has any of the voters; else nothing can bind, and what they claim is all there is."""
        return any(b.known_by is not KnownBy.UNKNOWN for reading in self.votes for b in reading.vote.ballots)


def read_votes(
    paths: Sequence[Path],
    *,
    community: VotingCommunity,
    roster: Roster,
    as_of: datetime | None = None,
    on_mail: Callable[[int], None] | None = None,
    explained: bool = False,
) -> VotesReport:
    """Read every mail under `paths` and find the votes in them.

    Args:
        paths: mbox (also gzipped), maildir, .eml, Pony Mail JSON, or folders of these, in any order.
        community: prefix, policy, and the list's address where mails name none.
        roster: who binds; with an empty one no ballot does.
        as_of: the moment to judge at; None: when the newest mail was sent.
        on_mail: told how many mails have been read, after each.
        explained: find also why lines that could be votes are none.
    """
    messages, unreadable = _read(paths, community, on_mail)
    policy = community.as_policy()
    threads = read_threads(messages, roster, policy, prefix=community.prefix, keyed_by=community.keyed_by)
    # a reply with a wrong clock does not move it
    newest = max((threads.times[m.message_id] for m in messages if m.arrived_at is not None), default=None)
    moment = as_of if as_of is not None else newest
    readings: list[VoteReading] = []
    later: datetime | None = None
    if moment is not None:
        readings = [_judge(vote, roster, policy, moment) for vote in threads.votes if vote.opened_at <= moment]
        later = min((vote.opened_at for vote in threads.votes if vote.opened_at > moment), default=None)
    return VotesReport(
        as_of=moment,
        messages_read=len(messages),
        unreadable=tuple(unreadable),
        votes=tuple(readings),
        opened_later=later,
        claimed=sum(message.arrived_from in CLAIMED for message in messages),
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
                announces=message.declared is not None,
            )


def _read(
    paths: Iterable[Path], community: VotingCommunity, on_mail: Callable[[int], None] | None
) -> tuple[list[Message], list[Unreadable]]:
    """Each mail once. Two different mails under one id are both read, and reported."""
    messages: dict[str, Message] = {}
    unreadable: list[Unreadable] = []
    read = 0
    for path in paths:
        items = read_path(
            path,
            list_id=community.lists[0],
            month="",
            prefix=community.prefix,
            list_from_headers=True,
            receivers=community.receivers,
            keep_cut=True,
            late=True,
        )
        for item in items:
            read += 1
            if on_mail is not None:
                on_mail(read)
            if isinstance(item, Unreadable):
                unreadable.append(item)
                continue
            known = messages.setdefault(item.message_id, item)
            if known is not item and is_other_mail(known, item):
                why = f"has the Message-ID {item.message_id} of another mail ({known.source}); both are read"
                unreadable.append(Unreadable(source=item.source, why=why, list_id=item.list_id, month=item.month))
                apart = name_apart(item)
                messages.setdefault(apart.message_id, apart)
    return list(messages.values()), unreadable


def _judge(vote: Vote, roster: Roster, policy: Policy, as_of: datetime) -> VoteReading:
    earliest_close = vote.earliest_close(policy.voting_period)
    judged = judge(vote, as_of, earliest_close=earliest_close)
    outcome = find_outcome(judged, policy, as_of)
    return VoteReading(
        vote=judged,
        tally=count(judged.ballots),
        outcome=outcome,
        earliest_close=earliest_close,
        differences=(
            *_compare_outcomes(judged, outcome, earliest_close),
            *(find_differences(judged) if roster.people else _compare_without_roster(judged)),
            *_find_late(judged, policy, as_of, earliest_close),
        ),
        possible=find_possible_outcomes(judged, policy, as_of),
        doubts=tuple((d, say_ways(judged, d, policy)) for d in judged.doubts),
    )


def _compare_without_roster(vote: Vote) -> Iterator[str]:
    """Differences in all: where nobody is known to bind, the announced groups are said once to be unknown."""
    declared = vote.declared
    if declared is None:
        return
    binding, other = declared.binding or {}, declared.non_binding or {}
    if binding or any("binding" in key for key in declared.names):
        yield "no roster: whose votes bind is not known"
    total = {choice: binding[choice] + other[choice] for choice in binding.keys() & other.keys()}
    names = {
        choice: (*declared.names.get(f"{choice} binding", ()), *declared.names.get(f"{choice} non-binding", ()))
        for choice in ("+1", "0", "-1")
        if {f"{choice} binding", f"{choice} non-binding"} <= declared.names.keys()
    }
    names.update({choice: listed for choice, listed in declared.names.items() if "binding" not in choice})
    together = replace(declared, binding=None, non_binding=None, total={**total, **(declared.total or {})}, names=names)
    yield from find_differences(replace(vote, declared=together))


_AGAINST_ANNOUNCED = {
    "passed": {Outcome.SHORT, Outcome.FAILED, Outcome.CONTESTED},
    "failed": {Outcome.PASSED, Outcome.PASSING},
}


def _compare_outcomes(vote: Vote, outcome: Outcome, earliest_close: datetime) -> Iterator[str]:
    """Where what was announced cannot be what the ballots come to, or was announced too early."""
    declared = vote.declared
    if declared is not None and declared.unclear:
        yield f'may end the vote, and is not understood: "{declared.unclear}"'
    if declared is None or declared.outcome is None:
        return
    if outcome in _AGAINST_ANNOUNCED[declared.outcome]:
        yield f"announced as {declared.outcome}, but the ballots say {outcome}"
    early = declared.announced_at is not None and declared.announced_at < earliest_close
    if early and not vote.root_missing:  # when an unseen opening came is not known
        yield f"announced before the period was over, which ends at {_render_time(earliest_close)}"


def _find_late(vote: Vote, policy: Policy, as_of: datetime, earliest_close: datetime) -> Iterator[str]:
    """Ballots that came too late, are dated before the end, and would turn the vote: a person must say."""
    close = find_close(vote, as_of, earliest_close=earliest_close)
    if close is not None and vote.ended_at is None:
        for claim in find_late_claims(vote, close, policy):
            yield "; ".join((claim.question, *claim.outcomes))


def _say_times(vote: Vote) -> Iterator[str]:
    """What a reader should know of the times: whatever is dated otherwise."""
    if dated := say_dated(vote.opened_at, vote.dated_at):
        yield f"its opening {dated}: the period runs from its arrival"
    announced = vote.declared.announced_at if vote.declared is not None else None
    if announced is not None and (dated := say_dated(announced, vote.declared_dated_at)):
        yield f"its announcement {dated}"


# -- as JSON ---------------------------------------------------------------------------------------
def render_json(report: VotesReport) -> dict[str, Any]:
    """The report as `votes.schema.json` describes it."""
    return {
        "schema": SCHEMA,
        "messages_read": report.messages_read,
        "unreadable": [{"source": u.source, "why": u.why} for u in report.unreadable],
        "votes": [_render_vote(reading) for reading in report.votes],
    }


def _render_vote(reading: VoteReading) -> dict[str, Any]:
    vote = reading.vote
    return {
        "proposal": vote.proposal,
        "key": vote.key,
        "round": vote.round,
        "list": vote.list_id,
        "subject": vote.subject,
        "root_message_id": vote.root_message_id,
        "opened_by": _render_mailbox(vote.opened_by, vote.opened_by_address),
        **pick_fields(vote, "opened_at", "opened_from", "dated_at", write_time=_render_time),
        "earliest_close": _render_time(reading.earliest_close),
        "outcome": str(reading.outcome),
        "possible_outcomes": [str(outcome) for outcome in reading.possible],
        "tally": reading.tally.as_dict(),
        "ballots": [_render_ballot(b) for b in vote.ballots],
        "declared": None if vote.declared is None else _render_declared(vote.declared),
        "differences": list(reading.differences),
        "doubts": [_render_doubt(doubt, ways) for doubt, ways in reading.doubts],
        "times": list(_say_times(vote)),
        "claimed_ends": [_render_end(end) for end in vote.claimed_ends],
        "contested": None if vote.contested is None else _render_end(vote.contested),
    }


def _render_end(end: ClaimedEnd) -> dict[str, Any]:
    return {
        "kind": str(end.kind),
        "by": _render_mailbox(end.by, end.address),
        **pick_fields(end, "message_id", "at", "line", "why", write_time=_render_time),
    }


def _render_doubt(doubt: Doubt, ways: tuple[str, ...]) -> dict[str, Any]:
    return {
        "one": {"voter": doubt.one_voter, "name": doubt.one.name},
        "other": {"voter": doubt.other_voter, "name": doubt.other.name},
        "kind": str(doubt.kind),
        "why": doubt.why,
        "outcomes": list(ways),
    }


def _render_ballot(ballot: Ballot) -> dict[str, Any]:
    who = ("voter", "name", "address", "choice", "value", "binding", "claimed_binding")
    found = ("cast_at", "arrived_from", "dated_at", "message_id", "line", "rule", "status", "why", "known_by")
    return pick_fields(ballot, *who, *found, write_time=_render_time)


def _render_declared(declared: Declared) -> dict[str, Any]:
    return {
        **pick_fields(declared, "by", "message_id", "outcome", "binding", "non_binding", "total"),
        "unclear": declared.unclear or None,
        "corrected_at": None if declared.revised_at is None else _render_time(declared.revised_at),
    }


def _render_mailbox(name: str, address: str) -> str:
    if not address or name == address:
        return name or address
    return f"{name} <{address}>" if name else address


def _render_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# -- as rows ---------------------------------------------------------------------------------------
def render_csv(report: VotesReport) -> str:
    """One line per ballot, for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for reading in report.votes:
        vote = _render_vote(reading)
        for ballot in vote["ballots"]:
            row = {**vote, **ballot}
            writer.writerow([_render_cell(row[column]) for column in CSV_COLUMNS])
    return out.getvalue()


def _render_cell(value: object) -> str:
    text = "" if value is None else str(value)
    # a cell that a spreadsheet would run as a formula comes from a mail; a plain "+1" is harmless
    is_formula = text[:1] in ("=", "@", "\t", "\r") or (text[:1] in ("+", "-") and any(c in text for c in "=|!(@"))
    return f"'{text}" if is_formula else text


#: How differences begin that say nothing where the roster has none of the voters.
_ON_BINDING = ("binding", "non-binding", "announced as", "no roster")


def table_rows(report: VotesReport) -> list[dict[str, str]]:
    """One row per ballot, under its vote's first row; a vote without ballots has one row."""
    rows: list[dict[str, str]] = []
    is_known = report.knows_somebody
    for reading in report.votes:
        head = _table_head(reading, claims=not is_known)
        empty = dict.fromkeys(head, "")
        ballots = [_table_ballot(b) for b in reading.vote.ballots]
        told = [d for d in reading.differences if is_known or not d.startswith(_ON_BINDING)]
        notes = [f"differs: {d}" for d in told]
        notes.extend(_say_times(reading.vote))
        notes.extend("; ".join((say_doubt(doubt), *ways)) for doubt, ways in reading.doubts)
        ends = (*reading.vote.claimed_ends, *((reading.vote.contested,) if reading.vote.contested else ()))
        notes.extend(say_end(end) for end in ends)
        blank = dict.fromkeys(_table_ballot(None), "")
        rows.append({**head, **(ballots[0] if ballots else blank)})
        rows.extend({**empty, **ballot} for ballot in ballots[1:])
        rows.extend({**empty, **blank, "evidence": note} for note in notes)
    return rows


def _table_head(reading: VoteReading, *, claims: bool) -> dict[str, str]:
    """`claims` counts what the voters say of themselves, where the roster has none of them."""
    vote, binds = reading.vote, "claim to bind" if claims else "binding"
    key = vote.key if vote.round == 1 else f"{vote.key} (round {vote.round})"
    claimed = [replace(ballot, binding=ballot.claimed_binding is True) for ballot in vote.ballots]
    tally = count(claimed) if claims else reading.tally
    binding, other = tally.binding, tally.non_binding
    return {
        "vote": key,
        "outcome": _say_outcome(reading),
        f"{binds} +1/0/-1": f"{binding.plus}/{binding.zero}/{binding.minus}",
        "other +1/0/-1": f"{other.plus}/{other.zero}/{other.minus}",
    }


def _say_outcome(reading: VoteReading) -> str:
    if reading.vote.ended_how == "replaced":
        return f"{reading.outcome} (replaced)"  # by its next round or candidate: nobody called it off
    others = [str(outcome) for outcome in reading.possible if outcome is not reading.outcome]
    return f"{reading.outcome} (by review: {' or '.join(others)})" if others else str(reading.outcome)


def _table_ballot(ballot: Ballot | None) -> dict[str, str]:
    if ballot is None:
        return {"voter": "", "known by": "", "choice": "", "status": "", "evidence": ""}
    binding = " (binding)" if ballot.binding else ""
    shown = ballot.status is not BallotStatus.COUNTED or is_far(ballot.cast_at, ballot.dated_at)
    doubt = f" [{ballot.why}]" if ballot.why and shown else ""
    return {
        "voter": ballot.name or ballot.voter,
        "known by": str(ballot.known_by),
        "choice": (ballot.value or ballot.choice or "?") + binding,
        "status": str(ballot.status),
        "evidence": ballot.line + doubt,
    }

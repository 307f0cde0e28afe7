"""The report of `kipflow votes` as JSON and as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from kipflow.domain.arrivals import say_dated
from kipflow.domain.judging import say_doubt, states_outcome
from kipflow.domain.ownperiods import say_longer
from kipflow.domain.people import Doubt, DoubtKind, render_mailbox
from kipflow.domain.records import pick_fields
from kipflow.domain.ruled import list_ends, say_end
from kipflow.domain.tally import Outcome, count
from kipflow.domain.times import render_machine_time, say_moment
from kipflow.domain.votes import Ballot, ClaimedEnd, Declared
from kipflow.services.read_votes import VoteReading, VotesReport

SCHEMA = 1
SCHEMA_FILE = Path(__file__).with_name("votes.schema.json")
CSV_COLUMNS = (
    *("key", "round", "list", "subject", "opened_at", "outcome", "voter", "name", "address", "choice", "value"),
    *("binding", "claimed_binding", "cast_at", "status", "rule", "line", "message_id", "known_by", "why"),
    "reservations",
)
#: of a line that looks like a vote and is none
PASSED_OVER = ("author", "line", "rule", "why", "message_id")
#: "until Friday" ends where that day ends last, at noon of Saturday in UTC: an announcement on Friday is no early one
_NAMED_DAY = timedelta(hours=36)


def _say_times(reading: VoteReading) -> Iterator[str]:
    """Notes on a vote's times: its caller's own period, what called it off, and Dates far from the arrival."""
    vote = reading.vote
    if vote.ended_how == "cancelled":
        yield f"called off by the mail {vote.ended_message_id}"
    if longer := say_longer(vote, reading.earliest_close):
        yield longer
    if dated := say_dated(vote.opened_at, vote.dated_at):
        yield f"its opening {dated}: the period runs from its arrival"
    announced = vote.declared.announced_at if vote.declared is not None else None
    if announced is not None and (dated := say_dated(announced, vote.declared_dated_at)):
        yield f"its announcement {dated}"
    last = max((period.until for period in vote.own_periods), default=None)
    if announced is not None and last is not None and announced < last - _NAMED_DAY:
        yield f"announced before the end that its caller named: {render_machine_time(last)} at the latest"


# -- as JSON ---------------------------------------------------------------------------------------
def render_json(report: VotesReport, *, explained: bool = False) -> dict[str, Any]:
    """The report as `votes.schema.json` describes it; `explained`: with the lines that look like votes and are none."""
    passed_over = {"passed_over": [pick_fields(each, *PASSED_OVER) for each in report.passed_over]}
    return {
        "schema": SCHEMA,
        "messages_read": report.messages_read,
        "unreadable": [pick_fields(unread, "source", "why", "lost") for unread in report.unreadable],
        "votes": [_render_vote(reading, report) for reading in report.votes],
        **(passed_over if explained else {}),
    }


def _render_vote(reading: VoteReading, report: VotesReport) -> dict[str, Any]:
    vote = reading.vote
    return {
        **pick_fields(vote, "proposal", "key", "round"),
        "list": vote.list_id,
        **pick_fields(vote, "subject", "root_message_id"),
        "opened_by": render_mailbox(vote.opened_by, vote.opened_by_address),
        **pick_fields(vote, "opened_at", "opened_from", "dated_at", write_time=render_machine_time),
        "earliest_close": render_machine_time(reading.earliest_close),
        "outcome": str(reading.outcome),
        "possible_outcomes": [str(outcome) for outcome in reading.possible],
        "tally": reading.tally.as_dict(),
        "ballots": [_render_ballot(b) for b in vote.ballots],
        "declared": None if vote.declared is None else _render_declared(vote.declared),
        "differences": list(reading.differences),
        "doubts": [_render_doubt(doubt, ways) for doubt, ways in reading.doubts],
        "times": list(_say_times(reading)),
        "reservations": _list_reservations(reading, report),
        "claimed_ends": [_render_end(end) for end in vote.claimed_ends],
        "contested": None if vote.contested is None else _render_end(vote.contested),
    }


def _render_end(end: ClaimedEnd) -> dict[str, Any]:
    return {
        "kind": str(end.kind),
        "by": render_mailbox(end.by, end.address),
        **pick_fields(end, "message_id", "at", "line", "why", write_time=render_machine_time),
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
    return pick_fields(ballot, *who, *found, write_time=render_machine_time)


def _render_declared(declared: Declared) -> dict[str, Any]:
    return {
        **pick_fields(declared, "by", "message_id", "outcome", "binding", "non_binding", "total"),
        "unclear": declared.unclear or None,
        "corrected_at": None if declared.revised_at is None else render_machine_time(declared.revised_at),
    }


# -- as rows ---------------------------------------------------------------------------------------
def csv_rows(report: VotesReport) -> list[dict[str, Any]]:
    """One row per ballot, with `CSV_COLUMNS` and more."""
    votes = (_render_vote(reading, report) for reading in report.votes)
    return [
        {**vote, **ballot, "reservations": "; ".join(vote["reservations"])}
        for vote in votes
        for ballot in vote["ballots"]
    ]


#: How differences begin that are meaningless if the roster has none of the voters.
_ON_BINDING = ("binding", "non-binding", "announced as", "the roster has none")


def table_rows(report: VotesReport) -> list[dict[str, str]]:
    """One row per ballot, under its vote's first row; a vote without ballots has one row."""
    rows: list[dict[str, str]] = []
    is_known = report.knows_somebody
    for reading in report.votes:
        head = _table_head(reading, report, claims=not is_known)
        empty = dict.fromkeys(head, "")
        ballots = [_table_ballot(b) for b in reading.vote.ballots]
        shown = [d for d in reading.differences if is_known or not d.startswith(_ON_BINDING)]
        declared = reading.vote.declared
        notes = [f"differs: {d}" for d in shown]
        if declared is not None and declared.outcome is not None and not notes:
            notes.append(f"announced as {declared.outcome} by {declared.by}")
        notes.extend(_say_times(reading))
        # a doubt about a sender whose vote may bind stands beside the ballot
        shown_doubts = [(d, w) for d, w in reading.doubts if w or d.kind is not DoubtKind.SENDER or not d.binds]
        notes.extend("; ".join((say_doubt(doubt), *ways)) for doubt, ways in shown_doubts)
        notes.extend(say_end(end) for end in list_ends(reading.vote))
        rows.append({**head, **(ballots[0] if ballots else _NO_BALLOT)})
        rows.extend({**empty, **ballot} for ballot in ballots[1:])
        rows.extend({**empty, **_NO_BALLOT, "evidence": note} for note in notes)
    return rows


def _table_head(reading: VoteReading, report: VotesReport, *, claims: bool) -> dict[str, str]:
    """`claims`: count who claims to bind, as the roster has none of the voters."""
    vote, binds = reading.vote, "claim to bind" if claims else "binding"
    key = vote.key if vote.round == 1 else f"{vote.key} (round {vote.round})"
    claimed = [replace(ballot, binding=ballot.claimed_binding is True) for ballot in vote.ballots]
    tally = count(claimed) if claims else reading.tally
    binding, other = tally.binding, tally.non_binding
    return {
        "vote": key,
        "outcome": _say_outcome(reading, report, is_judged=not claims),
        f"{binds} +1/0/-1": f"{binding.plus}/{binding.zero}/{binding.minus}",
        "other +1/0/-1": f"{other.plus}/{other.zero}/{other.minus}",
    }


def _say_outcome(reading: VoteReading, report: VotesReport, *, is_judged: bool) -> str:
    """The outcome with its reservations; without anybody who binds (not `is_judged`) none is named."""
    outcome = reading.outcome
    if outcome is Outcome.CANCELLED:  # "replaced": by its next round or candidate, and nobody called it off
        return "cancelled (replaced)" if reading.vote.ended_how == "replaced" else "cancelled"
    others = [str(other) for other in reading.possible if other is not outcome]
    by_review = [f"by review: {' or '.join(others)}"] if others and is_judged else []
    said = "; ".join([*by_review, *_list_reservations(reading, report)])
    word = str(outcome) if is_judged else "not judged"
    return f"{word} ({said})" if said else word


def _list_reservations(reading: VoteReading, report: VotesReport) -> list[str]:
    """What an outcome does not know: the rest of the period, or mail that was not read."""
    close, at = reading.earliest_close, report.as_of
    found = ["mail is missing"] if report.is_lacking else []
    if at is not None and at < close:
        return [f"runs until {say_moment(close)}", *found]
    if reading.read_until < close and not states_outcome(reading.vote.declared):
        found.append(f"mail read until {say_moment(reading.read_until)}, the period ends {say_moment(close)}")
    return found


_NO_BALLOT = {"voter": "", "known by": "", "choice": "", "status": "", "evidence": ""}


def _table_ballot(ballot: Ballot) -> dict[str, str]:
    binding = " (binding)" if ballot.binding else ""
    return {
        "voter": ballot.name or ballot.voter,
        "known by": str(ballot.known_by),
        "choice": (ballot.value or ballot.choice or "?") + binding,
        "status": str(ballot.status),
        "evidence": f"{ballot.line} [{ballot.why}]" if ballot.why else ballot.line,
    }

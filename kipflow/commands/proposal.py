"""One proposal as text: its stage, what is missing, timeline, votes and disagreements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from kipflow.commands.invocation import say_program
from kipflow.commands.output import console, print_json, print_rows, print_table, say_time
from kipflow.commands.proposal_json import as_dict
from kipflow.commands.sayings import find_facts, render_ballots, say_ballot, say_evidence
from kipflow.domain.arrivals import UNRECORDED
from kipflow.domain.clocks import VoteState
from kipflow.domain.events import Actor, find_amendments
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.missing import DIFFERS
from kipflow.domain.pages import find_newest_rows
from kipflow.domain.records import pick_fields
from kipflow.domain.ruled import list_ends, say_end
from kipflow.domain.times import say_moment
from kipflow.services.board import ProposalView, RecordedTransition
from kipflow.services.settling import find_commands
from kipflow.services.wording import is_undated, say_delivery, say_move, say_ruling, say_warning

_BALLOT_COLUMNS = ("voter", "known_by", "value", "binding", "status", "line", "rule", "why")
_TIMELINE = ("at", "from", "to", "rule", "by", "recorded", "policy", "rules", "evidence", "ref", "id")


def print_proposal(view: ProposalView, form: str, *, rebuilt: bool = False) -> int:
    """Print one proposal in full; as CSV its timeline. `rebuilt`: its history was decided again and not recorded."""
    if form == "json":
        print_json(as_dict(view, rebuilt=rebuilt))
        return 0
    if form == "csv":
        print_rows([{**r, "recorded": ""} if rebuilt else r for r in _timeline_rows(view)], form, columns=_TIMELINE)
        return 0
    out = console()
    _print_head(view)
    _print_timeline(view, rebuilt=rebuilt)
    amendments = find_amendments([r.transition for r in view.history], [s.vote for s in view.votes])
    for state in view.votes:
        _print_vote(state, view.missing, is_amendment=state.vote.root_message_id in amendments)
    for line in chain(_say_questions(view), _say_rulings(view), _say_page(view), _say_drift(view)):
        out.print(line)
    return 0


def _print_head(view: ProposalView) -> None:
    out = console()
    out.print(f"{view.key}: {view.proposal.title}")
    since = "known from an index, since when is not" if is_undated(view.history) else f"since {say_moment(view.since)}"
    out.print(f"{view.stage} {since} (decided as of {say_moment(view.decided_at)})")
    if view.claim:
        out.print(f"{view.claim}: {view.claim_why}")
    for line in view.missing:
        out.print(f"  missing: {line}")


def _print_timeline(view: ProposalView, *, rebuilt: bool) -> None:
    """Print the history as a table; a rebuilt one has no times of record."""
    recorded = () if rebuilt else ("recorded",)
    how = "rebuilt from what is known today" if rebuilt else "in the order in which it was recorded"
    print_table(
        [{**row, "holds_as_of": row["at"]} for row in _timeline_rows(view)],
        columns=("holds_as_of", *recorded, "move", "rule", "by", "policy", "rules", "evidence"),
        title=f"\nTimeline, {how}",
    )
    for r in view.history:
        for e in find_facts(r.transition.evidence) if r.transition.retracts else ():
            console().print(f"corrected {say_moment(r.recorded_at)} by {e.kind}: {e.line} {e.ref}")


def _say_questions(view: ProposalView) -> Iterator[str]:
    for item in view.review:
        parts = [item.question, item.line, "; ".join(item.outcomes), f"[{item.subject}]"]
        yield f"review: {' | '.join(part for part in parts if part)}"
        for ballot in render_ballots(view.questioned.get(item.subject, ())):
            yield f"  {say_ballot(ballot)}"
        for command in find_commands(view.proposal.number, item, say_program()):
            yield f"  {command}"


def _say_rulings(view: ProposalView) -> Iterator[str]:
    for ruling in view.rulings:
        gone = f" (revoked {say_time(ruling.revoked_at)} by {ruling.revoked_by})" if ruling.revoked_at else ""
        yield f"ruling {ruling.id}{gone}: {say_ruling(ruling)} by {ruling.author}: {ruling.reason}"


def _say_page(view: ProposalView) -> Iterator[str]:
    """Labels and interfaces of the page's newest version, its rows in the index if several, and notes of calls."""
    page = view.pages[-1] if view.pages else None
    if page is not None and page.labels:
        yield f"labels: {', '.join(page.labels)}"
    for name, line in page.touches if page is not None else ():
        yield f"touches {name}: {line}"
    rows = find_newest_rows(view.index_entries)
    if len(rows) > 1:
        titles = "; ".join(f'"{row.title}" ({row.section})' for row in rows)
        yield f"the index has {len(rows)} rows of this number: {titles}"
    for call in view.calls:
        yield f"noted {call.held_on or call.call}: {call.note}"


def _say_drift(view: ProposalView) -> Iterator[str]:
    """Faults of the page, then each disagreement with the facts."""
    for fault in view.faults:
        weight = "page" if fault.severity == "error" else "page, a draft still"
        yield f"{weight}: {fault.place}: {fault.what} ({fault.code}): {fault.fix}"
    for drift in view.drift:
        yield f"drift: {drift.side} says {drift.says!r} ({drift.evidence}), the facts say {drift.derived}: {drift.fix}"


def _timeline_rows(view: ProposalView) -> list[dict[str, Any]]:
    """The history in order of record, with the warnings of dormancy."""
    rows = [_timeline_row(r) for r in view.history]
    for given in reversed(view.warnings):
        place = next((i for i, r in enumerate(view.history) if r.recorded_at > given.recorded_at), len(view.history))
        rows.insert(place, _warning_row(given, view))
    return rows


def _warning_row(given: SilenceWarning, view: ProposalView) -> dict[str, Any]:
    return {
        "at": given.delivered_at or given.warned_at,
        "from": "",
        "to": "",
        "move": "author warned" if given.delivered_at is not None else "warning written",
        "rule": "warning",
        "by": Actor.CLOCK,
        "recorded": given.recorded_at,
        "policy": "",
        "evidence": f"{say_warning(given)} ({say_delivery(given, view.key, view.effects)})",
        "ref": given.quiet_since.isoformat(),
        "id": "",
    }


def _timeline_row(recorded: RecordedTransition) -> dict[str, Any]:
    """An entry of the history as a row; `by` is the actor of the move, `policy` the version of its policy."""
    move = recorded.transition
    lead = next(iter(find_facts(move.evidence)), None)
    return {
        "at": move.at,
        "from": move.source or "",
        "to": move.target,
        "move": say_move(move),
        "rule": move.rule + (" (retracted)" if recorded.retracted else ""),
        "by": move.actor,
        "recorded": recorded.recorded_at,
        "policy": move.policy_version,
        "rules": recorded.decision_rules,
        # the facts of a correction follow below the table
        "evidence": move.note if move.retracts else say_evidence(move),
        "ref": lead.ref if lead is not None else "",
        "id": move.id,
    }


def _print_vote(state: VoteState, missing: Sequence[str], *, is_amendment: bool) -> None:
    """Print one round; differences to the announced result are left out if `missing` has them."""
    kind = "Amendment vote" if is_amendment else "Vote"
    title = f"\n{kind}, round {state.vote.round}: {_say_standing(state)}"
    ballots = [
        pick_fields(b, *_BALLOT_COLUMNS) | {"binding": "binding" if b.binding else ""} for b in state.vote.ballots
    ]
    print_table(ballots, columns=_BALLOT_COLUMNS, title=title)
    for b in state.vote.ballots:  # ids are for commands: a table would wrap them
        console().print(f"  {b.value} of {b.voter}: {b.message_id}")
    if state.terms.because:
        asked = f"; reviewers asked for: {state.terms.reviewers}" if state.terms.reviewers else ""
        by = f", reviewed by {', '.join(state.terms.reviewed_by)}" if state.terms.reviewed_by else ""
        console().print(f"  care required: {', '.join(state.terms.because)}{asked}{by}")
    for end in list_ends(state.vote):
        answer = f" {'Accepted' if end.accepted else 'Refused'} {say_moment(end.settled_at)}" if end.settled_at else ""
        console().print(f"  {say_end(end)}{answer}")
    for line in map(DIFFERS.format, state.differences):
        if not any(known.endswith(line) for known in missing):
            console().print(f"  {line}")


def _say_standing(state: VoteState) -> str:
    """The outcome of a vote; for a round that was called off, how it ended."""
    claimed = " (as its sender dates it)" if state.vote.opened_from in UNRECORDED else ""
    opened = f"opened {say_moment(state.vote.opened_at)}{claimed}"
    if state.vote.ended_at is not None:
        ballots = len(state.vote.ballots)
        void = f"; its {ballots} ballot{'s count' if ballots != 1 else ' counts'} for nothing" if ballots else ""
        return f"{state.vote.ended_how} {say_moment(state.vote.ended_at)}{void}; {opened}"
    return (
        f"{state.outcome}; binding {state.tally.binding}, non-binding {state.tally.non_binding}; "
        f"{opened}, closes no earlier than {say_moment(state.terms.earliest_close)}"
    )

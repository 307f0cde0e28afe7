"""`status`: the board as a table, and one proposal with everything it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import click

from kipflow.commands.coverage import say_coverage
from kipflow.commands.now import find_now
from kipflow.commands.opening import open_parts
from kipflow.commands.output import (
    UtcTime,
    as_of_option,
    console,
    format_option,
    print_json,
    print_rows,
    print_table,
    say_time,
)
from kipflow.commands.review import parse_number, say_ruling
from kipflow.domain.clocks import VoteState
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage
from kipflow.domain.history import find_amendments
from kipflow.services.advance import preview
from kipflow.services.board import Board, BoardRow, ProposalView, RecordedTransition, RowQuery, VoteClock
from kipflow.services.settling import say_command
from kipflow.wiring import Parts

_TIMELINE = ("at", "from", "to", "rule", "by", "recorded", "policy", "evidence", "ref", "id")
#: The order in which a reader looks: what runs first.
_ORDER = (Stage.VOTE, Stage.DISCUSSION, Stage.DRAFT, Stage.DORMANT, Stage.ACCEPTED, Stage.REJECTED, Stage.DISCARDED)


@click.command()
@click.argument("proposal", required=False, metavar="[NUMBER]")
@click.option("--stage", type=click.Choice([s.value for s in Stage], case_sensitive=False), help="Only this stage.")
@as_of_option
@click.option(
    "--known-at", type=UtcTime(), default=None, metavar="TIME", help="With NUMBER: what kipflow had recorded by then."
)
@format_option()
def status(
    proposal: str | None, stage: str | None, as_of: datetime | None, known_at: datetime | None, form: str
) -> int:
    """The board as a table; with a NUMBER, that proposal's timeline, ballots and evidence.

    --as-of tells what was so at a time, by all that is known today; --known-at what kipflow said at a time,
    before anything that it learned later.
    """
    if known_at is not None and (proposal is None or as_of is not None):
        raise click.UsageError("--known-at goes with a NUMBER, and not with --as-of")
    parts = open_parts()
    board = parts.store
    if proposal is not None:
        number = parse_number(parts, proposal)
        if known_at is not None:
            return print_proposal(as_it_was_known(board.proposal(number, known_at), known_at), form)
        view = board.proposal(number, find_now(parts))
        return print_proposal(view if as_of is None else as_it_was(parts, view, as_of), form)
    if not parts.roster.people:
        where = f"fill {parts.settings.config / parts.community.roster}" if parts.community.roster else "none is named"
        console(stderr=True).print(f"the roster is empty, so no ballot counts as binding ({where})", soft_wrap=True)
    stages = (Stage(stage),) if stage else _ORDER
    columns = ("proposal", "stage", "since", "title", "vote", "missing")
    if as_of is not None:
        print_rows(rows_as_of(parts, stages, as_of), form, columns=columns)
        return 0
    rows = [row for one in stages for row in load_rows(board, one)]
    if not rows and stage is None and form == "table":
        console().print(
            f"no proposals of {parts.community.name} are stored yet: `kipflow poll`, `sync` and `advance` find them"
        )
        return 0
    print_rows([_flatten(r) for r in rows], form, columns=columns)
    if form == "table":
        for line in say_coverage([cover.month for cover in board.overview(find_now(parts)).months]):
            console(stderr=True).print(line, soft_wrap=True, markup=False)
    return 0


def as_it_was(parts: Parts, view: ProposalView, as_of: datetime) -> ProposalView:
    """The proposal as the rules decide it at `as_of`, from the facts of that time.

    Raises:
        KipflowError: nothing had happened to it by then.
    """
    decision, _ = preview(parts.store, view.proposal.number, policy=parts.policy, as_of=as_of)
    if decision is None:
        raise KipflowError(f"nothing had happened to {view.key} by {say_time(as_of)} UTC")
    return replace(
        view,
        stage=decision.stage,
        since=decision.since,
        decided_at=as_of,
        policy_version=decision.policy_version,
        history=tuple(RecordedTransition(transition=t, recorded_at=as_of) for t in decision.history),
        votes=decision.votes,
        missing=decision.missing,
        review=decision.review,
        drift=decision.drift,
        # how the page is now says nothing of then
        faults=(),
    )


def as_it_was_known(view: ProposalView, known_at: datetime) -> ProposalView:
    """What was recorded of the proposal by `known_at`: the entries of that time, and the stage they came to.

    Raises:
        KipflowError: nothing had been recorded of it by then.
    """
    if not view.history:
        raise KipflowError(f"nothing was recorded of {view.key} by {say_time(known_at)} UTC")
    last = [r for r in view.history if not r.retracted and not r.transition.retracts][-1:] or view.history[-1:]
    return replace(
        view,
        stage=last[0].transition.target,
        since=last[0].transition.at,
        decided_at=max(r.recorded_at for r in view.history),
        policy_version=view.history[-1].transition.policy_version,
        # what is judged and missing is known for the newest decision only
        votes=(),
        missing=(),
        review=(),
        drift=(),
        faults=(),
        rulings=tuple(r for r in view.rulings if r.made_at <= known_at),
    )


def rows_as_of(parts: Parts, stages: Sequence[Stage], as_of: datetime) -> list[dict[str, Any]]:
    """The table's rows as the rules decide them at `as_of`: by stage, highest number first."""
    with parts.store.begin() as session:
        numbers = session.load_numbers()
    rows = []
    for number in sorted(numbers, reverse=True):
        decision, _ = preview(parts.store, number, policy=parts.policy, as_of=as_of)
        if decision is None or decision.stage not in stages:
            continue
        view = parts.store.proposal(number, as_of)
        clock = decision.votes[-1] if decision.stage is Stage.VOTE and decision.votes else None
        rows.append(
            {
                "proposal": view.key,
                "number": number,
                "stage": decision.stage,
                "since": decision.since,
                "title": view.proposal.title,
                "vote": _say_vote(clock),
                "missing": _say_missing(decision.missing, len(decision.review), [d.side for d in decision.drift]),
            }
        )
    return sorted(rows, key=lambda row: stages.index(row["stage"]))


def load_rows(board: Board, stage: Stage) -> list[BoardRow]:
    """Every row of one stage, highest number first."""
    rows: list[BoardRow] = []
    while True:
        page = board.rows(RowQuery(stages=(stage,), offset=len(rows), limit=500))
        rows.extend(page.rows)
        if not page.rows or len(rows) >= page.total:
            return rows


def _flatten(row: BoardRow) -> dict[str, Any]:
    return {
        "proposal": row.key,
        "number": row.number,
        "stage": row.stage,
        "since": row.since,
        "title": row.title,
        "vote": _say_vote(row.clock),
        "missing": _say_missing(row.missing, row.review, row.drift),
    }


def _say_vote(clock: VoteState | VoteClock | None) -> str:
    if clock is None:
        return ""
    counts = clock.tally.binding
    return f"{clock.outcome}: binding +{counts.plus}/{counts.zero}/-{counts.minus}"


def _say_missing(missing: Sequence[str], review: int, drift: Sequence[str]) -> list[str]:
    return [*missing, *([f"{review} for review"] if review else []), *(f"drift: {side}" for side in drift)]


def print_proposal(view: ProposalView, form: str) -> int:
    """Print one proposal in full; as CSV its timeline."""
    if form == "json":
        print_json(_as_dict(view))
        return 0
    if form == "csv":
        print_rows([_timeline_row(r) for r in view.history], form, columns=_TIMELINE)
        return 0
    out = console()
    out.print(f"{view.key}: {view.proposal.title}")
    out.print(f"{view.stage} since {say_time(view.since)} UTC (decided as of {say_time(view.decided_at)} UTC)")
    for line in view.missing:
        out.print(f"  missing: {line}")
    rows = [_timeline_row(r) for r in view.history]
    print_table(rows, columns=("at", "move", "rule", "by", "recorded", "policy", "evidence"), title="\nTimeline")
    for r in view.history:
        for e in r.transition.evidence if r.transition.retracts else ():
            if e.kind != "history":
                out.print(f"corrected {say_time(r.recorded_at)} UTC by {e.kind}: {e.line} {e.ref}")
    amendments = find_amendments([r.transition for r in view.history], [s.vote for s in view.votes])
    for state in view.votes:
        _print_vote(state, is_amendment=state.vote.root_message_id in amendments)
    for item in view.review:
        parts = [item.question, item.line, "; ".join(item.outcomes), f"[{item.subject}]"]
        out.print(f"review: {' | '.join(part for part in parts if part)}")
    for ruling in view.rulings:
        gone = f" (revoked {say_time(ruling.revoked_at)} by {ruling.revoked_by})" if ruling.revoked_at else ""
        out.print(f"ruling {ruling.id}{gone}: {say_ruling(ruling)} by {ruling.author}: {ruling.reason}")
    for name, line in view.pages[-1].touches if view.pages else ():
        out.print(f"touches {name}: {line}", soft_wrap=True, markup=False)
    for call in view.calls:
        out.print(f"noted {call.held_on or call.call}: {call.note}", soft_wrap=True, markup=False)
    for fault in view.faults:
        weight = "page" if fault.severity == "error" else "page, a draft still"
        out.print(f"{weight}: {fault.place}: {fault.what} ({fault.code}): {fault.mend}", soft_wrap=True, markup=False)
    for drift in view.drift:
        told = (
            f"drift: {drift.side} says {drift.says!r} ({drift.evidence}), the facts say {drift.derived}: {drift.mend}"
        )
        out.print(told, soft_wrap=True, markup=False)
    return 0


def _timeline_row(recorded: RecordedTransition) -> dict[str, Any]:
    """An entry of the history as a row; `by` is who moved the proposal, `policy` the rules that it went by."""
    move = recorded.transition
    lead = move.evidence[0] if move.evidence else None
    return {
        "at": move.at,
        "from": move.source or "",
        "to": move.target,
        "move": f"{move.source or '–'} → {move.target}",
        "rule": move.rule + (" (retracted)" if recorded.retracted else ""),
        "by": move.actor,
        "recorded": recorded.recorded_at,
        "policy": move.policy_version,
        "evidence": move.note if move.retracts else lead.line if lead is not None else "",
        "ref": lead.ref if lead is not None else "",
        "id": move.id,
    }


def _print_vote(state: VoteState, *, is_amendment: bool = False) -> None:
    binding, other = state.tally.binding, state.tally.non_binding
    kind = "Amendment vote" if is_amendment else "Vote"
    title = (
        f"\n{kind}, round {state.vote.round}: {state.outcome}; "
        f"binding +{binding.plus}/{binding.zero}/-{binding.minus}, "
        f"non-binding +{other.plus}/{other.zero}/-{other.minus}; "
        f"opened {say_time(state.vote.opened_at)}, closes no earlier than {say_time(state.terms.earliest_close)} UTC"
    )
    ballots = [
        {
            "voter": b.voter,
            "value": b.value,
            "binding": "binding" if b.binding else "",
            "status": b.status,
            "line": b.line,
            "rule": b.rule,
            "why": b.why,
            "message": b.message_id,
        }
        for b in state.vote.ballots
    ]
    print_table(ballots, columns=("voter", "value", "binding", "status", "line", "rule", "why", "message"), title=title)
    if state.terms.because:
        asked = f"; reviewers asked for: {state.terms.reviewers}" if state.terms.reviewers else ""
        by = f", reviewed by {', '.join(state.terms.reviewed_by)}" if state.terms.reviewed_by else ""
        console().print(f"  care owed: {', '.join(state.terms.because)}{asked}{by}")
    for difference in state.differences:
        console().print(f"  announced result differs: {difference}")


def _as_dict(view: ProposalView) -> dict[str, Any]:
    return {
        "proposal": view.proposal.number,
        "key": view.key,
        "title": view.proposal.title,
        "stage": view.stage,
        "since": view.since,
        "decided_at": view.decided_at,
        "policy": view.policy_version,
        "missing": list(view.missing),
        "history": [
            {
                "at": r.transition.at,
                "from": r.transition.source,
                "to": r.transition.target,
                "id": r.transition.id,
                "rule": r.transition.rule,
                "actor": r.transition.actor,
                "policy": r.transition.policy_version,
                "note": r.transition.note,
                "retracts": list(r.transition.retracts),
                "retracted": r.retracted,
                "recorded_at": r.recorded_at,
                "evidence": [
                    {"kind": e.kind, "ref": e.ref, "line": e.line, "url": e.url or view.links.get(e.ref, "")}
                    for e in r.transition.evidence
                ],
            }
            for r in view.history
        ],
        "votes": [
            {
                "round": s.vote.round,
                "subject": s.vote.subject,
                "opened_at": s.vote.opened_at,
                "earliest_close": s.terms.earliest_close,
                "quorum": s.terms.quorum,
                "outcome": s.outcome,
                "tally": s.tally.as_dict(),
                "differences": list(s.differences),
                "ballots": [
                    {
                        "voter": b.voter,
                        "name": b.name,
                        "choice": b.choice,
                        "value": b.value,
                        "binding": b.binding,
                        "claimed_binding": b.claimed_binding,
                        "cast_at": b.cast_at,
                        "message_id": b.message_id,
                        "line": b.line,
                        "rule": b.rule,
                        "status": b.status,
                        "why": b.why,
                    }
                    for b in s.vote.ballots
                ],
            }
            for s in view.votes
        ],
        "review": [
            {
                "kind": i.kind,
                "subject": i.subject,
                "question": i.question,
                "line": i.line,
                "outcomes": list(i.outcomes),
                "settle": say_command(view.proposal.number, i),
            }
            for i in view.review
        ],
        "rulings": [
            {
                "id": r.id,
                "kind": r.kind,
                "target": r.target,
                "value": dict(r.value),
                "says": say_ruling(r),
                "by": r.author,
                "reason": r.reason,
                "made_at": r.made_at,
                "revoked_at": r.revoked_at,
                "revoked_by": r.revoked_by,
                "revoked_reason": r.revoked_reason,
            }
            for r in view.rulings
        ],
        "touches": [{"interface": name, "line": line} for name, line in (view.pages[-1].touches if view.pages else ())],
        "faults": [
            {"code": f.code, "severity": f.severity, "place": f.place, "what": f.what, "mend": f.mend}
            for f in view.faults
        ],
        "drift": [
            {"side": d.side, "says": d.says, "derived": d.derived, "evidence": d.evidence, "mend": d.mend}
            for d in view.drift
        ],
    }

"""`status`: the board as a table, and one proposal with all its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import click

from kipflow.commands.coverage import say_coverage, say_empty
from kipflow.commands.drift import look_back_at_all, print_drift
from kipflow.commands.invocation import with_program
from kipflow.commands.opening import find_now, open_parts
from kipflow.commands.output import UtcTime, as_of_option, console, format_option, print_rows
from kipflow.commands.proposal import print_proposal
from kipflow.commands.sayings import parse_number
from kipflow.domain.clocks import VoteState
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.domain.records import pick_fields
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.domain.version import DECISION_RULES
from kipflow.services.advance import look_back
from kipflow.services.board import BoardRow, ProposalView, RecordedTransition, RowQuery, VoteClock
from kipflow.wiring import Parts, find_current_conditions

#: The most proposals that `kipflow up` prints at its end.
_BRIEF = 40
_COLUMNS = ("proposal", "stage", "since", "title", "vote", "missing")
#: The order of stages in the table: running ones first.
_ORDER = (Stage.VOTE, Stage.DISCUSSION, Stage.DRAFT, Stage.DORMANT, Stage.ACCEPTED, Stage.REJECTED, Stage.DISCARDED)


@click.command()
@click.argument("proposal", required=False, metavar="[NUMBER]")
@click.option("--stage", type=click.Choice([s.value for s in Stage], case_sensitive=False), help="Only this stage.")
@as_of_option
@click.option("--known-at", type=UtcTime(), metavar="TIME", help="With NUMBER: what kipflow had recorded by then.")
@click.option("--drift", is_flag=True, help="Only what pages, index, results and tickets say against the facts.")
@format_option
def status(
    proposal: str | None,
    stage: str | None,
    as_of: datetime | None,
    known_at: datetime | None,
    drift: bool,
    form: str,
    brief: bool = False,
) -> int:
    """The board as a table; with a NUMBER, that proposal's timeline, ballots and evidence.

    Why a line of a mail is no vote: its proposal's page on the board says it, and `kipflow votes FILE --explain`.

    --as-of shows what was so at a time, by all that is known today; --known-at what kipflow said at a time,
    before anything that it learned later.

    --drift lists each side that says something else than the facts, with the edit that settles it; exit code 1
    where there is any.
    """
    if known_at is not None and (proposal is None or as_of is not None or drift):
        raise click.UsageError("--known-at goes with a NUMBER, and not with --as-of or --drift")
    parts = open_parts()
    board = parts.store
    stages = (Stage(stage),) if stage else _ORDER
    if drift:
        number = parse_number(parts, proposal) if proposal is not None else None
        return print_drift(parts, form, stages=stages, number=number, as_of=as_of)
    if proposal is not None:
        number = parse_number(parts, proposal)
        if known_at is not None:
            return print_proposal(as_it_was_known(board.proposal(number, known_at), known_at), form)
        view = board.proposal(number, find_now(parts))
        rebuilt = as_of is not None
        return print_proposal(as_it_was(parts, view, as_of) if as_of is not None else view, form, rebuilt=rebuilt)
    for condition in find_current_conditions(parts, now=find_now(parts)):
        console(stderr=True).print(f"{condition.says}. {condition.works}. {condition.fix}.")
    if as_of is not None:
        before = f"no proposal was {'known' if stage is None else f'in {stage}'} at {say_moment(as_of)}"
        print_rows(rows_as_of(parts, stages, as_of), form, columns=_COLUMNS, empty=before)
        return 0
    rows = [row for one in stages for row in board.rows(RowQuery(stages=(one,), limit=None)).rows]
    if not rows and stage is None and form == "table":
        console().print(say_empty(parts.community, board.overview(find_now(parts))))
        return 0
    _print_board(parts, rows, form, brief=brief)
    return 0


def _print_board(parts: Parts, rows: Sequence[BoardRow], form: str, *, brief: bool) -> None:
    shown = rows[:_BRIEF] if brief else rows
    unknown = {"since": "date unknown"} if form == "table" else {}
    flat = [{**_flatten(r), **(unknown if r.undated else {})} for r in shown]
    print_rows(flat, form, columns=_COLUMNS, empty="no proposal is in this stage")
    if len(shown) < len(rows):
        console().print(f"… and {say_count(len(rows) - len(shown), 'proposal')} more: `kipflow status` prints them all")
    if form == "table":
        overview = parts.store.overview(find_now(parts))
        for line in say_coverage([cover.month for cover in overview.months]):
            console(stderr=True).print(line)
        if overview.pending:
            waiting = say_count(overview.pending, "proposal")
            console(stderr=True).print(f"{waiting} with newer facts than decided on: run `kipflow advance`")


def as_it_was(parts: Parts, view: ProposalView, as_of: datetime) -> ProposalView:
    """The proposal as decided at `as_of`, from the facts of that time. Raises KipflowError if there were none."""
    decision = look_back(parts.store, view.proposal.number, policy=parts.policy, as_of=as_of)
    if decision is None:
        raise KipflowError(f"nothing had happened to {view.key} by {say_moment(as_of)}")
    return replace(
        view,
        stage=decision.stage,
        since=decision.since,
        decided_at=as_of,
        policy_version=decision.policy_version,
        history=tuple(
            RecordedTransition(transition=t, recorded_at=as_of, decision_rules=DECISION_RULES) for t in decision.history
        ),
        votes=decision.votes,
        missing=decision.missing,
        review=decision.review,
        drift=decision.drift,
        claim=decision.number_doubt.kind.value if decision.number_doubt is not None else "",
        claim_why=decision.number_doubt.why if decision.number_doubt is not None else "",
        warnings=tuple(w for w in view.warnings if w.as_of <= as_of),
        rulings=tuple(_rulings_at(view.rulings, as_of)),
        # the page's present faults are not those of that time
        faults=(),
    )


def _rulings_at(rulings: Iterable[Ruling], moment: datetime) -> Iterator[Ruling]:
    """The rulings made by a moment, without later revocations."""
    for ruling in rulings:
        if ruling.made_at <= moment:
            is_later = ruling.revoked_at is not None and ruling.revoked_at > moment
            yield replace(ruling, revoked_at=None, revoked_by=None, revoked_reason=None) if is_later else ruling


def as_it_was_known(view: ProposalView, known_at: datetime) -> ProposalView:
    """The proposal with the entries recorded by `known_at`, and their stage. Raises KipflowError if there are none."""
    if not view.history:
        raise KipflowError(f"nothing was recorded of {view.key} by {say_moment(known_at)}")
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
        rulings=tuple(_rulings_at(view.rulings, known_at)),
    )


def rows_as_of(parts: Parts, stages: Sequence[Stage], as_of: datetime) -> list[dict[str, Any]]:
    """The table's rows as the rules decide them at `as_of`: by stage, highest number first."""
    rows = []
    for number, decision in look_back_at_all(parts, as_of):
        is_refused = decision.number_doubt is not None and decision.number_doubt.kind is NumberDoubtKind.REFUSED
        if is_refused or decision.stage not in stages:
            continue
        view = parts.store.proposal(number, as_of)
        clock = decision.newest_vote if decision.stage is Stage.VOTE else None
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


def _flatten(row: BoardRow) -> dict[str, Any]:
    return {
        "proposal": row.key,
        **pick_fields(row, "number", "stage", "since", "title"),
        "vote": _say_vote(row.clock),
        "missing": _say_missing(row.missing, row.review, row.drift),
        # what JSON has besides the table's columns
        **pick_fields(row, "author", "decided_at", "last_activity", "warned_at", "next_deadline", "release"),
        **pick_fields(row, "in_progress", "review", "drift", "claim"),
        "clock": None if row.clock is None else _describe_clock(row.clock),
    }


def _describe_clock(clock: VoteClock) -> dict[str, Any]:
    return {
        **pick_fields(clock, "round", "opened_at", "earliest_close", "quorum", "outcome"),
        "tally": clock.tally.as_dict(),
        **pick_fields(clock, "depends_on_review", "care"),
    }


def _say_vote(clock: VoteState | VoteClock | None) -> str:
    return f"{clock.outcome}: binding {clock.tally.binding}" if clock is not None else ""


def _say_missing(missing: Sequence[str], review: int, drift: Sequence[str]) -> list[str]:
    lines = [with_program(line) for line in missing]
    return [*lines, *([f"{review} for review"] if review else []), *(f"drift: {side}" for side in drift)]

"""After an act, decide again the proposals that it affects, and find what that changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from kipflow.domain.clocks import VoteState
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.tally import Counts
from kipflow.services.advance import advance_one, find_candidates
from kipflow.services.board import Board
from kipflow.services.desk import ActContext, Consequence, Desk, Done, ShownStages, VoteChange

#: With more proposals than this (after a new roster, say) the next run decides, not the waiting person's request.
MOST_AT_ONCE = 500


def decide_again(
    desk: Desk,
    context: ActContext,
    said: str,
    ruling: int | None = None,
    numbers: list[int] | None = None,
    *,
    shown: ShownStages = ShownStages.MOVED,
) -> Done:
    """Decide these proposals again, or without `numbers` all that are pending."""
    touched = find_candidates(desk.store, context.at) if numbers is None else numbers
    if len(touched) > MOST_AT_ONCE:
        return Done(said=f"{said}; the next run decides what waits, {len(touched):,} in all", ruling=ruling)
    found = tuple(_decide(desk, touched, context.at))
    return Done(said=said, ruling=ruling, consequences=found, shown=shown)


def _decide(desk: Desk, numbers: Iterable[int], at: datetime) -> Iterator[Consequence]:
    """Decide the proposals again as of `at`, or of their newest decision if that is later."""
    for number in numbers:
        before = _load_votes(desk.store, number, at)
        with desk.store.read() as session:
            decided_at = session.history.load_decided_at(number)
        as_of = at if decided_at is None else max(at, decided_at)
        done = advance_one(desk.store, number, policy=desk.policy, effects=desk.effects, as_of=as_of, run_id="review")
        with desk.store.read() as session:
            waiting = session.outbox.find_waiting_retraction(number)
        after = _load_votes(desk.store, number, as_of)
        yield Consequence(
            number=number,
            stage=done.stage,
            moved=bool(done.appended),
            votes=tuple(compare_votes(before, after)),
            held=waiting.key if waiting is not None and waiting.status == "held" else "",
        )


def _load_votes(board: Board, number: int, at: datetime) -> dict[str, VoteState]:
    """The rounds as last judged, by their opening mail."""
    try:
        return {state.vote.root_message_id: state for state in board.proposal(number, at).votes}
    except UnknownProposal:
        return {}


def compare_votes(before: Mapping[str, VoteState], after: Mapping[str, VoteState]) -> Iterator[VoteChange]:
    """The rounds whose tally or outcome differs."""
    for root, state in after.items():
        was, now = _say(before[root]) if root in before else "no vote", _say(state)
        if was != now:
            yield VoteChange(round=state.vote.round, before=was, after=now)


def _say(state: VoteState) -> str:
    others = state.tally.non_binding
    more = f", non-binding {others}" if others != Counts() else ""
    return f"binding {state.tally.binding}{more}: {state.outcome}"

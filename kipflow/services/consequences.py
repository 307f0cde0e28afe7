"""What a person's word changes: proposals are decided again at once, and the votes that it turned are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.clocks import VoteState
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.events import Stage
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Counts
from kipflow.services.advance import advance_one
from kipflow.services.board import Board
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Store

#: More proposals are not decided while somebody waits: a run does it. So many wait after a new roster.
MOST_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteChange:
    """One round of votes that counts otherwise now; `before` and `after` are tally and outcome in words."""

    round: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """What became of one proposal. `stage` is None where nothing had happened by then.

    `moved`: its history got new entries. `held`: the key of the effect that a person must release before anybody
    hears that its acceptance fell; "" where there is none.
    """

    number: int
    stage: Stage | None
    moved: bool = False
    votes: tuple[VoteChange, ...] = ()
    held: str = ""


def redecide_after_ruling(
    store: Store, board: Board, numbers: Iterable[int], *, policy: Policy, effects: EffectRules, at: datetime
) -> list[Consequence]:
    """Decide the proposals again, as of `at`, or of their newest decision where a word was dated back."""
    found: list[Consequence] = []
    for number in numbers:
        before = _load_votes(board, number, at)
        with store.read() as session:
            decided_at = session.history.load_decided_at(number)
        as_of = at if decided_at is None else max(at, decided_at)
        done = advance_one(store, number, policy=policy, effects=effects, as_of=as_of, run_id="review")
        with store.read() as session:
            waiting = session.outbox.find_waiting_retraction(number)
        after = _load_votes(board, number, as_of)
        found.append(
            Consequence(
                number=number,
                stage=done.stage,
                moved=bool(done.appended),
                votes=tuple(compare_votes(before, after)),
                held=waiting.key if waiting is not None and waiting.status == "held" else "",
            )
        )
    return found


def _load_votes(board: Board, number: int, at: datetime) -> dict[str, VoteState]:
    """The rounds as they were judged last, by their opening mail."""
    try:
        return {state.vote.root_message_id: state for state in board.proposal(number, at).votes}
    except UnknownProposal:
        return {}


def compare_votes(before: Mapping[str, VoteState], after: Mapping[str, VoteState]) -> Iterable[VoteChange]:
    """The rounds, by their opening mail, that count otherwise after than before."""
    for root, state in after.items():
        was, now = _say(before[root]) if root in before else "no vote", _say(state)
        if was != now:
            yield VoteChange(round=state.vote.round, before=was, after=now)


def _say(state: VoteState) -> str:
    others = state.tally.non_binding
    more = f", non-binding {others}" if others != Counts() else ""
    return f"binding {state.tally.binding}{more}: {state.outcome}"

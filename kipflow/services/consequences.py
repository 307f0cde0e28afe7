"""What a person's word changes: where the proposals stand, and the votes that count otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kipflow.domain.clocks import VoteState
from kipflow.domain.events import Stage
from kipflow.domain.tally import Counts


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

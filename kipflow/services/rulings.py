"""Rulings: a person's decisions on open questions, as revocable facts with author, reason and time.

An invalid ruling is refused before anything is written. The same ruling twice is stored once: the second gets the id of
the first. After any act, the proposals that it affects are decided again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kipflow.domain.clocks import VoteState
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Counts
from kipflow.domain.times import say_moment
from kipflow.services.advance import advance_one, find_candidates
from kipflow.services.assembly import load_facts
from kipflow.services.board import Board
from kipflow.services.desk import ActContext, Consequence, Desk, Done, ShownStages, VoteChange
from kipflow.services.ports import Store
from kipflow.services.ruling_checks import CHECKS, BadRuling, RulingRequest, check_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The id of the ruling; `is_new` is False if it existed before."""

    id: int
    is_new: bool


def settle(
    store: Store,
    *,
    number: int,
    kind: str,
    target: str,
    value: dict[str, Any],
    context: ActContext,
    asked: Collection[str] | None = None,
    policy: Policy | None = None,
) -> Recorded:
    """Record a ruling on proposal `number`, of one of the kinds that `CHECKS` has.

    `asked` are the kinds of its open questions; None: not checked. `policy` says whether a reviewer is required; None:
    a reviewer is noted in any case.

    Raises:
        BadRuling: no reason or author, an invalid value, or an unknown target.
    """
    said = context.checked()
    if kind not in CHECKS:
        raise BadRuling(f"{kind!r} is no kind of ruling on a proposal")
    with store.begin() as session:
        facts = load_facts(session, number)  # raises UnknownProposal before anything is written
        rulings = session.rulings.load_all()
        standing = [r for r in rulings if r.revoked_at is None and r.number == number and r.kind == kind]
        request = RulingRequest(
            session=session,
            facts=facts,
            target=target,
            value=value,
            standing=standing,
            asked=asked,
            policy=policy,
            at=said.at,
        )
        check_time(request)
        target, value = CHECKS[kind](request)
        same = [r.id for r in standing if r.target == target and r.value == value and r.id is not None]
        if same and kind not in {"stage", "care"}:
            return Recorded(id=same[0], is_new=False)
        if kind == "page" and asked is not None and "page" not in asked:
            raise BadRuling(f"nothing is asked about the page of {facts.key}: its votes hold as they are")
        ruling = said.as_ruling(kind, target, value, number=number)
        return Recorded(id=session.rulings.save(ruling), is_new=True)


def revoke(store: Store, ruling_id: int, context: ActContext) -> None:
    """Revoke a ruling: it stays stored and is no longer in force from then on.

    Raises:
        BadRuling: no author or reason, or the ruling is unknown or revoked already.
    """
    said = context.checked()
    with store.begin() as session:
        found = session.rulings.load_all()
        ruling = next((r for r in found if r.id == ruling_id), None)
        if ruling is None:
            raise BadRuling(f"no ruling {ruling_id} is known; `kipflow review rulings` lists them")
        if ruling.revoked_at is not None:
            raise BadRuling(
                f"ruling {ruling_id} was revoked by {ruling.revoked_by} on {say_moment(ruling.revoked_at)} already"
            )
        if said.at < ruling.made_at:
            raise BadRuling(
                f"ruling {ruling_id} was made on {say_moment(ruling.made_at)}: it cannot end before it began"
            )
        session.rulings.revoke(ruling_id, at=said.at, by=said.author, reason=said.reason)


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

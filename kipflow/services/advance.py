"""Move proposals: load the facts, let the domain decide, record new entries and their effects.

Everything about one proposal happens in one transaction: history, projection, effects. A crash leaves
either all of it or nothing, and running again with the same facts adds nothing.

Two times: `as_of` is the time to decide for, `now` when that is done. They differ in a backfill of past dates. History
records both: when a move became true, and when kipflow learned of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from kipflow.domain.decisions import Decision, make_warning
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage, Transition, effective
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.domain.lifecycle import decide, with_known_future
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import format_key
from kipflow.domain.times import say_moment
from kipflow.services.assembly import load_facts
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Session, Store
from kipflow.services.recording import Advance, find_appended, find_notice, record, withdraw_overtaken

#: Two machines of one Airflow need not agree on the second.
CLOCK_SKEW = timedelta(minutes=5)
#: Tasks for the proposals of one run if there are many, and the most proposals of one task.
PARTS, MOST_TOGETHER = 4, 200


class FutureDecision(KipflowError):
    """A decision was requested as of a time in the future."""

    def __init__(self, *, as_of: datetime, now: datetime) -> None:
        super().__init__(
            f"{say_moment(as_of)} has not come yet (it is {now:%Y-%m-%d %H:%M}): nothing can be recorded as of "
            "it; `kipflow advance --dry-run` shows what the facts of today would come to"
        )


def check_time(as_of: datetime, now: datetime | None) -> datetime:
    """When a decision as of `as_of` is recorded: `now`, and not before `as_of` (None: then).

    Raises:
        FutureDecision: `as_of` is ahead of `now` by more than clocks may differ.
    """
    if now is not None and as_of - now > CLOCK_SKEW:
        raise FutureDecision(as_of=as_of, now=now)
    return max(as_of, now or as_of)


def find_candidates(store: Store, as_of: datetime) -> list[int]:
    """The proposals with new facts or a deadline that `as_of` has reached, in order of number."""
    with store.begin() as session:
        return sorted(session.history.load_pending(as_of))


def advance_one(
    store: Store,
    number: int,
    *,
    policy: Policy,
    effects: EffectRules,
    as_of: datetime,
    now: datetime | None = None,
    run_id: str = "",
) -> Advance:
    """Decide proposal `number` at `as_of` and record the outcome, as known at `now` (None: `as_of`).

    A time before the newest recorded decision is skipped: the history has what was true then, and the projection must
    not go back.

    Raises:
        FutureDecision: `as_of` is ahead of `now`: it would block every decision until then.
    """
    known_at = check_time(as_of, now)
    with store.begin() as session:
        decided_at = session.history.load_decided_at(number)
        if decided_at is not None and as_of < decided_at:
            return Advance(number=number, stage=None, skipped=f"decided as of {say_moment(decided_at)} already")
        facts = load_facts(session, number)
        decision, warning = _decide_and_warn(facts, policy, as_of, known_at)
        if decision is None:
            decision = _find_emptied(session, number, policy, as_of)
        if decision is None:
            # it stays on the list: a later step of the backfill reaches its first fact
            return Advance(number=number, stage=None, skipped="nothing had happened by then")
        if warning is not None:
            session.history.save_warning(number, warning)
            facts = replace(facts, warnings=(*facts.warnings, warning))
        withdraw_overtaken(session, decision, facts, effects)
        notice = find_notice(decision, facts, policy, known_at)
        recorded = record(session, with_known_future(decision, facts), facts, effects, known_at, run_id, notice)
        if not decision.history:
            session.history.forget_decision(number)
            return replace(recorded, stage=None)
        return replace(recorded, warning=warning)


def preview(
    store: Store, number: int, *, policy: Policy, as_of: datetime, now: datetime | None = None
) -> tuple[Decision | None, list[Transition]]:
    """What `advance_one` would record, without recording it."""
    with store.read() as session:
        return preview_in(session, number, policy=policy, as_of=as_of, now=max(as_of, now or as_of))


def preview_in(
    session: Session, number: int, *, policy: Policy, as_of: datetime, now: datetime
) -> tuple[Decision | None, list[Transition]]:
    """As `preview`, within a transaction and with its changes so far."""
    decision, _ = _decide_and_warn(load_facts(session, number), policy, as_of, now)
    decision = decision or _find_emptied(session, number, policy, as_of)
    if decision is None:
        return None, []
    stored = session.history.load(number)
    return decision, list(find_appended(session.history, stored, decision))


def _find_emptied(session: Session, number: int, policy: Policy, as_of: datetime) -> Decision | None:
    """An empty decision on a proposal whose facts were all removed; None if it had no history."""
    if not effective(session.history.load(number)):
        return None
    return Decision(
        number=number, as_of=as_of, policy_version=policy.version, stage=Stage.DRAFT, since=as_of, history=()
    )


def look_back(store: Store, number: int, *, policy: Policy, as_of: datetime) -> Decision | None:
    """The decision on the stored facts at `as_of`, without writing a warning."""
    with store.read() as session:
        return decide(load_facts(session, number), policy, as_of)


def split_candidates(numbers: Sequence[int], prefix: str) -> dict[str, list[int]]:
    """The proposals in named parts, to be decided in parallel: one each if they are few, else many together.

    Starting a task costs a hundred times as much as one decision.
    """
    size = min(MOST_TOGETHER, ceil(len(numbers) / PARTS)) or 1
    parts = [list(numbers[start : start + size]) for start in range(0, len(numbers), size)]
    return {" to ".join(format_key(prefix, n) for n in dict.fromkeys((p[0], p[-1]))): p for p in parts}


def advance_many(
    store: Store,
    numbers: Sequence[int],
    *,
    policy: Policy,
    effects: EffectRules,
    as_of: datetime,
    now: datetime | None = None,
    run_id: str = "",
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
    on_failure: Callable[[int, Exception], None] | None = None,
) -> list[Advance]:
    """Advance proposals, one transaction each. `on_progress` gets (done, all).

    With `on_failure` the others go on after a failure; without it, the error is raised.
    """
    done: list[Advance] = []
    for number in numbers:
        try:
            done.append(advance_one(store, number, policy=policy, effects=effects, as_of=as_of, now=now, run_id=run_id))
        except Exception as error:
            if on_failure is None:
                raise
            on_failure(number, error)
        on_progress(len(done), len(numbers))
    return done


def advance_all(store: Store, *, as_of: datetime, **given: Any) -> list[Advance]:
    """Advance every candidate. The arguments are those of `advance_many`."""
    return advance_many(store, find_candidates(store, as_of), as_of=as_of, **given)


def _decide_and_warn(
    facts: ProposalFacts, policy: Policy, as_of: datetime, recorded_at: datetime
) -> tuple[Decision | None, SilenceWarning | None]:
    """The decision as of `as_of`, on facts with the warning that it requires; and that warning, or None.

    A decision only finds that a warning is required. The warning is then added to the facts, and they are decided
    again, so that what is stored follows from stored facts.
    """
    decision = decide(facts, policy, as_of)
    silence = decision.unwarned if decision is not None else None
    # one warning per silence, also if it was written for a later date than this one
    if silence is None or any(w.silent_at == silence.silent_at for w in facts.warnings):
        return decision, None
    warning = make_warning(silence, policy, as_of=as_of, recorded_at=recorded_at, followed_since=facts.followed_since)
    return decide(replace(facts, warnings=(*facts.warnings, warning)), policy, as_of), warning

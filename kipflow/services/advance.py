"""Move proposals: load the facts, let the domain decide, record what is new and what it causes.

Everything about one proposal happens in one transaction: history, projection, effects. A crash leaves
either all of it or nothing, and running again with the same facts adds nothing.

Two times: `as_of` is when the question is asked for, `now` when it is asked. They differ where past dates
are made up for. History tells both: when a move became true, and when kipflow came to know of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from kipflow.domain.decisions import Decision
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.history import reconcile
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.services.corrections import explain_corrections, settle_announcements
from kipflow.services.effects import EffectRules, find_effects
from kipflow.services.ports import Session, Store

#: Two machines of one Airflow need not agree on the second.
CLOCK_SKEW = timedelta(minutes=5)


class FutureDecision(KipflowError):
    """A decision was asked for as of a time that has not come."""

    def __init__(self, *, as_of: datetime, now: datetime) -> None:
        super().__init__(
            f"{as_of:%Y-%m-%d %H:%M} UTC has not come yet (it is {now:%Y-%m-%d %H:%M}): nothing can be recorded as of "
            "it; `kipflow advance --dry-run` shows what the facts of today would come to"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """What became of one proposal: its stage (None: nothing had happened yet) and what was added."""

    number: int
    stage: Stage | None
    appended: tuple[Transition, ...] = ()
    effects: int = 0
    skipped: str = ""


def refuse_future(as_of: datetime, now: datetime) -> None:
    """Raise `FutureDecision` where `as_of` is ahead of `now` by more than clocks differ."""
    if as_of - now > CLOCK_SKEW:
        raise FutureDecision(as_of=as_of, now=now)


def find_candidates(store: Store, as_of: datetime) -> list[int]:
    """The proposals with new facts or a deadline that `as_of` has reached, in order of number."""
    with store.begin() as session:
        return sorted(session.load_pending(as_of))


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

    A time before the newest recorded decision is left alone: what was true then is in the history
    already, and a projection must not go back.

    Raises:
        FutureDecision: `as_of` is ahead of `now`: it would keep every decision until then from being taken.
    """
    known_at = as_of if now is None else now
    refuse_future(as_of, known_at)
    known_at = max(known_at, as_of)
    with store.begin() as session:
        decided_at = session.load_decided_at(number)
        if decided_at is not None and as_of < decided_at:
            return Advance(number=number, stage=None, skipped=f"decided as of {decided_at:%Y-%m-%d %H:%M} UTC already")
        facts = session.load_facts(number)
        decision = decide(facts, policy, as_of)
        if decision is None:
            # it stays on the list: a backfill comes to its first fact later
            return Advance(number=number, stage=None, skipped="nothing had happened by then")
        return _record(session, _with_known_future(decision, facts), effects, known_at, run_id)


def preview(store: Store, number: int, *, policy: Policy, as_of: datetime) -> tuple[Decision | None, list[Transition]]:
    """What `advance_one` would record, without recording it."""
    with store.read() as session:
        decision = decide(session.load_facts(number), policy, as_of)
        stored = session.load_history(number)
    return decision, list(reconcile(stored, decision.history)) if decision else []


def advance_all(
    store: Store,
    *,
    policy: Policy,
    effects: EffectRules,
    as_of: datetime,
    now: datetime | None = None,
    run_id: str = "",
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Advance]:
    """Advance every candidate, one transaction each. `on_progress` hears (done, all)."""
    numbers = find_candidates(store, as_of)
    done: list[Advance] = []
    for number in numbers:
        done.append(advance_one(store, number, policy=policy, effects=effects, as_of=as_of, now=now, run_id=run_id))
        on_progress(len(done), len(numbers))
    return done


def _record(session: Session, decision: Decision, effects: EffectRules, now: datetime, run_id: str) -> Advance:
    stored = session.load_history(decision.number)
    appended = explain_corrections(session, stored, reconcile(stored, decision.history), decision)
    followed_since = session.load_first_recorded(decision.number)
    session.append_transitions(appended, recorded_at=now, run_id=run_id)
    told = settle_announcements(session, stored, appended, effects, stage=decision.stage)
    caused = find_effects(decision, appended, effects, now=now, followed_since=followed_since, told=told)
    added = session.enqueue(caused, now=now, status="pending" if effects.sends else "skipped")
    session.save_decision(decision)
    return Advance(number=decision.number, stage=decision.stage, appended=appended, effects=added)


def _with_known_future(decision: Decision, facts: ProposalFacts) -> Decision:
    """The decision with its deadline at the next fact that is known already, if that comes first.

    Decided as of a past date, or with a mail whose sender's clock is ahead, no new fact would bring the
    proposal back on the list when that moment comes.
    """
    ahead = find_next_fact(facts, decision.as_of)
    if ahead is None or (decision.next_deadline is not None and decision.next_deadline <= ahead):
        return decision
    return replace(decision, next_deadline=ahead)


def find_next_fact(facts: ProposalFacts, as_of: datetime) -> datetime | None:
    """The time of the first fact after `as_of`; None if all lie before it."""
    times: list[datetime | None] = [m.sent_at for m in facts.messages]
    times.extend(p.saved_at for p in facts.pages)
    for entry in facts.index_entries:
        times.extend((entry.seen_at, entry.changed_at, entry.created_at))
    for vote in facts.votes:
        times.extend((vote.opened_at, vote.ended_at, vote.declared.announced_at if vote.declared else None))
    for ruling in facts.rulings:
        times.extend((ruling.made_at, ruling.revoked_at))
    times.extend(t.seen_at for t in facts.tickets)
    return min((t for t in times if t is not None and t > as_of), default=None)

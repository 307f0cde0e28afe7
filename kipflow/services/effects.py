"""What a decision causes outside: pure, from a decision and what it added to history to outbox rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import UNDATED, Stage, Transition
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.proposals import format_key
from kipflow.services.effectrules import EffectRules
from kipflow.services.messages import render_retraction
from kipflow.services.newsrows import NUMBER_DOUBT_ROWS, ROWS, NewsContext, NewsRule, Notice, leaves_acceptance
from kipflow.services.ports import RETRACTS, WARNS, Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorNews:
    """What people heard so far, as far as it matters for what is to be said now.

    `taken_back`: the corrections that take back what people were notified, by id, with the stage that they heard of
    last. `renewed`: an earlier correction, that an acceptance does not hold, which still waited when more happened:
    it is announced anew, with what holds now. `known`: the new entries that people hold for so already.
    """

    taken_back: Mapping[str, Stage | None] = field(default_factory=dict)
    renewed: Transition | None = None
    known: frozenset[str] = frozenset()


def find_effects(
    decision: Decision,
    appended: Sequence[Transition],
    rules: EffectRules,
    *,
    now: datetime | None = None,
    prior: PriorNews | None = None,
    notice: Notice | None = None,
    about: ProposalFacts | None = None,
) -> list[Effect]:
    """What people have to be notified of by this decision. Keys make each of it happen once.

    Args:
        now: when this is recorded; later than `decision.as_of` where past dates are made up for.
        prior: what people heard before.
        notice: the warning that its author must get.
        about: what is known of the proposal; None where only a row of an index is, and this is its first entry.
    """
    heard = prior or PriorNews()
    situation = NewsContext(
        key=format_key(rules.prefix, decision.number),
        decision=decision,
        rules=rules,
        recorded_at=decision.as_of if now is None else now,
        about=about,
        corrections=_find_announced(decision, appended, heard),
        notice=notice,
    )
    if decision.number_doubt is not None and not decision.number_doubt.is_real and not situation.corrections:
        return list(_plan(situation, NUMBER_DOUBT_ROWS)) if decision.number_doubt.is_known else []
    if not rules.notifies:
        return _find_index_retractions(situation)
    if not situation.corrections:  # one that is announced says what holds now as well
        fresh = (t for t in appended if t.rule not in UNDATED and situation.is_fresh(t.at))
        news = [t for t in fresh if not t.retracts and t.id not in heard.known]
        situation = replace(situation, moves=news)
    return list(_plan(situation, ROWS))


def _plan(situation: NewsContext, rows: Iterable[NewsRule]) -> Iterator[Effect]:
    rules, number = situation.rules, situation.decision.number
    for row in rows:
        for key, subject in row.find(situation):
            kind = row.kind(subject)
            payload = rules.address(kind, row.write(situation, subject))
            if payload is None:
                continue
            yield Effect(
                key=key,
                number=number,
                channel="slack",
                payload=payload,
                # an acceptance is what people act on: a person looks before anybody hears that it does not hold
                approval=rules.needs_release(payload["channel"]) or RETRACTS in payload,
                renews=WARNS in payload,
                due_at=rules.find_due(kind, situation.recorded_at),
            )


def _find_announced(
    decision: Decision, appended: Sequence[Transition], prior: PriorNews
) -> list[tuple[str, Transition]]:
    """The corrections that people must hear, each with the entry that its message is named by."""
    # an entry's id depends on its source: the message is named by the entry as it is stored
    found = [(t.id, replace(t, source=prior.taken_back.get(t.id, t.source))) for t in appended if t.retracts]
    announced = [(entry, t) for entry, t in found if entry in prior.taken_back or leaves_acceptance(t, decision)]
    return [*announced, (appended[-1].id, prior.renewed)] if prior.renewed is not None else announced


def _find_index_retractions(situation: NewsContext) -> list[Effect]:
    """Where no channel hears of it: what a person releases before the index shows that an acceptance was retracted."""
    page, decision = situation.rules.index_page, situation.decision
    if not page:
        return []
    return [
        Effect(
            key=f"{situation.key}/{entry}/index",
            number=decision.number,
            channel="index",
            payload={"page_id": page, "text": render_retraction(situation.key, correction, decision), RETRACTS: True},
            approval=True,
        )
        for entry, correction in situation.corrections
        if leaves_acceptance(correction, decision)
    ]

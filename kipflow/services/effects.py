"""The effects of a decision: a pure function from a decision and its new history entries to outbox rows."""

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
    """What was announced before, as far as it matters for new messages.

    `taken_back`: the corrections (by id) of announced entries → the stage announced last. `renewed`: an earlier
    retraction of an acceptance whose message still waited when more happened: it is announced anew with the present
    stage. `known`: the new entries that people know already.
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
    """The messages that this decision requires; their keys make each happen once.

    Args:
        now: when this is recorded; later than `decision.as_of` in a backfill.
        prior: what was announced before.
        notice: the warning that the author must get.
        about: the proposal's facts; None if it is known only from an index row, and this is its first decision.
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
    if not situation.corrections:  # the message of a correction has the present stage too
        fresh = (t for t in appended if t.rule not in UNDATED and situation.is_fresh(t.at))
        news = [t for t in fresh if not t.retracts and t.id not in heard.known]
        situation = replace(situation, moves=news)
    return list(_plan(situation, ROWS))


def _plan(situation: NewsContext, rows: Iterable[NewsRule]) -> Iterator[Effect]:
    rules, number = situation.rules, situation.decision.number
    for row in rows:
        for key, subject in row.find(situation):
            kind = row.kind if isinstance(row.kind, str) else row.kind(subject)
            payload = rules.address(kind, row.write(situation, subject))
            if payload is None:
                continue
            yield Effect(
                key=key,
                number=number,
                channel="slack",
                payload=payload,
                # people act on an acceptance: a person releases its retraction
                approval=rules.needs_release(payload["channel"]) or RETRACTS in payload,
                renews=WARNS in payload,
                due_at=rules.find_due(kind, situation.recorded_at),
            )


def _find_announced(
    decision: Decision, appended: Sequence[Transition], prior: PriorNews
) -> list[tuple[str, Transition]]:
    """The corrections to announce, each with the id of the entry for its message's key."""
    # an entry's id depends on its source: the key uses the entry as stored
    found = [(t.id, replace(t, source=prior.taken_back.get(t.id, t.source))) for t in appended if t.retracts]
    announced = [(entry, t) for entry, t in found if entry in prior.taken_back or leaves_acceptance(t, decision)]
    return [*announced, (appended[-1].id, prior.renewed)] if prior.renewed is not None else announced


def _find_index_retractions(situation: NewsContext) -> list[Effect]:
    """Without Slack: the effects that a person releases before the index shows a retracted acceptance."""
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

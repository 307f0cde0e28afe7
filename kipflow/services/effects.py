"""The effects of a decision and its new history entries, and the unsent ones that they overtake.

The entries after a correction are announced in its message only. A correction whose message still waits is overtaken:
it is withdrawn, and the new message includes what is still true. While no person has released the retraction of an
acceptance, readers still believe that the proposal is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import takewhile

from kipflow.domain.decisions import Decision
from kipflow.domain.events import UNDATED, Stage, Transition
from kipflow.domain.facts import ProposalFacts, SilenceWarning
from kipflow.domain.proposals import format_key
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports.effects import OUT, RETRACTS, WAITING, WARNS, Effect, Outbox, OutboxRow
from kipflow.services.slack_messages import render_retraction
from kipflow.services.slack_news import (
    NUMBER_DOUBT_ROWS,
    ROWS,
    NewsContext,
    NewsRule,
    find_slack_key,
    leaves_acceptance,
)


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
    notice: SilenceWarning | None = None,
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


@dataclass(frozen=True, kw_only=True)
class Announced:
    """A proposal's entries, stored and new, and the status of their messages by entry id.

    `out` are the states that count as announced. `retraction` is an unsent effect that retracts an acceptance.
    """

    stored: Sequence[Transition]
    appended: Sequence[Transition]
    stage: Stage
    status: Mapping[str, str]
    out: frozenset[str]
    retraction: OutboxRow | None

    @cached_property
    def corrections(self) -> list[Transition]:
        return [t for t in self.appended if t.retracts]

    @cached_property
    def heard(self) -> list[Transition]:
        """The stored entries that people know: announced ones, and equal ones that were derived again later."""
        sent = [t for t in self.stored if self.status.get(t.id) in self.out]
        said = _find_said(sent)
        return [t for t in self.stored if t in sent or (not t.retracts and t.plain_id in said)]

    @cached_property
    def overtaken(self) -> list[Transition]:
        """The earlier corrections whose messages have not been sent."""
        return [t for t in self.stored if t.retracts and t not in self.heard and self.status.get(t.id) in WAITING]

    @cached_property
    def known(self) -> frozenset[str]:
        """The new entries that people know already: an equal one was announced and never taken back."""
        said = _find_said(self.heard)
        return frozenset(t.id for t in self.appended if t.plain_id in said)

    @property
    def is_retraction_overtaken(self) -> bool:
        """Whether the unsent retraction is out of date: it is still held, or another correction came."""
        return self.retraction is not None and (self.retraction.status == "held" or bool(self.corrections))


def settle_announcements(
    outbox: Outbox, stored: Sequence[Transition], appended: Sequence[Transition], rules: EffectRules, *, stage: Stage
) -> PriorNews:
    """Withdraw unsent messages that no longer hold. Returns what people know already, for the new messages."""
    if not appended or not any(t.retracts for t in (*stored, *appended)):
        return PriorNews()
    key = format_key(rules.prefix, appended[0].number)
    keys = {t.id: find_slack_key(key, t.id) for t in (*stored, *appended)}
    status = outbox.load_status(keys.values())
    announced = Announced(
        stored=stored,
        appended=appended,
        stage=stage,
        status={entry: status[k] for entry, k in keys.items() if k in status},
        out=OUT if rules.sends else OUT | {"skipped"},  # dry-run: what would have been sent counts as announced
        retraction=outbox.find_waiting_retraction(appended[0].number),
    )
    overtaken = [t.id for t in announced.overtaken]
    for correction in announced.corrections:
        gone = [keys[entry] for entry in (*correction.retracts, *overtaken) if entry in announced.status]
        outbox.withdraw(gone, why=f"corrected: {correction.note}")
    if announced.retraction is not None and announced.is_retraction_overtaken:
        outbox.withdraw([announced.retraction.key], why=f"overtaken: {appended[-1].rule}, now {stage}")
    return _find_prior_news(announced)


def _find_prior_news(announced: Announced) -> PriorNews:
    known, corrections = announced.known, announced.corrections
    is_accepted = announced.stage is Stage.ACCEPTED
    if announced.is_retraction_overtaken and not is_accepted and corrections:
        # nobody knows of the retraction: readers still believe in the acceptance
        return PriorNews(taken_back=dict.fromkeys((t.id for t in corrections), Stage.ACCEPTED), known=known)
    if announced.is_retraction_overtaken and not is_accepted:
        # announce the retraction together with the present stage
        retraction = next(t for t in reversed(announced.stored) if t.retracts)
        return PriorNews(renewed=replace(retraction, source=Stage.ACCEPTED), known=known)
    if announced.is_retraction_overtaken and _find_announced_stage(announced) is Stage.ACCEPTED:
        # accepted again, and readers never heard of the retraction: nothing is news to them
        return PriorNews(known=known | {t.id for t in announced.appended if t.source is not t.target})
    stages = {t.id: _find_last_heard(announced, t) for t in corrections}
    return PriorNews(taken_back={entry: stage for entry, stage in stages.items() if stage is not None}, known=known)


def _find_last_heard(announced: Announced, correction: Transition) -> Stage | None:
    """The stage announced last, if the correction takes back something announced; else None."""
    if any(t.id in correction.retracts or t.retracts for t in announced.heard):
        return correction.source
    unheard = {entry for t in announced.overtaken for entry in t.retracts}
    last = next((t for t in reversed(announced.heard) if t.id in unheard), None)
    return last.target if last is not None and last.target is not announced.stage else None


def _find_announced_stage(announced: Announced) -> Stage | None:
    """The stage announced last. A correction's message includes the entries after it, up to the next one."""
    if not announced.heard:
        return None
    last, stored = announced.heard[-1], announced.stored
    if not last.retracts:
        return last.target
    followed = takewhile(lambda t: not t.retracts, stored[stored.index(last) + 1 :])
    return [last, *followed][-1].target


def _find_said(heard: Sequence[Transition]) -> set[str]:
    """The announced transitions (by `plain_id`) that no later announcement took back."""
    denied = {entry for t in heard for entry in t.retracts}
    return {t.plain_id for t in heard if not t.retracts and t.id not in denied}

"""What people heard of a proposal, beside what holds now: what is withdrawn, what is taken back and what is news.

What an earlier correction announced is in no message of its own. Where its message still
waits, it is overtaken: it goes out no more, and the new message says what is still true of it.
Where no person let the retraction of an acceptance be known yet, people hold the proposal for accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from kipflow.domain.events import Stage, Transition
from kipflow.domain.proposals import format_key
from kipflow.services.effectrules import EffectRules
from kipflow.services.effects import PriorNews
from kipflow.services.newsrows import find_slack_key
from kipflow.services.ports import OUT, WAITING, Outbox, OutboxRow


@dataclass(frozen=True, kw_only=True)
class Announced:
    """A proposal's entries, stored and new, with the status of each one's message by the entry's id.

    `out` are the states that count as heard. `retraction`: the effect, not sent yet, saying that an acceptance
    does not hold.
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
        """The stored entries that people know of: those that were sent, and their like that followed again unheard."""
        sent = [t for t in self.stored if self.status.get(t.id) in self.out]
        said = _find_said(sent)
        return [t for t in self.stored if t in sent or (not t.retracts and t.plain_id in said)]

    @cached_property
    def overtaken(self) -> list[Transition]:
        """The earlier corrections whose messages still wait."""
        return [t for t in self.stored if t.retracts and t not in self.heard and self.status.get(t.id) in WAITING]

    @cached_property
    def known(self) -> frozenset[str]:
        """The new entries that people heard of and that nobody took back: what was retracted unheard is no news."""
        said = _find_said(self.heard)
        return frozenset(t.id for t in self.appended if t.plain_id in said)

    @property
    def is_retraction_overtaken(self) -> bool:
        """More happened while a person had not released the retraction, or another correction came before it went
        out."""
        return self.retraction is not None and (self.retraction.status == "held" or bool(self.corrections))


def settle_announcements(
    outbox: Outbox,
    stored: Sequence[Transition],
    appended: Sequence[Transition],
    rules: EffectRules,
    *,
    stage: Stage,
) -> PriorNews:
    """Withdraw what is not sent of what no longer holds; what people heard before of what is to be said now."""
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
        out=OUT if rules.sends else OUT | {"skipped"},  # in dry-run nothing goes out: it shows what would have
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
        # nobody knows of the retraction: whatever follows, people come from an acceptance
        return PriorNews(taken_back=dict.fromkeys((t.id for t in corrections), Stage.ACCEPTED), known=known)
    if announced.is_retraction_overtaken and not is_accepted:
        # the retraction is announced with what holds now
        retraction = next(t for t in reversed(announced.stored) if t.retracts)
        return PriorNews(renewed=replace(retraction, source=Stage.ACCEPTED), known=known)
    if announced.is_retraction_overtaken and _find_announced_stage(announced) is Stage.ACCEPTED:
        # accepted again, and people never heard otherwise: they hold for so what holds
        return PriorNews(known=known | {t.id for t in announced.appended if t.source is not t.target})
    stages = {t.id: _find_last_heard(announced, t) for t in corrections}
    return PriorNews(taken_back={entry: stage for entry, stage in stages.items() if stage is not None}, known=known)


def _find_last_heard(announced: Announced, correction: Transition) -> Stage | None:
    """The stage that people heard of last, where the correction takes back what they heard; else None."""
    if any(t.id in correction.retracts or t.retracts for t in announced.heard):
        return correction.source
    unheard = {entry for t in announced.overtaken for entry in t.retracts}
    last = next((t for t in reversed(announced.heard) if t.id in unheard), None)
    return last.target if last is not None and last.target is not announced.stage else None


def _find_announced_stage(announced: Announced) -> Stage | None:
    """The stage that people heard of last. A correction is announced with what followed it, up to the next one."""
    if not announced.heard:
        return None
    last, stored = announced.heard[-1], announced.stored
    if not last.retracts:
        return last.target
    followed = takewhile(lambda t: not t.retracts, stored[stored.index(last) + 1 :])
    return [last, *followed][-1].target


def _find_said(heard: Sequence[Transition]) -> set[str]:
    """What people were notified and nobody took back to them, however often it followed."""
    denied = {entry for t in heard for entry in t.retracts}
    return {t.plain_id for t in heard if not t.retracts and t.id not in denied}

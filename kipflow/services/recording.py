"""Record a decision: new history entries, their effects, and updates of sent messages.

History is corrected by new entries, never by edits. A correction names its cause: the facts that came since the last
decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.clocks import after
from kipflow.domain.decisions import Decision, ReviewItem
from kipflow.domain.events import Evidence, Stage, Transition, effective, reconcile
from kipflow.domain.facts import ProposalFacts, Ruling, SilenceWarning
from kipflow.domain.lifecycle import decide
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import format_key
from kipflow.domain.stages.table import BY_PERSON
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.services.effectrules import EffectRules
from kipflow.services.effects import find_effects, settle_announcements
from kipflow.services.ports import Effect, HistoryStore, NewFact, Outbox, Session
from kipflow.services.slack_news import NEWS_AGE
from kipflow.services.votecards import keep_cards
from kipflow.services.wording import find_warning_key, say_rule

#: The most facts that a correction cites.
CITED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """The result for one proposal: its stage (None: nothing had happened yet) and what was added.

    `warning` is the warning that this decision wrote, if any; the author is warned when it is delivered.
    """

    number: int
    stage: Stage | None
    appended: tuple[Transition, ...] = ()
    effects: int = 0
    warning: SilenceWarning | None = None
    skipped: str = ""


def say_advance(done: Advance, prefix: str) -> str:
    """The result for a proposal, in one line for a log."""
    moves = [f"{t.source or 'new'} → {t.target}: {_say_cause(t)}" for t in done.appended]
    stays = f"{done.stage or 'not begun yet'}, as before"
    return f"{format_key(prefix, done.number)}: {done.skipped or '; '.join(moves) or stays}"


def _say_cause(move: Transition) -> str:
    """The rule of a move in words, with its evidence."""
    line = move.note if move.retracts else move.evidence[0].line if move.evidence else ""
    return f"{say_rule(move.rule)}{f' ({line})' if line else ''}"


def find_notice(
    decision: Decision, facts: ProposalFacts, policy: Policy, recorded_at: datetime
) -> SilenceWarning | None:
    """The undelivered warning of the present silence; None if there is none.

    Its date is at least a whole grace period ahead of `recorded_at`.
    """
    past = decision.as_of < recorded_at
    now = decide(facts, policy, recorded_at) if past and decision.warning is not None else decision
    if now is None or now.warning is None or now.warned_at is not None:
        return None
    due_at = now.warning.due_at
    return replace(now.warning, due_at=due_at and max(due_at, after(recorded_at, policy.grace)))


def withdraw_overtaken(session: Session, decision: Decision, facts: ProposalFacts, effects: EffectRules) -> None:
    """Withdraw unsent warnings of silences that are over: their date no longer holds."""
    key = format_key(effects.prefix, decision.number)
    lasting = decision.warning.silent_at if decision.warning is not None else None
    over = [w for w in facts.warnings if w.warned_at <= decision.as_of and w.silent_at != lasting]
    if over:
        session.outbox.withdraw(
            [find_warning_key(key, w) for w in over], why="its silence is over, or its date has passed"
        )


def record(
    session: Session,
    decision: Decision,
    facts: ProposalFacts,
    effects: EffectRules,
    now: datetime,
    run_id: str,
    notice: SilenceWarning | None,
) -> Advance:
    stored = session.history.load(decision.number)
    appended = find_appended(session.history, stored, decision)
    asked = find_retraction((*stored, *appended), decision, facts.rulings)
    decision = decision if asked is None else replace(decision, review=(*decision.review, asked))
    session.history.append(appended, recorded_at=now, run_id=run_id)
    prior = settle_announcements(session.outbox, stored, appended, effects, stage=decision.stage)
    fresh = appended
    if decision.number_doubt is None and session.history.is_claimed(decision.number):
        # nothing was announced while only mail claimed its number: announce now what is still news
        fresh = (*effective(stored), *appended)
    caused = find_effects(decision, fresh, effects, now=now, prior=prior, notice=notice, about=facts)
    added = session.outbox.enqueue(caused, now=now, sends=effects.sends)
    updates = _update_cards(session.outbox, decision, facts, effects, now)
    added += session.outbox.enqueue(updates, now=now, sends=effects.sends)
    session.history.save_decision(decision, facts.proposal)
    return Advance(number=decision.number, stage=decision.stage, appended=appended, effects=added)


def _update_cards(
    outbox: Outbox, decision: Decision, facts: ProposalFacts, effects: EffectRules, now: datetime
) -> list[Effect]:
    """Rewrite the messages of votes that are out of date. Returns the replies for their threads.

    Not while the retraction of an acceptance waits for a person, nor in a backfill.
    """
    if not effects.notifies or decision.number_doubt is not None or now - decision.as_of > NEWS_AGE:
        return []
    cards = outbox.load_cards(decision.number)
    retraction = outbox.find_waiting_retraction(decision.number) if cards else None
    if not cards or (retraction is not None and retraction.status == "held"):
        return []
    news: list[Effect] = []
    for row, payload, replies in keep_cards(cards, decision, facts, effects):
        outbox.rewrite(row.key, payload, now=now, approval=effects.approves)
        news += replies
    return news


def find_retraction(entries: Sequence[Transition], decision: Decision, rulings: Sequence[Ruling]) -> ReviewItem | None:
    """The question about a retracted acceptance, until a person settles the stage or refuses the number, or the
    proposal is accepted again.

    `entries` are the whole history as recorded. It is asked in dry-run too, whatever was announced.
    """
    is_refused = decision.number_doubt is not None and decision.number_doubt.kind is NumberDoubtKind.REFUSED
    if decision.stage is Stage.ACCEPTED or is_refused:  # with a refused number it is no proposal
        return None
    accepted = {t.id: t for t in entries if t.target is Stage.ACCEPTED and t.source is not Stage.ACCEPTED}
    found = [i for i, t in enumerate(entries) if not accepted.keys().isdisjoint(t.retracts)]
    if not found or any(t.rule in BY_PERSON for t in entries[found[-1] + 1 :]):
        return None
    correction = entries[found[-1]]
    lost = next(accepted[i] for i in correction.retracts if i in accepted)
    if any(r.kind == "stage" and r.revoked_at is None and r.made_at > correction.at for r in rulings):
        return None
    return ReviewItem(
        kind="retraction",
        subject=correction.id,
        question=f"the acceptance of {say_moment(lost.at)} was taken back, and the stage is {decision.stage} "
        "now. Is that right?",
        line=correction.note,
        outcomes=(f"if it is: {decision.stage}", f"if not: {Stage.ACCEPTED}"),
        asked_at=decision.as_of,
    )


def find_appended(history: HistoryStore, stored: Sequence[Transition], decision: Decision) -> tuple[Transition, ...]:
    """The entries to append; a correction among them names its cause: late facts, or changed rules."""
    appended = reconcile(stored, decision.history)
    if not any(t.retracts for t in appended):
        return tuple(appended)
    lost = {entry for correction in appended for entry in correction.retracts}
    came = _leave_out_known(history.load_new_facts(decision.number), history.load_decided_at(decision.number))
    late = [f for f in came if f.at <= decision.as_of]
    policies = {t.policy_version for t in stored if t.id in lost} - {decision.policy_version}
    why = _say_why(late, rules_changed=history.load_rules_changed(decision.number), policies=sorted(policies))
    times = "{} (of {:%Y-%m-%d %H:%M}, seen {:%Y-%m-%d %H:%M} UTC)"
    cited = tuple(
        Evidence(kind=f.kind, ref=f.ref, line=times.format(f.line, f.at, f.seen_at), url=f.url) for f in late[:CITED]
    )
    # an entry's id does not include the note, or evidence after the first piece
    return tuple(
        replace(t, note=f"{t.note}: {why}" if t.note else why, evidence=(*t.evidence, *cited)) if t.retracts else t
        for t in appended
    )


def _leave_out_known(came: Sequence[NewFact], decided_at: datetime | None) -> list[NewFact]:
    """The facts that came after the newest decision.

    Facts known by then are no cause of a change. If there are no others, a backdated ruling is the cause.
    """
    fresh = [f for f in came if decided_at is None or f.seen_at >= decided_at]
    return fresh or [f for f in came if f.kind == "ruling"]


def _say_why(late: Sequence[NewFact], *, rules_changed: bool, policies: Sequence[str]) -> str:
    """The reason of a correction in one line."""
    reasons = []
    for kind, one, many in _WORDS:
        found = [f for f in late if f.kind == kind]
        if found:
            days = max((f.seen_at - f.at).days for f in found)
            behind = f", up to {say_count(days, 'day')} late" if kind == "message" and days else ""
            reasons.append(f"{one if len(found) == 1 else many.format(len(found))}{behind}")
    if policies:
        reasons.append(f"the policy changed since ({', '.join(policies)})")
    elif rules_changed:
        reasons.append("the roster or kipflow's rules changed")
    return " and ".join(reasons) or "its facts come to something else now"


_WORDS = (
    ("reading", "a mail was read again by newer rules", "{} mails were read again by newer rules"),
    ("message", "a mail came", "{} mails came"),
    ("page", "a version of its page came", "{} versions of its page came"),
    ("index", "an index row came", "{} index rows came"),
    ("undone", "an ingest was undone", "{} ingests were undone"),
    ("ruling", "a person ruled or took a ruling back", "people ruled or took {} rulings back"),
)

"""What a correction of history says, and whom it must reach.

History is corrected by new entries, never by edits. A correction tells what it rests on: the facts that
came since the proposal was last decided. Whoever was told what no longer holds is told that; what was
not sent yet is taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Evidence, Stage, Transition
from kipflow.domain.proposals import format_key
from kipflow.services.effects import EffectRules, Told, find_slack_key
from kipflow.services.ports import NewFact, Session

#: Facts that a correction cites; the rest are counted.
CITED = 5
#: States of a message that has not gone out.
_WAITING = frozenset({"pending", "held", "failed"})


def explain_corrections(
    session: Session, stored: Sequence[Transition], appended: Sequence[Transition], decision: Decision
) -> tuple[Transition, ...]:
    """The entries to append, a correction among them saying why: which facts came late, or which rules changed."""
    if not any(t.retracts for t in appended):
        return tuple(appended)
    lost = {entry for correction in appended for entry in correction.retracts}
    came = _leave_out_known(session.load_new_facts(decision.number), session.load_decided_at(decision.number))
    late = [f for f in came if f.at <= decision.as_of]
    policies = {t.policy_version for t in stored if t.id in lost} - {decision.policy_version}
    why = say_why(late, rules_changed=session.load_rules_changed(decision.number), policies=sorted(policies))
    cited = tuple(Evidence(kind=f.kind, ref=f.ref, line=_cite(f), url=f.url) for f in late[:CITED])
    # the note and what follows the first piece of evidence are no part of an entry's id
    return tuple(
        replace(t, note=f"{t.note}: {why}" if t.note else why, evidence=(*t.evidence, *cited)) if t.retracts else t
        for t in appended
    )


def _leave_out_known(came: Sequence[NewFact], decided_at: datetime | None) -> list[NewFact]:
    """The facts that came after the newest decision.

    A ruling can be dated back, and what was known already when it was made is no cause of what it changes.
    """
    fresh = [f for f in came if decided_at is None or f.seen_at >= decided_at]
    return fresh or [f for f in came if f.kind == "ruling"]


def say_why(late: Sequence[NewFact], *, rules_changed: bool, policies: Sequence[str]) -> str:
    """The reason of a correction in one line."""
    reasons = []
    for kind, one, many in _WORDS:
        found = [f for f in late if f.kind == kind]
        if found:
            days = max((f.seen_at - f.at).days for f in found)
            behind = f", up to {days} day{'s' if days != 1 else ''} late" if kind == "message" and days else ""
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
    ("ruling", "a person ruled or took a ruling back", "people ruled or took {} rulings back"),
)


def settle_announcements(
    session: Session,
    stored: Sequence[Transition],
    appended: Sequence[Transition],
    rules: EffectRules,
    *,
    stage: Stage,
) -> Told:
    """Take back what is not sent of what no longer holds; what people heard before of what is to be said now.

    An earlier correction told people as well: what it announced is in no message of its own. Where its message
    still waits, it is overtaken: it goes out no more, and what it would have told is for the new one to tell, if it
    is true still. Where no person let the fall of an acceptance be known yet, people hold the proposal for accepted.
    """
    if not appended or not any(t.retracts for t in (*stored, *appended)):
        return Told()
    entries = [*stored, *appended]
    key = format_key(rules.prefix, appended[0].number)
    status = session.load_effect_status(find_slack_key(key, t.id) for t in entries)
    # in dry-run nothing was sent, and nothing will be: it shows what would have been
    # who may have read a message must hear that it no longer holds
    out = {"sent", "unsure"} if rules.sends else {"sent", "unsure", "skipped"}
    heard = _find_heard(stored, [t for t in stored if status.get(find_slack_key(key, t.id)) in out])
    fall = session.find_waiting_fall(appended[0].number)
    corrections = [t for t in appended if t.retracts]
    taken_back: dict[str, Stage | None] = {}
    for correction in corrections:
        overtaken = [
            t for t in stored if t.retracts and t not in heard and status.get(find_slack_key(key, t.id)) in _WAITING
        ]
        gone = [find_slack_key(key, e) for e in (*correction.retracts, *(t.id for t in overtaken))]
        session.withdraw_effects([k for k in gone if k in status], why=f"corrected: {correction.note}")
        last = _find_last_heard(correction, overtaken, heard, stage)
        if last is not None:
            taken_back[correction.id] = last
    known = _find_known(appended, heard)
    if fall is None or (fall.status != "held" and not corrections):
        return Told(taken_back=taken_back, known=known)
    # nobody knows of the fall: whatever follows, people come from an acceptance
    session.withdraw_effects([fall.key], why=f"overtaken: {appended[-1].rule}, now {stage}")
    if stage is not Stage.ACCEPTED and not corrections:
        fallen = next(t for t in reversed(stored) if t.retracts)
        return Told(renewed=replace(fallen, source=Stage.ACCEPTED), known=known)
    if stage is not Stage.ACCEPTED:
        return Told(taken_back=dict.fromkeys((t.id for t in corrections), Stage.ACCEPTED), known=known)
    if _find_told_stage(stored, heard) is not Stage.ACCEPTED:
        return Told(taken_back=taken_back, known=known)
    return Told(known=known | {t.id for t in appended if t.source is not t.target})


def _find_last_heard(
    correction: Transition, overtaken: Sequence[Transition], heard: Sequence[Transition], stage: Stage
) -> Stage | None:
    """The stage that people heard of last, where the correction takes back what they heard; else None."""
    if any(t.id in correction.retracts or t.retracts for t in heard):
        return correction.source
    unheard = {entry for t in overtaken for entry in t.retracts}
    last = next((t for t in reversed(heard) if t.id in unheard), None)
    return last.target if last is not None and last.target is not stage else None


def _find_heard(stored: Sequence[Transition], sent: Sequence[Transition]) -> list[Transition]:
    """The stored entries that people know of: those that were sent, and their like that followed again unheard."""
    said = _find_said(sent)
    return [t for t in stored if t in sent or (not t.retracts and _plain_id(t) in said)]


def _find_known(appended: Sequence[Transition], heard: Sequence[Transition]) -> frozenset[str]:
    """The new entries that people heard of before and that nobody took back: what was retracted unheard and follows
    again is no news."""
    said = _find_said(heard)
    return frozenset(t.id for t in appended if _plain_id(t) in said)


def _find_said(heard: Sequence[Transition]) -> set[str]:
    """What people were told and nobody took back to them, however often it followed."""
    denied = {entry for t in heard for entry in t.retracts}
    return {_plain_id(t) for t in heard if not t.retracts and t.id not in denied}


def _plain_id(transition: Transition) -> str:
    return replace(transition, repeat=0).id


def _find_told_stage(stored: Sequence[Transition], heard: Sequence[Transition]) -> Stage | None:
    """The stage that people heard of last. A correction is told with what followed it, up to the next one."""
    if not heard:
        return None
    if not heard[-1].retracts:
        return heard[-1].target
    followed = takewhile(lambda t: not t.retracts, stored[stored.index(heard[-1]) + 1 :])
    return [heard[-1], *followed][-1].target


def _cite(fact: NewFact) -> str:
    return f"{fact.line} (of {fact.at:%Y-%m-%d %H:%M}, seen {fact.seen_at:%Y-%m-%d %H:%M} UTC)"

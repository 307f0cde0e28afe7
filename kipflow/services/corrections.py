"""What a correction of history says, and whom it must reach.

History is corrected by new entries, never by edits. A correction tells what it rests on: the facts that
came since the proposal was last decided. Whoever was told what no longer holds is told that; what was
not sent yet is taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Evidence, Stage, Transition
from kipflow.domain.proposals import format_key
from kipflow.services.effects import EffectRules, find_slack_key
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
) -> dict[str, Stage | None]:
    """Take back what is not sent of what no longer holds; the corrections that people must hear, by id.

    Each with the stage that people heard of last. An earlier correction told people as well: what it announced is
    in no message of its own. Where its message still waits, it is overtaken: it goes out no more, and what it
    would have told is for the new one to tell, if it is true still.
    """
    corrections = [t for t in appended if t.retracts]
    if not corrections:
        return {}
    key = format_key(rules.prefix, corrections[0].number)
    entries = {t.id: t for t in stored}
    keys = {entry: find_slack_key(key, entry) for entry in (*entries, *(e for c in corrections for e in c.retracts))}
    status = session.load_effect_status(keys.values())
    # in dry-run nothing was sent, and nothing will be: it shows what would have been
    heard = [t for t in stored if status.get(keys[t.id]) in ({"sent"} if rules.sends else {"sent", "skipped"})]
    earlier = [t for t in stored if t.retracts]
    overtaken = [t for t in earlier if t not in heard and status.get(keys[t.id]) in _WAITING]
    told: dict[str, Stage | None] = {}
    for correction in corrections:
        gone = {*correction.retracts, *(t.id for t in overtaken)}
        session.withdraw_effects([keys[e] for e in gone if keys[e] in status], why=f"corrected: {correction.note}")
        if any(t.id in correction.retracts or t.retracts for t in heard):
            told[correction.id] = correction.source
        unheard = {entry for t in overtaken for entry in t.retracts}
        last = next((t for t in reversed(heard) if t.id in unheard), None)
        if last is not None and correction.id not in told and last.target is not stage:
            told[correction.id] = last.target
    return told


def _cite(fact: NewFact) -> str:
    return f"{fact.line} (of {fact.at:%Y-%m-%d %H:%M}, seen {fact.seen_at:%Y-%m-%d %H:%M} UTC)"

"""What a correction of history says: history is corrected by new entries, never by edits.

A correction names what it rests on: the facts that came since the proposal was last decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Evidence, Transition
from kipflow.services.ports import HistoryStore, NewFact

#: Facts that a correction cites; the rest are counted.
CITED = 5


def explain_corrections(
    history: HistoryStore, stored: Sequence[Transition], appended: Sequence[Transition], decision: Decision
) -> tuple[Transition, ...]:
    """The entries to append, a correction among them saying why: which facts came late, or which rules changed."""
    if not any(t.retracts for t in appended):
        return tuple(appended)
    lost = {entry for correction in appended for entry in correction.retracts}
    came = _leave_out_known(history.load_new_facts(decision.number), history.load_decided_at(decision.number))
    late = [f for f in came if f.at <= decision.as_of]
    policies = {t.policy_version for t in stored if t.id in lost} - {decision.policy_version}
    why = say_why(late, rules_changed=history.load_rules_changed(decision.number), policies=sorted(policies))
    times = "{} (of {:%Y-%m-%d %H:%M}, seen {:%Y-%m-%d %H:%M} UTC)"
    cited = tuple(
        Evidence(kind=f.kind, ref=f.ref, line=times.format(f.line, f.at, f.seen_at), url=f.url) for f in late[:CITED]
    )
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
    ("undone", "an ingest was undone", "{} ingests were undone"),
    ("ruling", "a person ruled or took a ruling back", "people ruled or took {} rulings back"),
)

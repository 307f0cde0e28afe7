"""An acceptance that was taken back: a person says whether it was right."""

from __future__ import annotations

from collections.abc import Sequence

from kipflow.domain.claims import ClaimKind
from kipflow.domain.decisions import Decision, ReviewItem
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import Ruling
from kipflow.domain.stages.table import BY_PERSON


def find_retraction(entries: Sequence[Transition], decision: Decision, rulings: Sequence[Ruling]) -> ReviewItem | None:
    """The question that a retracted acceptance leaves, until a person settles the stage, refuses the number,
    or it is accepted again.

    `entries` are the whole history as recorded. What people were notified stands in the outbox apart from this: it is
    asked in dry-run too.
    """
    is_refused = decision.claim is not None and decision.claim.kind is ClaimKind.REFUSED
    if decision.stage is Stage.ACCEPTED or is_refused:  # who refused its number said that it is no proposal
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
        question=f"the acceptance of {lost.at:%Y-%m-%d %H:%M} UTC was taken back, and the stage is {decision.stage} "
        "now. Is that right?",
        line=correction.note,
        outcomes=(f"if it is: {decision.stage}", f"if not: {Stage.ACCEPTED}"),
        asked_at=decision.as_of,
    )

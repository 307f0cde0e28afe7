"""Doubts about a proposal's number. A number that only mail names is shown and asked about, and has no consequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from kipflow.domain.facts import ProposalFacts, Ruling
from kipflow.domain.proposals import format_key, is_jump
from kipflow.domain.ruled import ANSWERS, rulings_in_force


class NumberDoubtKind(StrEnum):
    """CLAIMED: only mail names the number. REFUSED: a person ruled that it is no proposal's. JUMP: a page or index row
    has it, but it lies far beyond all others; such a proposal is followed like any other, and asked about."""

    CLAIMED = "claimed"
    REFUSED = "refused"
    JUMP = "jump"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberDoubt:
    """The doubt, and `why`, in words for readers. It quotes no mail, so no stranger's text gets in.

    `blocks_votes`: no vote on the proposal ends while the doubt lasts. `is_known`: somebody in the roster wrote on it.
    """

    kind: NumberDoubtKind
    why: str
    blocks_votes: bool = False
    is_known: bool = False
    asked_at: datetime | None = None

    @property
    def is_real(self) -> bool:
        """Whether the proposal is in the index and people are notified of it."""
        return self.kind is NumberDoubtKind.JUMP


def find_number_doubt(facts: ProposalFacts, as_of: datetime) -> NumberDoubt | None:
    """The doubt about the proposal's number, as known at `as_of`; None if there is none.

    Index rows always count: they are dated by when they were first seen, not by when they were written. A page that
    came after a refusal outweighs it: whoever refused did not know the page.
    """
    seen = [*_find_births(facts, as_of)]
    ruling = find_answer(facts, as_of)
    if ruling is not None and ruling.value.get("number") == "accept":
        return None
    if ruling is not None and (not seen or min(seen) <= ruling.made_at):
        return NumberDoubt(kind=NumberDoubtKind.REFUSED, why=f"by {ruling.author}: {ruling.reason}", blocks_votes=True)
    numbering, number = facts.numbering, facts.proposal.number
    gap = ""
    if is_jump(number, numbering.below) and numbering.below is not None:
        prefix = facts.key.removesuffix(f"-{number}")
        gap = f"it lies {number - numbering.below} beyond {format_key(prefix, numbering.below)}, the next lower number"
    if seen:
        return NumberDoubt(kind=NumberDoubtKind.JUMP, why=gap) if gap else None
    if not numbering.by_wiki:
        return NumberDoubt(kind=NumberDoubtKind.CLAIMED, why=f"only mail names it, and {gap}") if gap else None
    if numbering.unread:
        ways = "run `kipflow sync` or `kipflow index import FILE`"
        word = f'settle it with `kipflow review number {number} accept --reason "…"`'
        return NumberDoubt(
            kind=NumberDoubtKind.CLAIMED, why=f"the wiki was never read: {ways}, or {word}", blocks_votes=True
        )
    writers = [w for w in numbering.writers if w.at <= as_of]
    why = "only mail names it: no page and no row of the index has this number"
    return NumberDoubt(
        kind=NumberDoubtKind.CLAIMED,
        why=f"{why}, and {gap}" if gap else why,
        blocks_votes=True,
        is_known=bool(writers),
        asked_at=min((w.at for w in writers), default=None),
    )


def find_answer(facts: ProposalFacts, as_of: datetime) -> Ruling | None:
    """The newest ruling on the number that is in force."""
    found = [
        r for r in rulings_in_force(facts.rulings, as_of) if r.kind == "number" and r.value.get("number") in ANSWERS
    ]
    return found[-1] if found else None


def _find_births(facts: ProposalFacts, as_of: datetime) -> Iterator[datetime]:
    """When pages and index rows with this number were first seen."""
    number = facts.proposal.number
    yield from (p.saved_at for p in facts.pages if p.number == number and p.saved_at <= as_of)
    yield from (a.since for a in facts.absences)
    yield from (e.seen_at for e in facts.index_entries)

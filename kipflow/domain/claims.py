"""Whether a number is a proposal's: one that only mail claims is shown and asked about, and nothing follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from kipflow.domain.care import standing
from kipflow.domain.facts import ProposalFacts, Ruling
from kipflow.domain.numbering import is_jump
from kipflow.domain.proposals import format_key

ANSWERS = ("accept", "refuse")


class ClaimKind(StrEnum):
    """CLAIMED: only mail names the number. REFUSED: a person said that it is no proposal's. JUMP: page or row have
    it, but it lies far beyond all others; such a proposal is followed like any other, and asked about."""

    CLAIMED = "claimed"
    REFUSED = "refused"
    JUMP = "jump"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is doubtful about a number, and `why`, fit for a reader. It quotes no mail: what strangers wrote stays out.

    `holds`: no vote on it ends before the number is real. `is_known`: somebody whom the roster knows wrote in it.
    """

    kind: ClaimKind
    why: str
    holds: bool = False
    is_known: bool = False
    asked_at: datetime | None = None

    @property
    def is_real(self) -> bool:
        """Whether the proposal has its place among the others: in the index, and in what people are notified."""
        return self.kind is ClaimKind.JUMP


def find_claim(facts: ProposalFacts, as_of: datetime) -> Claim | None:
    """What is doubtful about the proposal's number by what is known at `as_of`; None for a number like any other.

    A row of the index is dated by when it was first seen, which says nothing of when it was written: it always
    counts. A page that came after a refusal is news to whoever refused.
    """
    seen = [*_find_births(facts, as_of)]
    ruling = find_answer(facts, as_of)
    if ruling is not None and ruling.value.get("number") == "accept":
        return None
    if ruling is not None and (not seen or min(seen) <= ruling.made_at):
        return Claim(kind=ClaimKind.REFUSED, why=f"by {ruling.author}: {ruling.reason}", holds=True)
    numbering, number = facts.numbering, facts.proposal.number
    gap = ""
    if is_jump(number, numbering.below) and numbering.below is not None:
        prefix = facts.key.removesuffix(f"-{number}")
        gap = f"it lies {number - numbering.below} beyond {format_key(prefix, numbering.below)}, the next lower number"
    if seen:
        return Claim(kind=ClaimKind.JUMP, why=gap) if gap else None
    if not numbering.by_wiki:
        return Claim(kind=ClaimKind.CLAIMED, why=f"only mail names it, and {gap}") if gap else None
    if numbering.unread:
        ways = "run `kipflow sync` or `kipflow index import FILE`"
        word = f'settle it with `kipflow review number {number} accept --reason "…"`'
        return Claim(kind=ClaimKind.CLAIMED, why=f"the wiki was never read: {ways}, or {word}", holds=True)
    writers = [w for w in numbering.writers if w.at <= as_of]
    why = "only mail names it: no page and no row of the index has this number"
    return Claim(
        kind=ClaimKind.CLAIMED,
        why=f"{why}, and {gap}" if gap else why,
        holds=True,
        is_known=bool(writers),
        asked_at=min((w.at for w in writers), default=None),
    )


def find_answer(facts: ProposalFacts, as_of: datetime) -> Ruling | None:
    """A person's newest standing word on the number."""
    found = [r for r in standing(facts.rulings, as_of) if r.kind == "number" and r.value.get("number") in ANSWERS]
    return found[-1] if found else None


def _find_births(facts: ProposalFacts, as_of: datetime) -> Iterator[datetime]:
    """When wiki and index were first seen to have the number."""
    number = facts.proposal.number
    yield from (p.saved_at for p in facts.pages if p.number == number and p.saved_at <= as_of)
    yield from (a.since for a in facts.absences)
    yield from (e.seen_at for e in facts.index_entries)

"""Drift: what wiki, index and tickets say against what the facts come to. Reported, never obeyed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.events import Stage
from kipflow.domain.facts import ProposalFacts, StatusWord

_STAGES_OF_WORD: dict[StatusWord, frozenset[Stage]] = {
    StatusWord.DRAFT: frozenset({Stage.DRAFT}),
    StatusWord.DISCUSSION: frozenset({Stage.DISCUSSION}),
    StatusWord.VOTE: frozenset({Stage.VOTE}),
    StatusWord.ACCEPTED: frozenset({Stage.ACCEPTED}),
    StatusWord.REJECTED: frozenset({Stage.REJECTED}),
    StatusWord.DORMANT: frozenset({Stage.DORMANT}),
    StatusWord.DISCARDED: frozenset({Stage.DISCARDED, Stage.REJECTED}),
}

#: The index has four sections: open proposals stand together, refused ones among the discarded.
SECTION_OF_STAGE: dict[Stage, str] = {
    Stage.DRAFT: "discussion",
    Stage.DISCUSSION: "discussion",
    Stage.VOTE: "discussion",
    Stage.ACCEPTED: "accepted",
    Stage.REJECTED: "discarded",
    Stage.DORMANT: "dormant",
    Stage.DISCARDED: "discarded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One disagreement: who says what, what the facts say, and the edit that would settle it."""

    side: str
    says: str
    derived: str
    evidence: str
    mend: str


def find_drift(facts: ProposalFacts, stage: Stage, as_of: datetime) -> tuple[Drift, ...]:
    """Every side that, by what it said at `as_of`, contradicts the derived `stage`."""
    found: list[Drift] = []
    pages = [p for p in facts.pages if p.saved_at <= as_of]
    if pages:
        page = pages[-1]
        meant = _STAGES_OF_WORD.get(page.status)
        if meant is not None and stage not in meant:
            found.append(
                Drift(
                    side="page",
                    says=page.status_text,
                    derived=stage,
                    evidence=f"version {page.version} by {page.saved_by}",
                    mend=f'set "Current state" to "{stage}"',
                )
            )
    entries = [e for e in facts.index_entries if e.origin == "page" and e.seen_at <= as_of]
    if entries:
        newest = entries[-1]
        section = SECTION_OF_STAGE[stage]
        if newest.section not in {section, "unknown"}:
            found.append(
                Drift(
                    side="index",
                    says=newest.section,
                    derived=stage,
                    evidence=newest.title,
                    mend=f'move the row to the section "{section}"',
                )
            )
    return tuple(found)

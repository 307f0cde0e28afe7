"""What happened to a proposal, in the past tense, with the evidence for it, and the wiki's words for its stages.

The history is append-only: entries are never edited. Where later evidence (a repaired archive, a revoked ruling)
disproves stored entries, a correction is added that retracts them, and the entries that now follow are added after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from kipflow.domain.pages import StatusWord
from kipflow.domain.texts import digest_text
from kipflow.domain.votes import Vote


class Stage(StrEnum):
    """The stage of a proposal."""

    DRAFT = "Draft"
    DISCUSSION = "Discussion"
    VOTE = "Vote"
    ACCEPTED = "Accepted"
    REJECTED = "Rejected"
    DORMANT = "Dormant"
    DISCARDED = "Discarded"


OPEN_STAGES = frozenset({Stage.DRAFT, Stage.DISCUSSION, Stage.VOTE, Stage.DORMANT})
#: Stages that only a person's ruling can end.
SETTLED_STAGES = frozenset({Stage.ACCEPTED, Stage.REJECTED, Stage.DISCARDED})


class Actor(StrEnum):
    """Who or what moved a proposal."""

    MAIL = "mail"
    PAGE = "page"
    CLOCK = "clock"
    OPERATOR = "operator"
    IMPORT = "import"


#: Rules of moves whose date is unknown: an index listed the stage before kipflow followed the proposal.
UNDATED = frozenset({"index-import", "index-row"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One reason for a decision. `kind`: message, page, ruling, ballot, index or clock; `line` is a quote."""

    kind: str
    ref: str
    line: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A move from one stage to another, at the time when its rule became true.

    `source` is None for the first. Only corrections have `retracts`: the ids of earlier entries that later evidence
    disproved (entries are never edited). `repeat` distinguishes an entry from an equal one that was retracted before
    it.
    """

    number: int
    source: Stage | None
    target: Stage
    at: datetime
    rule: str
    actor: Actor
    policy_version: str
    evidence: tuple[Evidence, ...] = ()
    note: str = ""
    retracts: tuple[str, ...] = ()
    repeat: int = 0

    @property
    def id(self) -> str:
        """A stable id: the same facts give the same one on every machine."""
        lead, retracts = self.evidence[0].ref if self.evidence else "", ",".join(self.retracts)
        move = (self.number, self.source or "", self.target, self.at.isoformat(), self.rule)
        return digest_text("|".join(map(str, (*move, lead, retracts, self.repeat))), 20)

    @property
    def plain_id(self) -> str:
        """The id without `repeat`: how often the entry was retracted and derived again."""
        return self.id if self.repeat == 0 else replace(self, repeat=0).id


#: Page state → the stages that it agrees with. The template has no word for a running vote, so "Under Discussion"
#: agrees too.
STAGES_OF_WORD: dict[StatusWord, frozenset[Stage]] = {
    StatusWord.DRAFT: frozenset({Stage.DRAFT}),
    StatusWord.DISCUSSION: frozenset({Stage.DISCUSSION, Stage.VOTE}),
    StatusWord.VOTE: frozenset({Stage.VOTE}),
    StatusWord.ACCEPTED: frozenset({Stage.ACCEPTED}),
    StatusWord.REJECTED: frozenset({Stage.REJECTED}),
    StatusWord.DORMANT: frozenset({Stage.DORMANT}),
    StatusWord.DISCARDED: frozenset({Stage.DISCARDED, Stage.REJECTED}),
    # not filled in: agrees with any stage until the proposal is settled
    StatusWord.TEMPLATE: frozenset({Stage.DRAFT, Stage.DISCUSSION, Stage.VOTE, Stage.DORMANT}),
}
#: Stage → the state on its page, in the template's words.
PAGE_WORD: dict[Stage, str] = {
    Stage.DRAFT: "Draft",
    Stage.DISCUSSION: "Under Discussion",
    Stage.VOTE: "Voting",
    Stage.ACCEPTED: "Accepted",
    Stage.REJECTED: "Rejected",
    Stage.DORMANT: "Dormant",
    Stage.DISCARDED: "Discarded",
}
#: Stage → section of the index: all open ones share one, rejected ones are among the discarded.
SECTION_OF_STAGE: dict[Stage, str] = {
    Stage.DRAFT: "discussion",
    Stage.DISCUSSION: "discussion",
    Stage.VOTE: "discussion",
    Stage.ACCEPTED: "accepted",
    Stage.REJECTED: "discarded",
    Stage.DORMANT: "dormant",
    Stage.DISCARDED: "discarded",
}


def effective(stored: Sequence[Transition]) -> tuple[Transition, ...]:
    """The stored entries that are in effect: without corrections and what they retracted."""
    retracted = {entry for correction in stored for entry in correction.retracts}
    return tuple(t for t in stored if not t.retracts and t.id not in retracted)


def find_amendments(history: Sequence[Transition], votes: Iterable[Vote]) -> frozenset[str]:
    """The votes (by their opening mail) that were called when the proposal had been accepted already.

    They are about a change of an accepted proposal, which stays accepted whatever their outcome.
    """
    standing = effective(history)

    def stage_before(at: datetime) -> Stage | None:
        return next((t.target for t in reversed(standing) if t.at < at), None)

    return frozenset(
        vote.root_message_id
        for vote in votes
        if not vote.root_missing and stage_before(vote.opened_at) is Stage.ACCEPTED
    )


def reconcile(stored: Sequence[Transition], derived: Sequence[Transition]) -> tuple[Transition, ...]:
    """The entries to append to `stored` so that its effective part equals `derived`.

    Empty if they agree already. An entry that was retracted and follows again gets a higher `repeat`,
    so that its id is new.
    """
    standing = effective(stored)
    same = 0
    while same < min(len(standing), len(derived)) and standing[same].plain_id == derived[same].plain_id:
        same += 1
    lost, gained = standing[same:], list(derived[same:])
    if not lost:
        return tuple(_distinct(gained, stored))
    source = standing[-1].target
    target = standing[same - 1].target if same else Stage.DRAFT
    latest = derived[-1] if derived else lost[-1]
    correction = Transition(
        number=lost[0].number,
        source=source,
        target=target,
        at=max(t.at for t in (*lost, latest)),
        rule="correction",
        actor=Actor.CLOCK,
        policy_version=latest.policy_version,
        evidence=tuple(Evidence(kind="history", ref=t.id, line=f"{t.rule}: {t.target}") for t in lost),
        note=f"later evidence retracts {len(lost)} entr{'y' if len(lost) == 1 else 'ies'}",
        retracts=tuple(t.id for t in lost),
    )
    return (correction, *_distinct(gained, (*stored, correction)))


def _distinct(gained: Sequence[Transition], stored: Sequence[Transition]) -> list[Transition]:
    taken = {t.id for t in stored}
    fresh: list[Transition] = []
    for entry in gained:
        while entry.id in taken:
            entry = replace(entry, repeat=entry.repeat + 1)
        taken.add(entry.id)
        fresh.append(entry)
    return fresh

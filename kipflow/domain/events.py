"""What happened to a proposal, in the past tense, with the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from kipflow.domain.texts import digest_text


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
        lead = self.evidence[0].ref if self.evidence else ""
        text = "|".join(
            [
                str(self.number),
                self.source or "",
                self.target,
                self.at.isoformat(),
                self.rule,
                lead,
                ",".join(self.retracts),
                str(self.repeat),
            ]
        )
        return digest_text(text, 20)

    @property
    def plain_id(self) -> str:
        """The id without `repeat`: how often the entry was retracted and derived again."""
        return self.id if self.repeat == 0 else replace(self, repeat=0).id

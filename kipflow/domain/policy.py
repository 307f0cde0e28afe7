"""A community's rules as data: who binds, what passes, how long things stay open.

Sources for Kafka: its wiki's KIP process page and bylaws (lazy majority, 72 hours, three binding +1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Required, TypedDict

from kipflow.domain.senders import Senders


class VotingRule(StrEnum):
    """How a vote is decided by its counted binding ballots."""

    LAZY_MAJORITY = "lazy_majority"
    LAZY_CONSENSUS = "lazy_consensus"
    MAJORITY = "majority"
    TWO_THIRDS = "two_thirds"


class Fractions(StrEnum):
    """How +0.5 or -0.9 count: as an abstention, as a full vote of that sign, or as a question to a person."""

    ABSTAIN = "abstain"
    SIGN = "sign"
    REVIEW = "review"


class PageChanges(StrEnum):
    """What a change of substance after votes were cast does: it is only shown, or the vote cannot pass until a person
    has ruled."""

    SHOW = "show"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
    """Care required where a proposal touches an interface: a longer voting period, more binding +1, or
    `reviewers`: a number of people who reviewed it, each named by a ruling."""

    interface: str
    voting_period: timedelta | None = None
    quorum: int | None = None
    reviewers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The voting and dormancy rules of one community.

    `release_roles` bind in votes on releases (empty: as `binding_roles`). `clock_after`: without an announcement the
    clock accepts a vote so long after its earliest close (None: never). `announcer` is the address that kipflow sends
    results from: its mails close a vote as the caller's do. `dormant_after` None switches dormancy off;
    `dormancy_by_person` makes it a question, not a move.
    """

    version: str
    binding_roles: frozenset[str]
    release_roles: frozenset[str] = frozenset()
    rule: VotingRule = VotingRule.LAZY_MAJORITY
    quorum: int = 3
    voting_period: timedelta = timedelta(hours=72)
    clock_after: timedelta | None = None
    fractions: Fractions = Fractions.ABSTAIN
    dormant_after: timedelta | None = None
    grace: timedelta = timedelta(days=14)
    dormancy_by_person: bool = False
    page_changes: PageChanges = PageChanges.SHOW
    senders: Senders = Senders.ASK
    announcer: str = ""
    care: tuple[Care, ...] = field(default=())

    def for_releases(self) -> Policy:
        """The policy as it holds for votes on releases."""
        return replace(self, binding_roles=self.release_roles or self.binding_roles)


#: First words of a community's own tags, each with its class in the reader's patterns: ("tag_vote", "ballot").
OwnTags = tuple[tuple[str, str], ...]


class Reading(TypedDict, total=False):
    """The settings by which a community's mail is read (`mail.heads.Place`)."""

    prefix: Required[str]
    receivers: Sequence[str]
    tags: OwnTags

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
    """How counted binding ballots decide."""

    LAZY_MAJORITY = "lazy_majority"
    LAZY_CONSENSUS = "lazy_consensus"
    MAJORITY = "majority"
    TWO_THIRDS = "two_thirds"


class Fractions(StrEnum):
    """What becomes of +0.5 or -0.9: counted by sign as abstention, as a full vote, or put to a person."""

    ABSTAIN = "abstain"
    SIGN = "sign"
    REVIEW = "review"


class PageChanges(StrEnum):
    """What becomes of a page that changes in substance after votes were cast: it is shown, or keeps the vote
    from passing until a person has looked."""

    SHOW = "show"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
    """Care required where a proposal touches an interface: a longer voting period, more binding +1, or
    `reviewers`: people who looked at it besides, each named by a ruling."""

    interface: str
    voting_period: timedelta | None = None
    quorum: int | None = None
    reviewers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The voting and dormancy rules of one community.

    `release_roles` bind in votes on releases, where these are others than `binding_roles` (none: the same).
    `clock_after` lets the clock decide that long after the earliest close when no announcement came
    (None: the clock never accepts).
    `announcer` is the address that kipflow sends results from: what comes from there closes a vote as its caller would.
    `dormant_after` None switches dormancy off; `dormancy_by_person` makes it a question, not a move.
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


#: Words that begin a community's own tags, each behind its class of the reader's patterns: ("tag_vote", "ballot").
OwnTags = tuple[tuple[str, str], ...]


class Reading(TypedDict, total=False):
    """By what of its file a community's mail is read (`mail.heads.Place`)."""

    prefix: Required[str]
    receivers: Sequence[str]
    tags: OwnTags

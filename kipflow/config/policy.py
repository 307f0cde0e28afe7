"""The voting rules of a community's file, and their policy."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from kipflow.config.values import (
    BindingRole,
    Count,
    Interface,
    Line,
    Period,
    PolicyKey,
    Span,
    StrictModel,
    Url,
    parse_period,
    unique,
)
from kipflow.domain.policy import Care, Fractions, PageChanges, Policy, VotingRule
from kipflow.domain.senders import Senders
from kipflow.domain.texts import digest_text


class CareConfig(StrictModel):
    """Extra requirements for a proposal that touches an interface."""

    interface: Interface
    """What a page touches."""
    voting_period: Span | None = None
    """The longer period that is then asked for."""
    quorum: Count | None = None
    """The higher number of binding +1."""
    reviewers: Annotated[int, Field(ge=0, le=100, strict=True)] = 0
    """How many people must review it in addition to the vote, each named by `kipflow review care`."""


class SourceConfig(StrictModel):
    """Where rules of the policy are written down."""

    of: Annotated[tuple[PolicyKey, ...], Field(min_length=1)]
    """The keys of the policy that it is the source of."""
    title: Annotated[str, Field(min_length=1)]
    """What the document is called."""
    url: Url
    """Where it is."""
    seen: date | None = None
    """The day on which somebody last read it there; left out: nobody has yet."""
    note: str = ""
    """What is known, or could not be verified."""


class PolicyConfig(StrictModel):
    source: Line
    """Where the rules are from: shown with every outcome."""
    sources: tuple[SourceConfig, ...] = ()
    """The documents, key by key."""
    binding_roles: Annotated[tuple[BindingRole, ...], Field(min_length=1), AfterValidator(unique)]
    """The roles whose votes bind."""
    release_roles: Annotated[tuple[BindingRole, ...], AfterValidator(unique)] = ()
    """The roles whose votes bind on a release, if these are others."""
    rule: VotingRule = VotingRule.LAZY_MAJORITY
    """What passes: more +1 than -1; no remaining -1 (a veto); more than half; two thirds."""
    quorum: Count = 3
    """How many binding +1."""
    voting_period: Span = "72 hours"
    """How long a vote stays open at least."""
    clock_after: Period | None = None
    """When, after that, a passed vote is accepted that nobody announces; left out: never."""
    fractions: Fractions = Fractions.ABSTAIN
    """What +0.5 or -0.9 count as."""
    dormant_after: Span | None = None
    """The silence that makes a proposal dormant; left out: none does."""
    grace: Period = "14 days"
    """From the delivered warning to dormancy."""
    dormancy: Literal["clock", "person"] = "person"
    """Who says that a silent proposal is dormant."""
    care: tuple[CareConfig, ...] = ()
    """Extra requirements for a page that touches an interface."""
    page_changes: PageChanges = PageChanges.SHOW
    """`ask`: a page that changes after votes were cast keeps the vote open until a person has looked."""
    senders: Senders = Senders.ASK
    """What proves a voter: `ask` requires an address in the roster or in a ruling, and asks about a known name alone;
    `authenticated` also requires that the receiving host authenticated it; `names` accepts an equal full name."""

    def as_policy(self, community: str) -> Policy:
        """The policy for the domain; its version changes with any rule of the file."""
        rules = self.model_dump_json(exclude={"source", "sources"})
        return Policy(
            version=f"{community}-{digest_text(rules, 8)}",
            binding_roles=frozenset(self.binding_roles),
            release_roles=frozenset(self.release_roles),
            rule=self.rule,
            quorum=self.quorum,
            voting_period=parse_period(self.voting_period) or timedelta(),
            clock_after=parse_period(self.clock_after),
            fractions=self.fractions,
            dormant_after=parse_period(self.dormant_after),
            page_changes=self.page_changes,
            senders=self.senders,
            grace=parse_period(self.grace) or timedelta(),
            dormancy_by_person=self.dormancy == "person",
            care=tuple(
                Care(
                    interface=c.interface,
                    voting_period=parse_period(c.voting_period),
                    quorum=c.quorum,
                    reviewers=c.reviewers,
                )
                for c in self.care
            ),
        )

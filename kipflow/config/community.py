"""A community's file: the models that it is checked against, and the policy that it comes to."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from kipflow.config.pages import PagesConfig
from kipflow.config.slack import SlackConfig
from kipflow.config.values import (
    BindingRole,
    CommunityName,
    Count,
    Header,
    Host,
    Interface,
    Line,
    ListAddress,
    Month,
    PageId,
    Period,
    Permalink,
    PolicyKey,
    Prefix,
    ProjectKey,
    Sender,
    Sending,
    Server,
    Span,
    StrictModel,
    Url,
    once,
    parse_period,
)
from kipflow.domain.policy import Care, Fractions, PageChanges, Policy, Rule
from kipflow.domain.senders import Senders


class MoveConfig(StrictModel):
    """An earlier address (`was`) of a list that was moved, and the last month that it had (`until`)."""

    list: ListAddress
    was: ListAddress
    until: Month


class ArchiveConfig(StrictModel):
    """A Pony Mail archive. `permalink` has `{mid}`; `since` is the first month a backfill reads.

    `receivers` are the hosts that receive the lists' mail, up to the archive's own: what they wrote on top of a mail
    can be believed. A name stands for the hosts below it too.
    """

    url: Url
    permalink: Permalink = "https://lists.apache.org/thread/{mid}"
    since: Month
    moved: tuple[MoveConfig, ...] = ()
    receivers: Annotated[tuple[Host, ...], AfterValidator(once)] = ()

    def find_earlier(self) -> dict[str, list[tuple[str, str]]]:
        """List → its earlier addresses, each with the last month that it had, in order of time."""
        found: dict[str, list[tuple[str, str]]] = {}
        for move in sorted(self.moved, key=lambda move: move.until):
            found.setdefault(move.list, []).append((move.was, move.until))
        return found


class WikiConfig(StrictModel):
    """A Confluence wiki: its REST root, and the index page whose children are the proposals."""

    url: Url
    index_page: PageId


class JiraConfig(StrictModel):
    url: Url
    project: ProjectKey


class MailConfig(StrictModel):
    """The server that takes result mails, and whose mails they are. `user` signs in with `KIPFLOW_MAIL_TOKEN`."""

    server: Server
    sender: Sender
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: Header = ""

    @property
    def url(self) -> str:
        return f"smtp://{self.server}"


class CareConfig(StrictModel):
    """Care owed where a proposal touches `interface`. `reviewers`: people who must have looked at it besides the
    vote, each named by a ruling (`kipflow review care`)."""

    interface: Interface
    voting_period: Span | None = None
    quorum: Count | None = None
    reviewers: Annotated[int, Field(ge=0, le=100, strict=True)] = 0


class SourceConfig(StrictModel):
    """Where rules of the policy are written down: `of` names its keys.

    `seen` is the day on which somebody last read them there; None: nobody has yet, `note` says what is known.
    """

    of: Annotated[tuple[PolicyKey, ...], Field(min_length=1)]
    title: Annotated[str, Field(min_length=1)]
    url: Url
    seen: date | None = None
    note: str = ""


class PolicyConfig(StrictModel):
    source: Line
    sources: tuple[SourceConfig, ...] = ()
    binding_roles: Annotated[tuple[BindingRole, ...], Field(min_length=1), AfterValidator(once)]
    rule: Rule = Rule.LAZY_MAJORITY
    quorum: Count = 3
    voting_period: Span = "72 hours"
    clock_after: Period | None = None
    fractions: Fractions = Fractions.ABSTAIN
    dormant_after: Span | None = None
    grace: Period = "14 days"
    dormancy: Literal["clock", "person"] = "person"
    care: tuple[CareConfig, ...] = ()
    page_changes: PageChanges = PageChanges.SHOW
    senders: Senders = Senders.ASK


class EffectsConfig(StrictModel):
    """What leaves the building. `dry-run` computes and shows everything and sends nothing.

    Each kind of effect is "off", or goes out after a person has released it ("approve"), or at once ("send").
    """

    mode: Literal["dry-run", "send"] = "dry-run"
    slack: Sending = "send"
    index: Sending = "approve"
    result: Sending = "off"

    def find_mode(self, kind: str) -> str:
        return str(getattr(self, kind))


class SiteConfig(StrictModel):
    """Where the DAG `kip_publish_site` puts the public site: a URL of Airflow's object storage, such as
    "file:///srv/kips" or "s3://connection@bucket/kips"."""

    publish_to: Annotated[str, Field(pattern=r"^[a-z][a-z0-9+]*://[^\s]+$", max_length=1000)]


class Community(StrictModel):
    """One community, as `config/communities/NAME.yaml` describes it.

    `keyed_by` "subject" keys votes by their subject (release votes) where there are no numbers. `votes_on`
    are those of `lists` on which a vote can be called; None: all of them. The others are read too.
    `clock` is for the sandbox, whose time can run faster: an address that tells the time. `contact` goes
    into the User-Agent, so that an archive's keepers know whom to ask.
    """

    name: CommunityName
    title: Line
    keyed_by: Literal["number", "subject"] = "number"
    prefix: Prefix = "KIP"
    lists: Annotated[tuple[ListAddress, ...], Field(min_length=1), AfterValidator(once)]
    votes_on: Annotated[tuple[ListAddress, ...], Field(min_length=1), AfterValidator(once)] | None = None
    archive: ArchiveConfig | None = None
    wiki: WikiConfig | None = None
    jira: JiraConfig | None = None
    pages: PagesConfig | None = None
    slack: SlackConfig | None = None
    mail: MailConfig | None = None
    roster: Line | None = None
    clock: Url | None = None
    contact: Header = ""
    spark_from: Annotated[int, Field(ge=0, strict=True)] = 2_000
    policy: PolicyConfig
    effects: EffectsConfig = EffectsConfig()
    site: SiteConfig | None = None

    @property
    def lists_aside(self) -> frozenset[str]:
        """The lists that are read, but on which no vote can be called."""
        return frozenset() if self.votes_on is None else frozenset(self.lists) - set(self.votes_on)

    @property
    def receivers(self) -> tuple[str, ...]:
        """The hosts whose lines on top of a mail can be believed; none: the topmost Received line is taken as it is."""
        return self.archive.receivers if self.archive is not None else ()

    def find_addresses(self) -> dict[str, str]:
        """Every address that a list has or had → the list."""
        moved = self.archive.moved if self.archive is not None else ()
        return {**{move.was: move.list for move in moved}, **{address: address for address in self.lists}}

    def as_policy(self) -> Policy:
        """The policy as the domain knows it; its version changes when any rule of the file does."""
        raw = self.policy
        period = parse_period(raw.voting_period)
        grace = parse_period(raw.grace)
        return Policy(
            version=f"{self.name}-{_digest(raw.model_dump_json(exclude={'source', 'sources'}))}",
            binding_roles=frozenset(raw.binding_roles),
            rule=raw.rule,
            quorum=raw.quorum,
            voting_period=period if period is not None else timedelta(hours=72),
            clock_after=parse_period(raw.clock_after),
            fractions=raw.fractions,
            dormant_after=parse_period(raw.dormant_after),
            page_changes=raw.page_changes,
            senders=raw.senders,
            grace=grace if grace is not None else timedelta(days=14),
            dormancy_by_person=raw.dormancy == "person",
            care=tuple(
                Care(
                    interface=c.interface,
                    voting_period=parse_period(c.voting_period),
                    quorum=c.quorum,
                    reviewers=c.reviewers,
                )
                for c in raw.care
            ),
        )


@lru_cache(maxsize=64)
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]

"""A community's file: the models that it is checked against, and its policy.

Each key is documented below it; `tools.configuration_page` writes docs/configuration.md from that.
"""

from __future__ import annotations

from dataclasses import replace
from email.utils import parseaddr
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from kipflow.config.pages import PagesConfig
from kipflow.config.policy import PolicyConfig
from kipflow.config.slack import SlackConfig
from kipflow.config.values import (
    CommunityName,
    Header,
    Host,
    Line,
    ListAddress,
    Month,
    PageId,
    Permalink,
    Prefix,
    ProjectKey,
    Sender,
    Sending,
    Server,
    StrictModel,
    TagWords,
    Url,
    unique,
)
from kipflow.domain.people import clean_address
from kipflow.domain.policy import Policy, Reading


class MoveConfig(StrictModel):
    """An earlier address of a list that was moved."""

    list: ListAddress
    """The list."""
    was: ListAddress
    """The address that it had."""
    until: Month
    """The last month of that address."""


class ArchiveConfig(StrictModel):
    """A Pony Mail archive."""

    url: Url
    """Pony Mail's API."""
    permalink: Permalink = "https://lists.apache.org/thread/{mid}"
    """The address of a mail; `{mid}` is replaced by its id."""
    since: Month
    """The first month that a backfill reads."""
    moved: tuple[MoveConfig, ...] = ()
    """Earlier addresses of lists: [Lists](communities.md#lists)."""
    receivers: Annotated[tuple[Host, ...], AfterValidator(unique)] = ()
    """The hosts that receive the lists' mail, up to the archive's own: what they wrote on top of a mail is believed;
    a name stands for the hosts below it too."""

    def find_earlier(self) -> dict[str, list[tuple[str, str]]]:
        """List → its earlier addresses, each with the last month that it had, in order of time."""
        found: dict[str, list[tuple[str, str]]] = {}
        for move in sorted(self.moved, key=lambda move: move.until):
            found.setdefault(move.list, []).append((move.was, move.until))
        return found


class WikiConfig(StrictModel):
    """A Confluence wiki."""

    url: Url
    """Confluence's REST root."""
    index_page: PageId
    """The page whose children are the proposals."""


class JiraConfig(StrictModel):
    url: Url
    """JIRA's REST root."""
    project: ProjectKey
    """The project of proposals' tickets."""


class TagsConfig(StrictModel):
    """First words of a community's own [tags of subjects](communities.md#tags-of-subjects), in addition to the known
    ones."""

    vote: TagWords = ()
    """Of a vote, such as `[ballot, poll]`."""
    result: TagWords = ()
    """Of a vote's result."""
    discuss: TagWords = ()
    """Of a discussion."""
    cancelled: TagWords = ()
    """Of a vote that is called off."""


class MailConfig(StrictModel):
    """The server that takes result mails."""

    server: Server
    """The server that takes result mails, `host` or `host:port`."""
    sender: Sender
    """Whose mails they are."""
    security: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection is kept private."""
    user: Header = ""
    """Signs in with `KIPFLOW_MAIL_TOKEN`."""

    @property
    def url(self) -> str:
        return f"smtp://{self.server}"


class EffectsConfig(StrictModel):
    """What leaves the building: nothing ("off"), after a person has released it ("approve"), or at once ("send")."""

    mode: Literal["dry-run", "send"] = "dry-run"
    """`dry-run` computes and shows everything and sends nothing."""
    slack: Sending = "send"
    """Messages."""
    index: Sending = "approve"
    """Edits of the wiki's index."""
    page: Sending = "off"
    """Edits of proposal pages: state, and links, ticket and release where nobody filled them in."""
    result: Sending = "off"
    """Result mails."""
    handover: Sending = "off"
    """The draft of a result, by direct message in Slack to whoever called the vote."""
    ticket: Sending = "off"
    """Comments on tickets: how the vote ended."""

    def find_mode(self, kind: str) -> str:
        return str(getattr(self, kind))


class SiteConfig(StrictModel):
    """The public site."""

    publish_to: Annotated[str, Field(pattern=r"^[a-z][a-z0-9+]*://[^\s]+$", max_length=1000)]
    """Where the DAG `kip_publish_site` puts the public site: a URL of Airflow's object storage, such as
    `file:///srv/kips` or `s3://connection@bucket/kips`."""


class Community(StrictModel):
    """One community, as `config/communities/NAME.yaml` describes it."""

    name: CommunityName
    """As the file is called."""
    title: Line
    """The community's name for people."""
    keyed_by: Literal["number", "subject"] = "number"
    """`subject`: votes without numbers, such as release votes."""
    prefix: Prefix = "KIP"
    """The letters before a number; must be given, but for `keyed_by: subject`."""
    lists: Annotated[tuple[ListAddress, ...], Field(min_length=1), AfterValidator(unique)]
    """All of them are read."""
    votes_on: Annotated[tuple[ListAddress, ...], Field(min_length=1), AfterValidator(unique)] | None = None
    """Those on which a vote can be called; left out: all."""
    tags: TagsConfig = TagsConfig()
    """Its own words for votes, results and discussions in tags of subjects."""
    archive: ArchiveConfig | None = None
    """A Pony Mail archive; without one, mail comes from files."""
    wiki: WikiConfig | None = None
    """A Confluence wiki."""
    jira: JiraConfig | None = None
    """A ticket tracker."""
    pages: PagesConfig | None = None
    """What pages are held against, where the template is not Kafka's."""
    slack: SlackConfig | None = None
    """Where people are notified."""
    mail: MailConfig | None = None
    """The server for result mails."""
    roster: Line | None = None
    """A file beside this one, or below `config/`: [Roster](communities.md#roster)."""
    users: dict[Line, Line] = Field(default_factory=dict)
    """Airflow account → id in the roster, such as `{ines: amaro}`. The board shows these people what waits for them."""
    clock: Url | None = None
    """An address that gives the time: a sandbox's can run faster."""
    contact: Header = ""
    """A contact for an archive's operators (sent with every request); the real communities take it from
    `KIPFLOW_CONTACT`."""
    spark_from: Annotated[int, Field(ge=0, strict=True)] = 2_000
    """How many new mails make a poll start Spark."""
    policy: PolicyConfig
    """Who binds, and what passes."""
    effects: EffectsConfig = EffectsConfig()
    """What leaves: `off`, after a person has released it (`approve`), or at once (`send`)."""
    site: SiteConfig | None = None
    """The public site."""

    @property
    def lists_aside(self) -> frozenset[str]:
        """The lists that are read, but on which no vote can be called."""
        return frozenset() if self.votes_on is None else frozenset(self.lists) - set(self.votes_on)

    @property
    def reading(self) -> Reading:
        """By what its mail is read; without receivers the topmost Received line is taken as it is."""
        receivers = self.archive.receivers if self.archive is not None else ()
        kinds = {"vote": "tag_vote", "result": "tag_result", "discuss": "tag_discuss", "cancelled": "tag_off"}
        tags = tuple((kinds[key], word.lower()) for key, words in self.tags for word in words)
        return {"prefix": self.prefix, "receivers": receivers, "tags": tags}

    def find_addresses(self) -> dict[str, str]:
        """Every address that a list has or had → the list."""
        moved = self.archive.moved if self.archive is not None else ()
        return {**{move.was: move.list for move in moved}, **{address: address for address in self.lists}}

    def as_policy(self) -> Policy:
        """The policy for the domain; its version changes with any rule of the file."""
        policy = self.policy.as_policy(self.name)
        return replace(policy, announcer=clean_address(parseaddr(self.mail.sender)[1])) if self.mail else policy

"""The composition root: settings in, connected parts out. Entry points call it; nothing below does."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import sqlalchemy

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.adapters.jira import JiraTickets
from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.adapters.slack import SlackChat
from kipflow.adapters.smtp import SmtpMailer
from kipflow.adapters.store import SqlStore, open_store
from kipflow.config.community import Community, MailConfig
from kipflow.config.loading import find_roster, load_community
from kipflow.config.roster import RosterFileAt
from kipflow.config.settings import Settings, read_settings
from kipflow.domain.errors import ConfigError
from kipflow.domain.pagefaults import Norms
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.services.assembly import CommunityRules
from kipflow.services.away import load_outages
from kipflow.services.conditions import Condition, Situation, find_conditions, find_pause
from kipflow.services.desk import Desk
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Archive, Chat, Mailer, Runs, Wiki
from kipflow.services.shown_commands import name_program
from kipflow.wiring.environment import DatabaseConnection, Secrets, build_database_url, read_clock

#: The name of the mark with the community whose facts a database holds.
OWNER_MARK = "community"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything a use case may need, connected. A part is None if the community has none.

    `roster_file` is the file of `roster`.
    """

    settings: Settings
    community: Community
    policy: Policy
    roster: Roster
    roster_file: RosterFileAt | None
    store: SqlStore
    archive: Archive | None
    wiki: Wiki | None
    tickets: JiraTickets | None
    chat: Chat | None
    mailer: Mailer | None
    clock: Callable[[], datetime]

    @property
    def are_outdated(self) -> bool:
        """Whether the roster's file changed since it was read."""
        return self.roster_file is not None and self.roster_file.has_changed()

    @property
    def sends(self) -> bool:
        """Whether effects may leave the building at all."""
        return self.settings.sends and self.community.effects.mode == "send"


def connect(
    settings: Settings, *, database_url: str | sqlalchemy.URL | None = None, secrets: Secrets | None = None
) -> Parts:
    """The parts for the community that `settings` name. Opens no connection until one is used.

    Raises:
        ConfigError: a configuration file is wrong.
    """
    # httpx logs every request; failures are reported anyway
    logging.getLogger("httpx").setLevel(logging.WARNING)
    community = load_community(settings.community, settings.config)
    # before the roster is read, so that a change in between is noticed
    roster_file = RosterFileAt(settings.config / community.roster) if community.roster is not None else None
    policy, roster = community.as_policy(), find_roster(community, settings.config)
    tokens, contact = secrets or Secrets(), community.contact
    archive, wiki, jira, slack = community.archive, community.wiki, community.jira, community.slack
    return Parts(
        settings=settings,
        community=community,
        policy=policy,
        roster=roster,
        roster_file=roster_file,
        store=open_store(database_url or settings.database_url, read_rules(community, policy, roster)),
        archive=PonyMailArchive(archive.url, contact=contact, earlier=archive.find_earlier()) if archive else None,
        wiki=ConfluenceWiki(wiki.url, token=tokens.wiki, contact=contact) if wiki else None,
        tickets=JiraTickets(jira.url, token=tokens.jira, contact=contact) if jira else None,
        chat=SlackChat(slack.url, tokens.slack) if slack and tokens.slack else None,
        mailer=_open_mailer(community.mail, tokens.mail or "") if community.mail else None,
        clock=lambda: read_clock(community),
    )


def connect_by(connection: DatabaseConnection | None, secrets: Secrets | None = None) -> Parts:
    """The parts of this machine's community, with the database of an Airflow connection if given."""
    database_url = build_database_url(connection) if connection is not None else None
    return connect(read_settings(), database_url=database_url, secrets=secrets)


def _open_mailer(mail: MailConfig, password: str) -> Mailer | None:
    """The community's mail server; None if it requires a password that is missing."""
    if mail.user and not password:
        return None
    host, _, port = mail.server.partition(":")
    return SmtpMailer(host=host, port=int(port or 587), security=mail.security, user=mail.user, password=password)


def prepare_database(parts: Parts) -> None:
    """Migrate the tables, and note the community that an empty database belongs to.

    Raises:
        ConfigError: the database belongs to another community, whose numbers would mix with this one's.
    """
    parts.store.migrate()
    name = Path(parts.settings.community).stem
    with parts.store.read() as session:
        owner = session.marks.load(OWNER_MARK)
    if owner is None:
        with parts.store.begin() as session:
            session.marks.save(OWNER_MARK, name)
    elif owner != name:
        expected = f"a database of {name}'s own (this one is that of {owner})"
        raise ConfigError(file="environment", key="KIPFLOW_DATABASE_URL", expected=expected)


def connect_with_rules(parts: Parts, rules: Community, *, with_roster: bool) -> SqlStore:
    """The facts of `parts` as read by another community's policy; `with_roster`: by its roster too.

    For reading only: its decisions must not be mixed with the community's own.
    """
    policy = rules.as_policy()
    roster = find_roster(rules, parts.settings.config) if with_roster else parts.roster
    return parts.store.with_rules(read_rules(parts.community, policy, roster))


def read_rules(community: Community, policy: Policy, roster: Roster) -> CommunityRules:
    """How this community's mail and pages are read."""
    return CommunityRules(
        prefix=community.prefix,
        policy=policy,
        roster=roster,
        permalink=community.archive.permalink if community.archive else "",
        keyed_by=community.keyed_by,
        aside=community.lists_aside,
        lists=frozenset(community.lists),
        has_wiki=community.wiki is not None,
    )


def effect_rules(parts: Parts) -> EffectRules:
    """Where this community's effects go."""
    community, slack = parts.community, parts.community.slack
    rules = EffectRules(
        prefix=community.prefix,
        sends=parts.sends,
        board_url=parts.settings.board_url,
        # never show a file's path in a channel
        program=name_program(community.name if parts.settings.community == community.name else None),
        index_page=community.wiki.index_page if community.wiki and community.effects.index != "off" else "",
    )
    if slack is None:
        return rules
    return replace(
        rules,
        slack=community.effects.slack,
        channel=slack.channel,
        operators=slack.operators or "",
        routes=slack.kinds,
        mentions=slack.find_mentions(),
        buttons=bool(slack.buttons),
        quiet=slack.quiet.as_hours() if slack.quiet else None,
    )


def open_desk(parts: Parts) -> Desk:
    """What a person's acts work on."""
    return Desk(
        store=parts.store,
        roster=parts.roster,
        policy=parts.policy,
        effects=effect_rules(parts),
        rosters=parts.roster_file,
    )


def index_editor(community: Community) -> str:
    """The address at which the wiki's editor opens the index; "" without a wiki."""
    wiki = community.wiki
    return f"{wiki.url.removesuffix('/rest/api')}/pages/editpage.action?pageId={wiki.index_page}" if wiki else ""


def page_norms(community: Community) -> Norms:
    """The norms for this community's pages: of its own template, or else Kafka's."""
    addresses = (community.archive.url, community.archive.permalink) if community.archive else ()
    hosts = (urlsplit(address).hostname for address in addresses)
    project = community.jira.project if community.jira else ""
    norms = Norms(project=project, list_hosts=tuple(dict.fromkeys(h for h in hosts if h)))
    if community.pages is None:
        return norms
    return replace(norms, sections=community.pages.as_norms(), fields=community.pages.fields)


def find_current_conditions(
    parts: Parts, *, now: datetime, has_clock: bool = True, runs: Runs | None = None, by: datetime | None = None
) -> tuple[Condition, ...]:
    """The conditions that hold now. `runs` are those of Airflow, if available; `by` is this machine's time if runs are
    expected; `has_clock`: `now` is the community's own time."""
    with parts.store.read() as session:
        coverage, away = session.mail.find_coverage(), load_outages(session.marks)
    roster = parts.community.roster
    return find_conditions(
        Situation(
            now=now,
            coverage=coverage,
            away=away,
            has_clock=has_clock,
            has_archive=parts.archive is not None,
            has_roster=bool(parts.roster.people),
            roster=str(parts.settings.config / roster) if roster else "",
            pause=find_pause(parts.store, by) if by is not None else None,
            runs=runs or Runs(),
        )
    )


def board_program(settings: Settings) -> str:
    """The beginning of commands shown on the board, with the community unless it is the default."""
    return name_program(None if settings.community == "sandbox" else settings.community)


def find_ticket_links(community: Community) -> str:
    """The address of tickets for people, without the key; "" without a tracker."""
    return f"{community.jira.url.partition('/rest/')[0]}/browse/" if community.jira is not None else ""

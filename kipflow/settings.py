"""Settings: where kipflow keeps its things (environment) and what a community is (a YAML file).

A wrong file is refused as one `ConfigError` that names file, key and what was expected there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from kipflow.configchecks import check_together
from kipflow.configfile import load_config
from kipflow.configpages import PagesConfig
from kipflow.configvalues import (
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
    Sending,
    Span,
    Url,
    named,
    once,
    parse_period,
)
from kipflow.databaseurl import normalize_database_url
from kipflow.domain.errors import ConfigError, MissingFile
from kipflow.domain.policy import Care, Fractions, PageChanges, Policy, Rule
from kipflow.domain.roster import Person, Role, Roster, clean_address, find_role_fault
from kipflow.domain.senders import Senders

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the machine decides: folders, database, community. Read from `KIPFLOW_*` variables.

    `home` holds everything a run makes (databases, raw months, logs). `database_url` may carry a
    password: never print it; `str()` of this object leaves it out.
    """

    home: Path
    config: Path
    community: str
    database_url: str
    sends: bool

    def __repr__(self) -> str:
        return f"Settings(home={str(self.home)!r}, community={self.community!r})"

    __str__ = __repr__

    @property
    def raw(self) -> Path:
        """Raw months as they were fetched, one file per list and month."""
        return self.home / "raw"

    @property
    def lake(self) -> Path:
        """Parquet that Spark writes."""
        return self.home / "lake"


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process. `KIPFLOW_DRY_RUN=1` switches sending off whatever a community says.

    Raises:
        BadDatabaseUrl: a password is given apart, and the address that it belongs to can't be read.
    """
    env = os.environ if environment is None else environment
    community = env.get("KIPFLOW_COMMUNITY", "sandbox")
    home = Path(env.get("KIPFLOW_HOME", str(REPOSITORY / ".kipflow"))).expanduser().resolve()
    database = env.get("KIPFLOW_DATABASE_URL") or f"sqlite:///{home / (Path(community).stem + '.db')}"
    password = env.get("KIPFLOW_DATABASE_PASSWORD")
    if password:
        database = normalize_database_url(database, password=password)
    return Settings(
        home=home,
        config=Path(env.get("KIPFLOW_CONFIG", str(REPOSITORY / "config"))).expanduser().resolve(),
        community=community,
        database_url=database,
        sends=env.get("KIPFLOW_DRY_RUN", "0") in {"", "0", "false", "no"},
    )


def load_instance_variables(home: Path) -> dict[str, str]:
    """What a sandbox that was started from `home` wants its clients to know (`KIPFLOW_SANDBOX_URL`, say).

    Empty where nothing runs; a file that is broken is as good as none.
    """
    try:
        raw = json.loads((home / "run" / "instance.json").read_text(encoding="utf-8"))
        return {str(k): str(v) for k, v in raw["variables"].items() if str(k).startswith("KIPFLOW_")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MoveConfig(_Strict):
    """An earlier address (`was`) of a list that was moved, and the last month that it had (`until`)."""

    list: ListAddress
    was: ListAddress
    until: Month


class ArchiveConfig(_Strict):
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


class WikiConfig(_Strict):
    """A Confluence wiki: its REST root, and the index page whose children are the proposals."""

    url: Url
    index_page: PageId


class JiraConfig(_Strict):
    url: Url
    project: ProjectKey


class SlackConfig(_Strict):
    """`channel` hears of every stage change; `operators` of what needs a person."""

    url: Url = "https://slack.com/api"
    channel: Line
    operators: Line


class CareConfig(_Strict):
    """Care owed where a proposal touches `interface`. `reviewers`: people who must have looked at it besides the
    vote, each named by a ruling (`kipflow review care`)."""

    interface: Interface
    voting_period: Span | None = None
    quorum: Count | None = None
    reviewers: Annotated[int, Field(ge=0, le=100, strict=True)] = 0


class SourceConfig(_Strict):
    """Where rules of the policy are written down: `of` names its keys.

    `seen` is the day on which somebody last read them there; None: nobody has yet, `note` says what is known.
    """

    of: Annotated[tuple[PolicyKey, ...], Field(min_length=1)]
    title: Annotated[str, Field(min_length=1)]
    url: Url
    seen: date | None = None
    note: str = ""


class PolicyConfig(_Strict):
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


class EffectsConfig(_Strict):
    """What leaves the building. `dry-run` computes and shows everything and sends nothing."""

    mode: Literal["dry-run", "send"] = "dry-run"
    slack: Sending = "send"
    index: Sending = "approve"


class Community(_Strict):
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
    roster: Line | None = None
    clock: Url | None = None
    contact: Header = ""
    spark_from: Annotated[int, Field(ge=0, strict=True)] = 2_000
    policy: PolicyConfig
    effects: EffectsConfig = EffectsConfig()

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


class RoleConfig(_Strict):
    role: str
    since: date | None = None
    until: date | None = None

    @field_validator("until")
    @classmethod
    def _ends_after_its_begin(cls, until: date | None, info: ValidationInfo) -> date | None:
        since = info.data.get("since")
        if until is not None and since is not None and until < since:
            raise ValueError(f"a day from {since} on, when the role began")
        return until


def _address(text: str) -> str:
    if not re.fullmatch(r"[^\s@<>]+@[^\s@<>]+", clean_address(text)):
        raise ValueError("an address such as mlind@apache.org")
    return text


class PersonConfig(_Strict):
    id: Annotated[str, Field(min_length=1)]
    name: Annotated[str, Field(min_length=1)]
    aliases: tuple[str, ...] = ()
    emails: tuple[Annotated[str, AfterValidator(_address)], ...] = ()
    roles: tuple[RoleConfig, ...] = ()


class RosterConfig(_Strict):
    """`accounts`: the domain at which everybody's id is an address of theirs, as ids of Apache are at apache.org."""

    source: str = ""
    as_of: date | None = None
    accounts: Annotated[str, named(r"[a-z0-9-]+(\.[a-z0-9-]+)+", "a domain such as apache.org")] | None = None
    people: tuple[PersonConfig, ...]


def load_community(name: str, config: Path | None = None) -> Community:
    """The community called `name`, or described by the file `name`.

    Raises:
        ConfigError: no such community, or a key of its file is wrong.
    """
    folder = (config or read_settings().config) / "communities"
    path = Path(name) if name.endswith((".yaml", ".yml")) else folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted(p.stem for p in folder.glob("*.yaml"))
        raise MissingFile(file=str(path), what="community file", wanted=path.stem, known=known)
    community = load_config(Community, path)
    check_together(community, path)
    # what is stored and fetched goes by this name: two files with one name would mix two communities
    if path.parent == folder and community.name != path.stem:
        raise ConfigError(
            file=str(path), key="name", expected=f"{path.stem}, as the file is called, got {community.name!r}"
        )
    return community


def load_roster(path: Path) -> Roster:
    """The roster in a YAML file (see the README for its form).

    Raises:
        ConfigError: the file is absent or a key of it is wrong.
    """
    if not path.is_file():
        known = sorted(p.name for p in path.parent.glob("*.y*ml"))
        raise MissingFile(file=str(path), what="roster file", wanted=path.name, known=known)
    raw = load_config(RosterConfig, path)
    _check_roles(raw.people, path)
    _check_identities(raw.people, path, raw.accounts)
    return Roster(_as_person(p, raw.accounts) for p in raw.people)


def _check_roles(people: Sequence[PersonConfig], path: Path) -> None:
    """Refuse a role that no policy knows: misspelt, it would take a person's votes away without a word."""
    for position, person in enumerate(people):
        for number, held in enumerate(person.roles):
            fault = find_role_fault(held.role)
            if fault is not None:
                key = f"people.{position}.roles.{number}.role"
                raise ConfigError(file=str(path), key=key, expected=f"for {person.name} {fault}")


def _check_identities(people: Sequence[PersonConfig], path: Path, accounts: str | None) -> None:
    """Refuse an id or an address that two people have: which of them votes would hang on their order."""
    ids: dict[str, str] = {}
    owners: dict[str, str] = {}
    for position, person in enumerate(people):
        other = ids.get(person.id.casefold())
        if other is not None:
            but = "" if other == person.id else f", which differs from {other} by case only"
            raise ConfigError(
                file=str(path), key=f"people.{position}.id", expected=f"an id of its own, not {person.id} again{but}"
            )
        ids[person.id.casefold()] = person.id
        for email in _find_emails(person, accounts):
            if "*" in email or "?" in email:
                expected = f"for {person.name} whole addresses, no pattern, got {email!r}"
                raise ConfigError(file=str(path), key=f"people.{position}.emails", expected=expected)
            owner = owners.setdefault(email, person.id)
            if owner != person.id:
                raise ConfigError(
                    file=str(path), key=f"people.{position}.emails", expected=f"no address of {owner}'s, got {email!r}"
                )


def find_roster(community: Community, config: Path | None = None) -> Roster:
    """The community's roster, or an empty one where the community names none."""
    if community.roster is None:
        return Roster(())
    return load_roster((config or read_settings().config) / community.roster)


def _find_emails(raw: PersonConfig, accounts: str | None) -> tuple[str, ...]:
    account = (f"{raw.id.lower()}@{accounts}",) if accounts else ()
    return tuple(dict.fromkeys(map(clean_address, (*raw.emails, *account))))


def _as_person(raw: PersonConfig, accounts: str | None) -> Person:
    return Person(
        id=raw.id,
        name=raw.name,
        aliases=raw.aliases,
        emails=_find_emails(raw, accounts),
        roles=tuple(Role(role=r.role, since=_midnight(r.since), until=_midnight(r.until)) for r in raw.roles),
    )


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), tzinfo=UTC)


@lru_cache(maxsize=64)
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]

"""A roster's file: people, their addresses and roles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from kipflow.config.files import read_config
from kipflow.config.values import StrictModel, named
from kipflow.domain.errors import ConfigError, MissingFile
from kipflow.domain.people import Person, Role, clean_address, find_role_fault
from kipflow.domain.roster import Roster


class RoleConfig(StrictModel):
    role: str
    """One of `pmc`, `committer`, `contributor`, `member`, `maintainer` and `emeritus`."""
    since: date | None = None
    """From the first moment (UTC) of this day on; left out: always."""
    until: date | None = None
    """Up to the first moment (UTC) of this day."""

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


class PersonConfig(StrictModel):
    id: Annotated[str, Field(min_length=1)]
    """What the person is called here; an account, say."""
    name: Annotated[str, Field(min_length=1)]
    """For people; it binds nobody."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    emails: tuple[Annotated[str, AfterValidator(_address)], ...] = ()
    """The addresses by which votes bind."""
    roles: tuple[RoleConfig, ...] = ()
    """Since when which role was theirs."""


class RosterConfig(StrictModel):
    source: str = ""
    """Where it is from."""
    as_of: date | None = None
    """The day of which it is."""
    accounts: Annotated[str, named(r"[a-z0-9-]+(\.[a-z0-9-]+)+", "a domain such as apache.org")] | None = None
    """The domain at which everybody's id is an address of theirs, as ids of Apache are at apache.org."""
    people: tuple[PersonConfig, ...]
    """Everybody whose votes may bind."""


def load_roster(path: Path) -> Roster:
    """The roster in a YAML file (docs/communities.md has its form).

    Raises:
        ConfigError: the file is absent or a key of it is wrong.
    """
    raw, faults = read_roster(path)
    if raw is None or faults:
        raise faults[0]
    source = f"{raw.source}, as of {raw.as_of}" if raw.source and raw.as_of else raw.source
    return Roster((_as_person(p, raw.accounts) for p in raw.people), source=source)


def read_roster(path: Path) -> tuple[RosterConfig | None, list[ConfigError]]:
    """The file's content, and everything that is wrong with it."""
    if not path.is_file():
        known = sorted(p.name for p in path.parent.glob("*.y*ml"))
        return None, [MissingFile(file=str(path), what="roster file", wanted=path.name, known=known)]
    raw, faults = read_config(RosterConfig, path)
    if raw is not None:
        faults += [*_check_roles(raw.people, path), *_check_identities(raw.people, path, raw.accounts)]
    return raw, faults


def _check_roles(people: Sequence[PersonConfig], path: Path) -> Iterator[ConfigError]:
    """Refuse a role that no policy knows: misspelt, it would take a person's votes away without a word."""
    for position, person in enumerate(people):
        for number, held in enumerate(person.roles):
            fault = find_role_fault(held.role)
            if fault is not None:
                key = f"people.{position}.roles.{number}.role"
                yield ConfigError(file=str(path), key=key, expected=f"for {person.name} {fault}")


def _check_identities(people: Sequence[PersonConfig], path: Path, accounts: str | None) -> Iterator[ConfigError]:
    """Refuse an id or an address that two people have: which of them votes would depend on their order."""
    ids: dict[str, str] = {}
    owners: dict[str, str] = {}
    for position, person in enumerate(people):
        other = ids.get(person.id.casefold())
        if other is not None:
            but = "" if other == person.id else f", which differs from {other} by case only"
            yield ConfigError(
                file=str(path), key=f"people.{position}.id", expected=f"an id of its own, not {person.id} again{but}"
            )
        ids[person.id.casefold()] = person.id
        for email in _find_emails(person, accounts):
            if "*" in email or "?" in email:
                expected = f"for {person.name} whole addresses, no pattern, got {email!r}"
                yield ConfigError(file=str(path), key=f"people.{position}.emails", expected=expected)
            owner = owners.setdefault(email, person.id)
            if owner != person.id:
                yield ConfigError(
                    file=str(path), key=f"people.{position}.emails", expected=f"no address of {owner}'s, got {email!r}"
                )


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

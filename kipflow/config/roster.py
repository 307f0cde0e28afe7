"""A roster's file: people, their addresses and roles; imports write it completely or not at all."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from kipflow.config.files import KeyFault, parse_config, read_text
from kipflow.config.values import StrictModel, matching
from kipflow.domain.errors import ConfigError, MissingFile, UnreadableInput, join_errors
from kipflow.domain.people import Person, Role, clean_address, find_role_fault
from kipflow.domain.roster import Roster

#: ASF's own export of all its people has some 10,000 entries.
MAX_PEOPLE = 50_000


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
    id: Annotated[str, matching(r"(?s).*\S.*", "a text that is not blank")]
    """What the person is called here; an account, say."""
    name: Annotated[str, matching(r"(?s).*\S.*", "a text that is not blank")]
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
    accounts: Annotated[str, matching(r"[a-z0-9-]+(\.[a-z0-9-]+)+", "a domain such as apache.org")] | None = None
    """The domain at which everybody's id is an address of theirs, as ids of Apache are at apache.org."""
    people: Annotated[tuple[PersonConfig, ...], Field(max_length=MAX_PEOPLE)]
    """Everybody whose votes may bind."""


#: The first line of a CSV file: names of columns.
_CSV_HEADER = re.compile(r"\"?\w[\w '/().@-]*\"?(?:[,;\t]\"?\w[\w '/().@-]*\"?)+\s*(?:\n|$)")


def load_roster(path: Path) -> Roster:
    """The roster in a YAML file (docs/communities.md has its form).

    Raises:
        ConfigError: the file is missing or a key of it is wrong; its notes are further faults.
    """
    raw, faults = read_roster(path)
    if raw is None or faults:
        raise join_errors(faults)
    source = f"{raw.source}, as of {raw.as_of}" if raw.source and raw.as_of else raw.source
    return Roster((as_person(p, raw.accounts) for p in raw.people), source=source)


def read_roster(path: Path) -> tuple[RosterConfig | None, list[ConfigError]]:
    """The file's content, and everything that is wrong with it."""
    if not path.is_file():
        known = sorted(p.name for p in path.parent.glob("*.y*ml"))
        return None, [MissingFile(file=str(path), what="roster file", wanted=path.name, known=known)]
    try:
        return parse_roster_config(read_text(path), str(path))
    except ConfigError as fault:
        return None, [fault]


def parse_roster_config(text: str, source: str) -> tuple[RosterConfig | None, list[ConfigError]]:
    """As `read_roster`, of a text from `source`; variables in it stay as they are."""
    roster, faults = parse_config(RosterConfig, text, source, _check_people)
    if roster is None and _CSV_HEADER.match(text):
        expected = "YAML; this looks like CSV, which `kipflow roster import` reads and makes a roster file of"
        faults = [ConfigError(file=source, key="(whole file)", expected=expected)]
    return roster, faults


def _check_people(roster: RosterConfig) -> Iterator[KeyFault]:
    yield from _check_roles(roster.people)
    yield from _check_identities(roster.people, roster.accounts)


def _check_roles(people: Sequence[PersonConfig]) -> Iterator[KeyFault]:
    """Refuse an unknown role: a misspelt one would silently take a person's votes away."""
    for position, person in enumerate(people):
        for number, held in enumerate(person.roles):
            fault = find_role_fault(held.role)
            if fault is not None:
                yield f"people.{position}.roles.{number}.role", f"for {person.name} {fault}"


def _check_identities(people: Sequence[PersonConfig], accounts: str | None) -> Iterator[KeyFault]:
    """Refuse an id or address that two people have: who of them votes would depend on their order."""
    ids: dict[str, str] = {}
    owners: dict[str, str] = {}
    for position, person in enumerate(people):
        key = f"people.{position}"
        other = ids.get(person.id.casefold())
        if other is not None:
            but = "" if other == person.id else f", which differs from {other} by case only"
            yield f"{key}.id", f"an id of its own, not {person.id} again{but}"
        ids[person.id.casefold()] = person.id
        for email in _find_emails(person, accounts):
            if "*" in email or "?" in email:
                yield f"{key}.emails", f"for {person.name} whole addresses, no pattern, got {email!r}"
            owner = owners.setdefault(email, person.id)
            if owner != person.id:
                yield f"{key}.emails", f"no address of {owner}'s, got {email!r}"


def _find_emails(raw: PersonConfig, accounts: str | None) -> tuple[str, ...]:
    account = (f"{raw.id.lower()}@{accounts}",) if accounts else ()
    return tuple(dict.fromkeys(map(clean_address, (*raw.emails, *account))))


def as_person(raw: PersonConfig, accounts: str | None = None) -> Person:
    """The person, with the address that their id is at the domain `accounts`."""
    return Person(
        id=raw.id,
        name=raw.name,
        aliases=raw.aliases,
        emails=_find_emails(raw, accounts),
        roles=tuple(Role(role=r.role, since=_midnight(r.since), until=_midnight(r.until)) for r in raw.roles),
    )


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), tzinfo=UTC)


# -- as imports read and write it --------------------------------------------------------------------


class RosterFileAt:
    """The file at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = self._find_stamp()

    def has_changed(self) -> bool:
        """Whether the file changed since this object was created."""
        return self._find_stamp() != self._known

    def read(self) -> str:
        """The file's text.

        Raises:
            ConfigError: kipflow would refuse it.
            UnreadableInput: it has variables, which writing would lose.
        """
        load_roster(self.path)
        text = self.path.read_text(encoding="utf-8-sig")
        if re.search(r"\$\{[A-Z_]", text):
            why = "uses variables (${NAME}), which would be lost; write the values out"
            raise UnreadableInput(source=str(self.path), why=why)
        return text

    def find_before(self) -> str | None:
        """The text before the last save; None if it was never saved."""
        return self._before.read_text(encoding="utf-8") if self._before.is_file() else None

    def check(self, text: str) -> Roster:
        """The roster in the text, if it could be saved.

        Raises:
            ConfigError: kipflow would refuse it.
            OSError: it could not be written.
        """
        with self._write_draft(text) as draft:
            return load_roster(draft)

    def save(self, text: str, *, instead_of: str) -> bool:
        """Replace the file atomically: a half-written roster would take votes away. False if it no longer is
        `instead_of`.

        Raises:
            ConfigError: kipflow would refuse it.
            OSError: it cannot be written.
        """
        with self.path.with_name(f".{self.path.name}.lock").open("a") as lock, self._write_draft(text) as draft:
            fcntl.flock(lock, fcntl.LOCK_EX)  # of two people who save at once, the second has seen an outdated roster
            before = self.path.read_text(encoding="utf-8-sig") if self.path.exists() else ""
            if before != instead_of:
                return False
            if before:
                with self._write_draft(before) as kept:
                    kept.replace(self._before)
            draft.replace(self.path)
        return True

    @property
    def _before(self) -> Path:
        return self.path.with_name(f".{self.path.name}.before")

    @contextmanager
    def _write_draft(self, text: str) -> Iterator[Path]:
        """A checked temporary file beside it with a roster's text, removed afterwards if it was not renamed."""
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            try:
                load_roster(Path(name))
            except ConfigError as error:
                raise ConfigError(file=self.path.name, key=error.key, expected=error.expected) from None
            Path(name).chmod(self.path.stat().st_mode & 0o777 if self.path.exists() else 0o644)
            yield Path(name)
        finally:
            Path(name).unlink(missing_ok=True)

    def _find_stamp(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

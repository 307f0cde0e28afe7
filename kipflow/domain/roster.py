"""Who is who, and whose ballot binds at a given time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role held from `since` (None: always) until `until` (None: still; the end is exclusive)."""

    role: str
    since: datetime | None = None
    until: datetime | None = None

    def is_held(self, at: datetime) -> bool:
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One roster entry. `emails` are in lower case."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()

    def holds(self, roles: Collection[str], at: datetime) -> bool:
        return any(role.role in roles and role.is_held(at) for role in self.roles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """An author as the roster knows them. `person` is None for someone the roster does not have.

    `by_name` says that only the name told who it is: the address is none that the roster has.
    """

    id: str
    name: str
    address: str
    person: Person | None = None
    by_name: bool = False


def clean_address(address: str) -> str:
    """The address in lower case, without the `.INVALID` that DMARC rewriting appends."""
    cleaned = address.strip().strip("<>").lower()
    while cleaned.endswith(".invalid"):
        cleaned = cleaned[: -len(".invalid")]
    return cleaned


def fold_name(name: str) -> str:
    """A name for exact comparison: without accents, case, punctuation and double spaces.

    Folding keeps every letter: "Jon Doe" and "John Doe" stay two people.
    """
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", " ", letters.casefold()).strip()


class Roster:
    """People by address and by exact name; an address decides before a name does."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = tuple(people)
        self._by_email: dict[str, Person] = {}
        self._by_name: dict[str, Person | None] = {}
        for person in self.people:
            for email in person.emails:
                self._by_email[clean_address(email)] = person
            for name in (person.name, *person.aliases):
                key = fold_name(name)
                # two people of one name: the name alone then identifies nobody
                known = self._by_name.get(key, person)
                self._by_name[key] = person if known is person else None

    def identify(self, *, name: str, address: str) -> Voter:
        """Who wrote from `address` under `name`; unknown people are identified by their address."""
        cleaned = clean_address(address)
        person = self._by_email.get(cleaned)
        by_name = person is None
        if person is None and fold_name(name).count(" ") >= 1:
            person = self._by_name.get(fold_name(name))
        if person is None:
            return Voter(id=cleaned or fold_name(name), name=name or cleaned, address=cleaned)
        return Voter(id=person.id, name=person.name, address=cleaned, person=person, by_name=by_name)

    def is_shared_name(self, name: str) -> bool:
        """Whether two people of the roster go by exactly this name."""
        return self._by_name.get(fold_name(name), self) is None

    def is_binding(self, voter: Voter, *, roles: Collection[str], at: datetime) -> bool:
        return voter.person is not None and voter.person.holds(roles, at)

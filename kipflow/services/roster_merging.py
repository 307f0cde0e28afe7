"""Merging the entries of a source into the people of a roster."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import chain, count

from kipflow.domain.people import Person, Role, fold_name
from kipflow.rosters.entries import MAX_EACH, RosterEntry


@dataclass(slots=True, kw_only=True)
class Merging:
    """People by id while entries are added, with indexes of addresses and names."""

    known: Sequence[Person]
    as_of: date
    met: set[str] = field(default_factory=set)
    people: dict[str, Person] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _by_email: dict[str, str] = field(default_factory=dict)
    _by_name: dict[str, set[str]] = field(default_factory=dict)
    _fresh: set[str] = field(default_factory=set)
    #: account → the person that an earlier entry of this source was merged into
    _accounts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for person in self.known:
            self._store(person)

    def add(self, entry: RosterEntry) -> None:
        """Add an entry to the person it means, or as a new person."""
        who = _describe(entry)
        owners = {self._by_email[e] for e in entry.emails if e in self._by_email}
        person = self.people.get(self._accounts.get(entry.id, entry.id)) if entry.id else None
        if person is None and len(owners) > 1:
            self.conflicts.append(f"{who}: its addresses belong to {_list(owners)}; left out")
            return
        if person is None and owners:
            owner = self.people[next(iter(owners))]
            # an account is a person of its own, unless the file's id was only derived from a name
            person = owner if not entry.id or _is_derived(owner) else None
        if person is None:
            same = self._by_name.get(fold_name(entry.name), set()) if entry.name else set()
            if " " not in fold_name(entry.name):
                # a single name identifies nobody, except the person whose id was derived from it
                same = {i for i in same if not entry.id and _slug(entry.name) == re.sub(r"-\d+$", "", i)}
            if len(same) > 1 and not entry.id:
                self.conflicts.append(f"{who}: {_list(same)} go by this name; left out")
                return
            person = self._find_namesake(entry, who, same)
        if person is None:
            self._add(entry, who)
        else:
            self.met.add(person.id)
            if entry.id:
                self._accounts[entry.id] = person.id
            self._extend(person, entry, who)

    def _find_namesake(self, entry: RosterEntry, who: str, same: set[str]) -> Person | None:
        for person_id in sorted(same):
            person = self.people[person_id]
            apart = bool(entry.emails) and bool(person.emails) and not set(entry.emails) & set(person.emails)
            if person_id in self._fresh and apart and not entry.id:
                self.conflicts.append(f"{who}: the same source has {person_id} of this name; kept as two people")
            elif not entry.id or _is_derived(person):
                if apart:
                    self.notes.append(f"{who}: taken for {person_id} by name alone")
                return person
            else:
                self.notes.append(
                    f"{who}: {person_id} has the same name; two people, whom the name alone does not distinguish"
                )
        return None

    def _add(self, entry: RosterEntry, who: str) -> None:
        person_id = entry.id or self._make_id(entry.name)
        emails = self._free_emails(entry.emails, person_id, who)
        roles = self._join_roles((), entry.roles, who)
        self._fresh.add(person_id)
        name = entry.name or person_id
        self._store(Person(id=person_id, name=name, aliases=entry.aliases, emails=emails, roles=roles))

    def _extend(self, person: Person, entry: RosterEntry, who: str) -> None:
        if person.name == person.id and entry.name:
            person = replace(person, name=entry.name)  # the file knew no name
        known = [fold_name(n) for n in (person.name, *person.aliases)]
        given = [n for n in (entry.name, *entry.aliases) if n and n != person.id]
        names = [n for n in given if fold_name(n) not in known]
        strange = [n for n in names if not any(_share_word(fold_name(n), k) for k in known)]
        if strange and len(strange) == len(given):
            self.conflicts.append(f"{who}: {person.id} is {person.name} in the file; left out")
            return
        self.notes.extend(f"{who}: {n} is unlike any name of {person.id}; not added" for n in strange)
        if any(r.role == "emeritus" for r in entry.roles) and any(
            r.until is None and r.role != "emeritus" for r in person.roles
        ):
            self.conflicts.append(f"{who}: emeritus here, in a role without an end in the file; end it by hand")
        taken = [n for n in names if self._by_name.get(fold_name(n), set()) - {person.id}]
        self.conflicts.extend(f"{who}: {n} is another person's name; not added to {person.id}" for n in taken)
        aliases = list(dict.fromkeys(n for n in names if n not in taken and n not in strange))
        emails = self._free_emails((e for e in entry.emails if e not in person.emails), person.id, who)
        self._store(
            replace(
                person,
                aliases=(*person.aliases, *aliases)[: max(MAX_EACH, len(person.aliases))],
                emails=(*person.emails, *emails)[: max(MAX_EACH, len(person.emails))],
                roles=self._join_roles(person.roles, entry.roles, who),
            )
        )

    def _free_emails(self, emails: Iterable[str], person_id: str, who: str) -> tuple[str, ...]:
        free = []
        for email in dict.fromkeys(emails):
            owner = self._by_email.get(email, person_id)
            if owner == person_id:
                free.append(email)
            else:
                self.conflicts.append(f"{who}: {email} belongs to {owner}; not added to {person_id}")
        return tuple(free)

    def _join_roles(self, held: Sequence[Role], given: Sequence[Role], who: str) -> tuple[Role, ...]:
        roles = list(held)
        for role in given:
            position = next((i for i, r in enumerate(roles) if r.role == role.role and _overlap(r, role)), None)
            if position is None:
                roles.append(role)
            else:
                roles[position] = self._join_role(roles[position], role, who)
        return tuple(roles)

    def _join_role(self, mine: Role, given: Role, who: str) -> Role:
        """The file's role with missing dates filled in; the file's own dates stay."""
        for key, ours, theirs in (("since", mine.since, given.since), ("until", mine.until, given.until)):
            if ours is not None and theirs is not None and ours != theirs:
                said = f"{given.role} {key} {_day(theirs)}"
                self.conflicts.append(f"{who}: {said} here, {_day(ours)} in the file; the file's stays")
        if mine.until is not None and given.until is None and mine.until.date() < self.as_of:
            self.conflicts.append(
                f"{who}: {given.role} held here, until {_day(mine.until)} in the file; the file's stays"
            )
        joined = replace(mine, since=mine.since or given.since, until=mine.until or given.until)
        if joined.since is not None and joined.until is not None and joined.since >= joined.until:
            self.conflicts.append(f"{who}: {given.role} would end before it begins; the file's stays")
            return mine
        if joined.until != mine.until and joined.until is not None:
            self.notes.append(f"{who}: {given.role} ended {_day(joined.until)}")
        return joined

    def _make_id(self, name: str) -> str:
        base = _slug(name)
        ids = chain([base], (f"{base}-{number}" for number in count(2)))
        return next(i for i in ids if i not in self.people)

    def _store(self, person: Person) -> None:
        self.people[person.id] = person
        for email in person.emails:
            self._by_email.setdefault(email, person.id)
        for name in (person.name, *person.aliases):
            self._by_name.setdefault(fold_name(name), set()).add(person.id)


def _slug(name: str) -> str:
    return re.sub(r"[^\w]+", "-", fold_name(name)).strip("-_")[:60] or "someone"


def _is_derived(person: Person) -> bool:
    """Whether the id was made from the name, by an import from a source without ids."""
    # a source without names gives the account as name: such an id is real
    return person.name != person.id and re.sub(r"-\d+$", "", person.id) == _slug(person.name)


def _share_word(one: str, other: str) -> bool:
    return bool({w for w in one.split() if len(w) > 1} & {w for w in other.split() if len(w) > 1})


def _overlap(one: Role, other: Role) -> bool:
    """Whether both may be one span: an unknown start or end does not exclude it."""
    one_first = one.until is not None and other.since is not None and one.until <= other.since
    other_first = other.until is not None and one.since is not None and other.until <= one.since
    return not (one_first or other_first)


def _describe(entry: RosterEntry) -> str:
    who = entry.name or entry.id
    return f"{who} ({entry.id})" if entry.id and entry.name else f"{who} ({entry.place})" if entry.place else who


def _day(moment: datetime) -> str:
    return moment.date().isoformat()


def _list(ids: Iterable[str]) -> str:
    return " and ".join(sorted(ids))

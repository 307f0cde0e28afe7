"""Who is who, and whose ballot binds at a given time."""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache


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

    `by_name` says that only the name told who it is: the address is none that the roster has. `ruled` says
    whose word made this mailbox theirs ("" where none was needed).
    """

    id: str
    name: str
    address: str
    person: Person | None = None
    by_name: bool = False
    ruled: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """Somebody as mails show them. `key` is a roster's id, else an address, else (without one) a folded name."""

    key: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A person's word that two mailboxes are one person's (`same`) or two people's, for every vote there is."""

    same: bool
    one: Mailbox
    other: Mailbox
    by: str
    reason: str
    at: datetime
    ruling: int | None = None


def clean_address(address: str) -> str:
    """The address in lower case, without the `.INVALID` that DMARC rewriting appends."""
    cleaned = address.strip().strip("<>").lower()
    while cleaned.endswith(".invalid"):
        cleaned = cleaned[: -len(".invalid")]
    return cleaned


@lru_cache(maxsize=8192)
def fold_name(name: str) -> str:
    """A name for exact comparison: without accents, case, punctuation and double spaces.

    Folding keeps every letter: "Jon Doe" and "John Doe" stay two people.
    """
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", " ", letters.casefold()).strip()


class Roster:
    """People by address and by exact name; an address decides before a name does, a person's verdict before both."""

    def __init__(self, people: Iterable[Person], verdicts: Iterable[Verdict] = ()) -> None:
        self.people = tuple(people)
        self.by_id = {person.id: person for person in self.people}
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
        #: Key of likeness → people who are found by it; filled when first asked for (`identities`).
        self.alike: dict[str, list[Person]] = {}
        self._take_verdicts(verdicts)

    def with_verdicts(self, verdicts: Iterable[Verdict]) -> Roster:
        """The same people under these verdicts. Shares its tables with this one: people are read-only."""
        other = copy.copy(self)
        other._take_verdicts(verdicts)
        return other

    # -- verdicts ------------------------------------------------------------------------------
    def _take_verdicts(self, verdicts: Iterable[Verdict]) -> None:
        """Join what was ruled to be one person. A later verdict that would join two who were ruled apart is void.

        So is one on two addresses that the roster by now gives to one person: the roster is the later word.
        """
        between = (v for v in verdicts if self.node(v.one.key) != self.node(v.other.key))
        self.verdicts = tuple(sorted(between, key=lambda v: (v.at, v.ruling or 0)))
        self._apart = {frozenset((self.node(v.one.key), self.node(v.other.key))) for v in self.verdicts if not v.same}
        #: Everybody whom a verdict names.
        self.ruled_nodes = frozenset(self.node(box.key) for v in self.verdicts for box in (v.one, v.other))
        self._joined: dict[str, _Joined] = {}
        self._split_names: set[str] = set()
        self._ruled_names: dict[str, str] = {}
        for verdict in self.verdicts:
            ours, theirs = (self._names(m) for m in (verdict.one, verdict.other))
            if not verdict.same:
                self._split_names |= ours & theirs
                continue
            self._join(verdict)
        for verdict in self.verdicts:
            for mailbox in (verdict.one, verdict.other) if verdict.same else ():
                node = self.node(mailbox.key)
                for name in self._names(mailbox) if node in self._joined else ():
                    self._ruled_names.setdefault(name, node)

    def _join(self, verdict: Verdict) -> None:
        one, other = self.node(verdict.one.key), self.node(verdict.other.key)
        ours, theirs = (self._joined.get(n) or _Joined(nodes=frozenset((n,))) for n in (one, other))
        split = any(frozenset((a, b)) in self._apart for a in ours.nodes for b in theirs.nodes)
        if split or ours.nodes == theirs.nodes:
            return
        nodes = ours.nodes | theirs.nodes
        joined = _Joined(nodes=nodes, ruled=f"ruled to be one person by {verdict.by}: {verdict.reason}", at=verdict.at)
        for node in nodes:
            self._joined[node] = joined

    def node(self, key: str) -> str:
        """What a mailbox's key stands for: a roster person's id for each of their addresses, else the key itself."""
        person = self.by_id.get(key) or self._by_email.get(key)
        return person.id if person is not None else key

    def _names(self, mailbox: Mailbox) -> set[str]:
        person = self.by_id.get(self.node(mailbox.key))
        names = {mailbox.name, *((person.name, *person.aliases) if person is not None else ())}
        return {n for n in map(fold_name, names) if " " in n}

    def joined_since(self, one: str, other: str) -> datetime | None:
        """When two nodes were ruled to be one person, None if they were not."""
        found = self._joined.get(one)
        return found.at if found is not None and other in found.nodes else None

    def split_since(self, one: str, other: str) -> datetime | None:
        """When two nodes, or those joined with them, were ruled to be two people; None if they were not."""
        ours = self._joined[one].nodes if one in self._joined else {one}
        theirs = self._joined[other].nodes if other in self._joined else {other}
        found = [v.at for v in self.verdicts if not v.same and self._is_between(v, ours, theirs)]
        return min(found, default=None)

    def _is_between(self, verdict: Verdict, ours: Collection[str], theirs: Collection[str]) -> bool:
        one, other = self.node(verdict.one.key), self.node(verdict.other.key)
        return (one in ours and other in theirs) or (one in theirs and other in ours)

    # -- who is it -----------------------------------------------------------------------------
    def identify(self, *, name: str, address: str, ruled: bool = True) -> Voter:
        """Who wrote from `address` under `name`; unknown people are identified by their address.

        Args:
            name: as the mail shows it.
            address: the same; empty where it is shared or masked.
            ruled: False: as it would be known without any ruling that two mailboxes are one person's.
        """
        cleaned, folded = clean_address(address), fold_name(name)
        person = self._by_email.get(cleaned)
        node = person.id if person is not None else cleaned or folded
        if person is None and node in self.by_id:
            node = f'"{node}"'  # a stranger without an address, by chance or on purpose called like a roster's id
        by_name = False
        is_ruled = ruled and node in self._joined
        if person is None and " " in folded and folded not in self._split_names and not is_ruled:
            person = self._by_name.get(folded)
            namesake = person.id if person is not None else self._ruled_names.get(folded, node) if ruled else node
            if self._apart and self.split_since(node, namesake) is not None:
                person, namesake = None, node
            by_name, node = person is not None, namesake
        joined = self._joined.get(node) if ruled else None
        if joined is None:
            shown = person.name if person is not None else name or cleaned
            return Voter(id=node, name=shown, address=cleaned, person=person, by_name=by_name)
        return self._identify_joined(joined, name, cleaned, person, by_name=by_name)

    def _identify_joined(
        self, joined: _Joined, name: str, address: str, person: Person | None, *, by_name: bool
    ) -> Voter:
        everyone = sorted(n for n in joined.nodes if n in self.by_id)
        if not everyone:
            return Voter(id=min(joined.nodes), name=name or address, address=address, ruled=joined.ruled)
        whole = self.by_id[everyone[0]]
        if len(everyone) > 1:  # one person under two ids of the roster
            whole = replace(whole, roles=tuple(r for i in everyone for r in self.by_id[i].roles))
        ruled = joined.ruled if person is None or len(everyone) > 1 else ""
        return Voter(id=whole.id, name=whole.name, address=address, person=whole, by_name=by_name, ruled=ruled)

    def is_shared_name(self, name: str) -> bool:
        """Whether two people go by exactly this name: by the roster, or because somebody ruled so."""
        folded = fold_name(name)
        return folded in self._split_names or self._by_name.get(folded, self) is None

    def is_binding(self, voter: Voter, *, roles: Collection[str], at: datetime) -> bool:
        return voter.person is not None and voter.person.holds(roles, at)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joined:
    """Nodes that were ruled to be one person, by whom, and when the last of them was added."""

    nodes: frozenset[str]
    ruled: str = ""
    at: datetime | None = None

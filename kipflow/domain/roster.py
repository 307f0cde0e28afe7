"""Who is who, and whose ballot binds at a given time."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from kipflow.domain.people import IdentityVerdict, Mailbox, Person, Voter, clean_address, fold_name

_ALWAYS = datetime.min.replace(tzinfo=UTC)


class Roster:
    """People by address, from the roster or from rulings; a name alone identifies nobody."""

    def __init__(self, people: Iterable[Person], verdicts: Iterable[IdentityVerdict] = (), *, source: str = "") -> None:
        self.people, self.source = tuple(people), source
        self.by_id = {person.id: person for person in self.people}
        self._by_email: dict[str, Person] = {}
        self._by_name: dict[str, list[Person]] = {}
        for person in self.people:
            for email in person.emails:
                self._by_email[clean_address(email)] = person
            for name in dict.fromkeys(map(fold_name, (person.name, *person.aliases))):
                self._by_name.setdefault(name, []).append(person)
        #: Key of likeness → people with that key; filled on first use (`identities`).
        self.alike: dict[str, list[Person]] = {}
        self._apply_verdicts(verdicts)

    def with_verdicts(self, verdicts: Iterable[IdentityVerdict]) -> Roster:
        """The same people under these verdicts. Shares its tables with this one: people are read-only."""
        other = copy.copy(self)
        other._apply_verdicts(verdicts)
        return other

    # -- verdicts ------------------------------------------------------------------------------
    def _apply_verdicts(self, verdicts: Iterable[IdentityVerdict]) -> None:
        """Join what was ruled to be one person. A verdict that would join two who were ruled apart is ignored.

        So is one on two addresses that the roster by now assigns to one person: the roster is newer.
        """
        between = (v for v in verdicts if self.node(v.one.key) != self.node(v.other.key))
        self.verdicts = tuple(sorted(between, key=lambda v: (v.at, v.ruling or 0)))
        self._apart = {frozenset((self.node(v.one.key), self.node(v.other.key))) for v in self.verdicts if not v.same}
        #: Everybody whom a verdict names.
        self.ruled_nodes = frozenset(self.node(box.key) for v in self.verdicts for box in (v.one, v.other))
        self._joined: dict[str, _Joined] = {}
        self._since: dict[str, datetime] = {}
        self._split_names: set[str] = set()
        self._ruled_names: dict[str, str] = {}
        for verdict in self.verdicts:
            if not verdict.same:
                self._split_names |= self._names(verdict.one) & self._names(verdict.other)
        # the earliest first: each joins a person from the day that its own verdict names
        for verdict in sorted((v for v in self.verdicts if v.same), key=lambda v: v.since or _ALWAYS):
            self._join(verdict)
        for verdict in self.verdicts:
            for mailbox in (verdict.one, verdict.other) if verdict.same else ():
                joined = self._joined.get(self.node(mailbox.key))
                # a ruled name identifies strangers only: for a person of the roster it takes an address
                if joined is not None and not self._find_people(joined):
                    for name in self._names(mailbox):
                        self._ruled_names.setdefault(name, self.node(mailbox.key))

    def _join(self, verdict: IdentityVerdict) -> None:
        one, other = self.node(verdict.one.key), self.node(verdict.other.key)
        ours, theirs = (self._joined.get(n) or _Joined(nodes=frozenset((n,))) for n in (one, other))
        split = any(frozenset((a, b)) in self._apart for a in ours.nodes for b in theirs.nodes)
        if split or ours.nodes == theirs.nodes:
            return
        if verdict.since is not None:
            for side in (ours, theirs):
                if not self._find_people(side):
                    self._since.update(dict.fromkeys(side.nodes, verdict.since))
        nodes, at = ours.nodes | theirs.nodes, max(side.at or verdict.at for side in (ours, theirs))
        ruled = f"ruled to be one person by {verdict.by}: {verdict.reason}"
        joined = _Joined(nodes=nodes, ruled=ruled, at=max(at, verdict.at))
        for node in nodes:
            self._joined[node] = joined

    def _find_people(self, joined: _Joined) -> list[str]:
        return sorted(n for n in joined.nodes if n in self.by_id)

    def node(self, key: str) -> str:
        """The identity of a mailbox's key: the roster person's id for any of their addresses, else the key itself."""
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

    def ruled_since(self, key: str) -> datetime | None:
        """When it was ruled whose a mailbox or a mail is; None if nobody ruled."""
        found = self._joined.get(self.node(key))
        return found.at if found is not None else None

    def valid_since(self, node: str) -> datetime | None:
        """From when on the ruling on a node applies; None: always."""
        return self._since.get(node)

    def split_since(self, one: str, other: str) -> datetime | None:
        """When two nodes, or those joined with them, were ruled to be two people; None if they were not."""
        ours = self._joined[one].nodes if one in self._joined else {one}
        theirs = self._joined[other].nodes if other in self._joined else {other}
        for verdict in (v for v in self.verdicts if not v.same):  # the earliest first
            a, b = self.node(verdict.one.key), self.node(verdict.other.key)
            if (a in ours and b in theirs) or (a in theirs and b in ours):
                return verdict.at
        return None

    # -- who is it -----------------------------------------------------------------------------
    def identify(self, *, name: str, address: str, at: datetime | None = None, ruled: bool = True) -> Voter:
        """Who wrote from `address`; unknown people are identified by their address, else by their name.

        `address` is empty if it is shared or masked. `at` None: rulings with a start date apply too. `ruled` False:
        without the rulings that two mailboxes are one person's.
        """
        cleaned, folded = clean_address(address), fold_name(name)
        person = self._by_email.get(cleaned)
        node = person.id if person is not None else self.name_stranger(cleaned or folded)
        if ruled and person is None and node not in self._joined and folded not in self._split_names:
            namesake = self._ruled_names.get(folded)
            if namesake is not None and not self.find_named(name) and self.split_since(node, namesake) is None:
                node = namesake
        since = self._since.get(node)
        is_valid = since is None or at is None or at >= since
        joined = self._joined.get(node) if ruled and is_valid else None
        if joined is None or (not cleaned and self._find_people(joined)):  # no name leads to a person of the roster
            shown = person.name if person is not None else name or cleaned
            return Voter(id=node, name=shown, address=cleaned, person=person)
        return self._identify_joined(joined, name, cleaned, person)

    def identify_mail(self, message_id: str) -> Voter | None:
        """The author of a single mail by a ruling; None if nobody ruled on it."""
        joined = self._joined.get(message_id)
        return None if joined is None else self._identify_joined(joined, "", "", None)

    def _identify_joined(self, joined: _Joined, name: str, address: str, person: Person | None) -> Voter:
        everyone = self._find_people(joined)
        if not everyone:
            return Voter(id=min(joined.nodes), name=name or address, address=address, ruled=joined.ruled)
        whole = self.by_id[everyone[0]]
        if len(everyone) > 1:  # one person under two ids of the roster
            whole = replace(whole, roles=tuple(r for i in everyone for r in self.by_id[i].roles))
        ruled = joined.ruled if person is None or len(everyone) > 1 else ""
        return Voter(id=whole.id, name=whole.name, address=address, person=whole, ruled=ruled)

    def name_stranger(self, key: str) -> str:
        """An id for somebody not in the roster that differs from all ids of the roster."""
        return f'"{key}"' if key in self.by_id else key

    def find_named(self, name: str) -> tuple[Person, ...]:
        """The people who go by exactly this name."""
        return tuple(self._by_name.get(fold_name(name), ())) if name else ()

    def is_ruled_name(self, name: str, address: str) -> bool:
        """Whether a person ruled on this address under exactly this name."""
        key, folded = clean_address(address), fold_name(name)
        boxes = (box for verdict in self.verdicts if verdict.same for box in (verdict.one, verdict.other))
        return any(box.key == key and fold_name(box.name) == folded for box in boxes)

    def is_shared_name(self, name: str) -> bool:
        """Whether two people go by exactly this name: by the roster, or because somebody ruled so."""
        folded = fold_name(name)
        return folded in self._split_names or len(self._by_name.get(folded, ())) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joined:
    """Nodes that were ruled to be one person, by whom, and when the last of them was added."""

    nodes: frozenset[str]
    ruled: str = ""
    at: datetime | None = None

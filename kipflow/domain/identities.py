"""Who the writers of some mails are: the certain merged into one voter, the likely put to a person as doubts.

Certain is what the roster says of an address, a person's verdict, and an exactly equal full name. Everything
else that speaks for one person behind two mailboxes is a `Doubt`: told, with its reason, never acted upon.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.likeness import find_keys, find_likeness, is_full_name
from kipflow.domain.roster import Mailbox, Person, Roster, Voter, fold_name

#: Members of one key that are compared, and doubts that one vote can raise: a crowd of lookalikes stays cheap.
MAX_ALIKE, MAX_DOUBTS = 24, 200
_ACCOUNTS = "@apache.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """One mail with a ballot in it: its id, its time, and who it says it is from."""

    message_id: str
    name: str
    address: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Two mailboxes that may be one person's. `one` is nobody that the roster knows.

    `one_voter`, `other_voter` are their voters' ids if they are two people. `mails` are those of `one` with a
    ballot; `binds` are those of them whose ballots would bind if both are one person. `settled_at` is when
    a person's verdict settled it (None: open); what it settled is in the voters' ids already.
    """

    one: Mailbox
    other: Mailbox
    one_voter: str
    other_voter: str
    why: str
    mails: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    settled_at: datetime | None = None

    @property
    def subject(self) -> str:
        """The pair as rulings and review items name it."""
        return name_pair(self.one.key, self.other.key)


def name_pair(one: str, other: str) -> str:
    """Two keys as one text, the same in either order."""
    return " = ".join(sorted((one, other)))


@dataclass(slots=True, kw_only=True)
class _Party:
    """Everybody who is certainly one person, before any verdict that joined them with somebody else."""

    voter: Voter
    boxes: dict[tuple[str, str], None]
    writings: list[Writing]

    @property
    def mailbox(self) -> Mailbox:
        return Mailbox(key=self.voter.id, name=self.voter.name)


def identify_all(
    writings: Sequence[Writing], roster: Roster, *, roles: Collection[str]
) -> tuple[list[Voter], tuple[Doubt, ...]]:
    """The voter behind each of a vote's mails, and the doubts among them; `roles` are those that bind."""
    voters, apart = (merge_names(_identify_each(writings, roster, ruled=ruled), roster) for ruled in (True, False))
    parties: dict[str, _Party] = {}
    for writing, voter in zip(writings, apart, strict=True):
        party = parties.setdefault(voter.id, _Party(voter=voter, boxes={}, writings=[]))
        party.boxes.setdefault((writing.name, writing.address))
        party.writings.append(writing)
    return voters, tuple(_find_doubts(list(parties.values()), roster, roles))


def _identify_each(writings: Sequence[Writing], roster: Roster, *, ruled: bool) -> list[Voter]:
    """Each mail's writer by itself. An address that goes by the names of two of the roster's people is neither's."""
    voters = [roster.identify(name=w.name, address=w.address, ruled=ruled) for w in writings]
    named: dict[str, set[str]] = {}
    for voter in voters:
        if voter.by_name and voter.address:
            named.setdefault(voter.address, set()).add(voter.id)
    return [
        Voter(id=voter.address, name=writing.name, address=voter.address)
        if voter.by_name and len(named.get(voter.address, ())) > 1
        else voter
        for writing, voter in zip(writings, voters, strict=True)
    ]


def merge_names(voters: Sequence[Voter], roster: Roster) -> list[Voter]:
    """The same voters, with one id for all mails of an address and for all addresses under an equal full name.

    The id is the roster's, else that of the first mail in the sequence. The name alone does not merge where it is
    known to be two people's (by the roster or a verdict), where it has initials, where it is a single word, and
    where it stands on two accounts at apache.org, of which everybody has one.
    """
    groups = _Groups(len(voters), voters, roster)
    for position, voter in enumerate(voters):
        groups.join(f"id {voter.id}", position)
        if voter.address:
            groups.join(f"address {voter.address}", position)
    accounts: dict[str, set[str]] = {}
    for voter in voters:
        if voter.address.endswith(_ACCOUNTS):
            accounts.setdefault(fold_name(voter.name), set()).add(voter.address)
    for position, voter in enumerate(voters):
        name = fold_name(voter.name)
        alone = voter.person is not None or voter.ruled or not is_full_name(voter.name)
        if not (alone or roster.is_shared_name(voter.name) or len(accounts.get(name, ())) > 1):
            groups.join(f"name {name}", position)
    return groups.name_all()


class _Groups:
    """Mails of one person, grouped step by step. Nobody is joined with whom a person ruled to be another."""

    def __init__(self, size: int, voters: Sequence[Voter], roster: Roster) -> None:
        self.voters, self.roster = voters, roster
        self.group = [[position] for position in range(size)]
        self.first: dict[str, int] = {}
        self.has_splits = any(not v.same for v in roster.verdicts)

    def join(self, key: str, position: int) -> None:
        """Put a mail together with the first one of the same key."""
        ours, theirs = self.group[self.first.setdefault(key, position)], self.group[position]
        if ours is theirs or self.is_apart(ours, theirs):
            return
        ours.extend(theirs)
        for member in theirs:
            self.group[member] = ours

    def is_apart(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        people = {p.id for i in (*ours, *theirs) if (p := self.voters[i].person) is not None}
        if len(people) > 1:
            return True
        if not self.has_splits:
            return False
        one, other = ({self.voters[i].id for i in side} for side in (ours, theirs))
        return any(self.roster.split_since(a, b) is not None for a in one for b in other)

    def name_all(self) -> list[Voter]:
        return [self.name(position) for position in range(len(self.voters))]

    def name(self, position: int) -> Voter:
        """The voter of one mail by all that its group knows."""
        voter = self.voters[position]
        members = self.group[position]
        known = next((v for i in members if (v := self.voters[i]).person is not None), None)
        if voter.person is not None or (known is None and voter.ruled):
            return voter
        if known is not None:
            return replace(known, address=voter.address, by_name=True, ruled=voter.ruled)
        ruled = next((v for i in sorted(members) if (v := self.voters[i]).ruled), self.voters[min(members)])
        return Voter(id=ruled.id, name=voter.name, address=voter.address, ruled=ruled.ruled)


# -- doubts ----------------------------------------------------------------------------------------
def _find_doubts(parties: list[_Party], roster: Roster, roles: Collection[str]) -> Iterator[Doubt]:
    strangers = [p for p in parties if p.voter.person is None and p.voter.id]
    index: dict[str, list[_Party]] = {}
    for party in parties:
        for key in {k for name, address in _boxes_of(party) for k in find_keys(name, address)}:
            index.setdefault(key, []).append(party)
    present = {p.voter.id for p in parties}
    people = _find_index(roster)
    found = 0
    for position, party in enumerate(strangers):
        known = {id(p) for p in strangers[: position + 1]}
        keys = sorted({k for name, address in party.boxes for k in find_keys(name, address)})
        others = {id(p): p for key in keys for p in index.get(key, ())[:MAX_ALIKE] if id(p) not in known}
        absent = {p.id: p for key in keys for p in people.get(key, ())[:MAX_ALIKE]}
        candidates = [*others.values(), *(_as_party(p) for i, p in sorted(absent.items()) if i not in present)]
        for other in candidates:
            doubt = _find_doubt(party, other, roster, roles)
            if doubt is None or not (doubt.binds or other.writings):
                continue
            yield doubt
            found += 1
            if found >= MAX_DOUBTS:
                return


def _find_doubt(party: _Party, other: _Party, roster: Roster, roles: Collection[str]) -> Doubt | None:
    why = next((w for a in party.boxes for b in _boxes_of(other) if (w := find_likeness(a, b)) is not None), None)
    if why is None:
        return None
    ours, theirs = (
        {roster.identify(name=n, address=a, ruled=False).id for n, a in p.boxes} | {p.voter.id} for p in (party, other)
    )
    settled = [
        at
        for a in sorted(ours)
        for b in sorted(theirs)
        for at in (roster.joined_since(a, b), roster.split_since(a, b))
        if at is not None
    ]
    person = other.voter.person
    return Doubt(
        one=party.mailbox,
        other=other.mailbox,
        one_voter=party.voter.id,
        other_voter=other.voter.id,
        why=why,
        mails=tuple(w.message_id for w in party.writings),
        binds=tuple(w.message_id for w in party.writings if person is not None and person.holds(roles, w.at)),
        settled_at=min(settled, default=None),
    )


def _boxes_of(party: _Party) -> tuple[tuple[str, str], ...]:
    """The mailboxes that a party is known by: its own in this vote, and all that the roster tells of it."""
    person = party.voter.person
    return tuple(dict.fromkeys((*party.boxes, *(_boxes_in_roster(person) if person is not None else ()))))


def _boxes_in_roster(person: Person) -> Iterator[tuple[str, str]]:
    names, emails = (person.name, *person.aliases), person.emails or (f"{person.id}{_ACCOUNTS}",)
    for position in range(max(len(names), len(emails))):
        yield names[min(position, len(names) - 1)], emails[min(position, len(emails) - 1)]


def _as_party(person: Person) -> _Party:
    voter = Voter(id=person.id, name=person.name, address="", person=person)
    return _Party(voter=voter, boxes={}, writings=[])


def _find_index(roster: Roster) -> dict[str, list[Person]]:
    """Key → the roster's people who are found by it. Made once for each roster."""
    if not roster.alike and roster.people:
        index: dict[str, list[Person]] = {}
        for person in roster.people:
            for key in {k for name, address in _boxes_in_roster(person) for k in find_keys(name, address)}:
                index.setdefault(key, []).append(person)
        roster.alike.update(index)
    return roster.alike

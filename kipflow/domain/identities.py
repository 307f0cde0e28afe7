"""Who the writers of some mails are: the certain merged into one voter, the likely put to a person as doubts.

Certain is what the roster says of an address, a person's verdict, and an exactly equal full name. Everything
else that speaks for one person behind two mailboxes is a `Doubt`: told, with its reason, never acted upon.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, product

from kipflow.domain.likeness import find_keys, find_likeness
from kipflow.domain.merging import identify_writers
from kipflow.domain.roster import Mailbox, Person, Roster, Voter, clean_address, fold_name

#: Members of one key that are compared, and doubts that one vote can raise: a crowd of lookalikes stays cheap.
MAX_ALIKE, MAX_DOUBTS = 24, 200
#: Mailboxes of one voter that are compared.
MAX_BOXES = 8
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
    senders = [(w.name, w.address) for w in writings]
    voters = identify_writers(senders, roster, ruled=True)
    apart = identify_writers(senders, roster, ruled=False) if roster.verdicts else voters
    parties: dict[str, _Party] = {}
    for writing, voter in zip(writings, apart, strict=True):
        party = parties.setdefault(voter.id, _Party(voter=voter, boxes={}, writings=[]))
        party.boxes.setdefault((writing.name, writing.address))
        party.writings.append(writing)
    return voters, tuple(_find_doubts(list(parties.values()), roster, roles))


# -- doubts ----------------------------------------------------------------------------------------
def _find_doubts(parties: list[_Party], roster: Roster, roles: Collection[str]) -> Iterator[Doubt]:
    strangers = [p for p in parties if p.voter.person is None and p.voter.id]
    index: dict[str, list[_Party]] = {}
    for party in parties:
        for key in {k for box in _boxes_of(party) for k in find_keys(*box)}:
            index.setdefault(key, []).append(party)
    present = {p.voter.id for p in parties}
    people = _find_index(roster)
    found, known = 0, set[int]()
    for party in strangers:
        known.add(id(party))
        keys = sorted({k for box in _boxes_of(party) for k in find_keys(*box)})
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
    pairs = product(_boxes_of(party), _boxes_of(other))
    why = next((w for a, b in pairs if (w := find_likeness(a, b)) is not None), None)
    if why is None:
        return None
    settled = [
        at
        for a, b in product(_nodes_of(party, roster), _nodes_of(other, roster))
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


def _nodes_of(party: _Party, roster: Roster) -> list[str]:
    """What rulings may call a party: those of its addresses, names and ids that any ruling names."""
    if not roster.verdicts:
        return []
    named = {party.voter.id, *(roster.node(clean_address(address) or fold_name(name)) for name, address in party.boxes)}
    return sorted(named & roster.ruled_nodes)


def _boxes_of(party: _Party) -> tuple[tuple[str, str], ...]:
    """The mailboxes that a party is known by: some of its own in this vote, and what the roster tells of it."""
    own, person = islice(party.boxes, MAX_BOXES), party.voter.person
    return tuple(dict.fromkeys((*own, *(_boxes_in_roster(person) if person is not None else ()))))


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

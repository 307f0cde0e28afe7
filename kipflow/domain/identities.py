"""Who wrote some mails: proven identities as voters, claimed and likely ones as doubts for a person to settle.

An identity is proven by the roster's addresses, by a ruling, and among strangers by an exactly equal full name. Any
other sign that two mailboxes are one person's is a `Doubt`: shown with its reason, never acted upon.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kipflow.domain.likeness import find_keys, find_likeness
from kipflow.domain.people import Doubt, DoubtKind, Mailbox, Person, Voter, clean_address, fold_name
from kipflow.domain.policy import Policy
from kipflow.domain.proofs import ACCOUNTS, Proof, Writing, merge_strangers, prove_writer
from kipflow.domain.roster import Roster
from kipflow.domain.senders import KnownBy

T = TypeVar("T")
#: The most strangers with one key that are compared with each other, and the most doubts of one vote. People of the
#: roster are always compared; a vote with more doubts about binding ballots says so and waits.
MAX_ALIKE, MAX_DOUBTS = 24, 200
#: The most mailboxes of one voter that are compared.
MAX_BOXES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """The voter of each of some mails, how each is known, and the doubts about them.

    `crowded` says why doubts that could turn a vote are missing; empty: none is.
    """

    voters: tuple[Voter, ...]
    known_by: tuple[KnownBy, ...]
    doubts: tuple[Doubt, ...] = ()
    crowded: str = ""


@dataclass(slots=True, kw_only=True)
class _Party:
    """Mails proven to be one person's, without the rulings that join people.

    `claims` are people of the roster whose names it uses, with the reason in words.
    """

    voter: Voter
    key: str = ""
    boxes: dict[tuple[str, str], None] = field(default_factory=dict)
    writings: list[Writing] = field(default_factory=list)
    claims: dict[str, tuple[Person, str]] = field(default_factory=dict)

    @property
    def mailbox(self) -> Mailbox:
        return Mailbox(key=self.key, name=self.voter.name, address="" if self.key == self.voter.id else self.voter.id)


def identify_all(writings: Sequence[Writing], roster: Roster, policy: Policy) -> Identified:
    """The voter behind each of a vote's mails, and the doubts among them."""
    proofs = _prove_all(writings, roster, policy, ruled=True)
    apart = _prove_all(writings, roster, policy, ruled=False) if roster.verdicts else proofs
    parties: dict[str, _Party] = {}
    for writing, proof in zip(writings, apart, strict=True):
        key = proof.voter.id if proof.whole else writing.message_id
        party = parties.setdefault(key, _Party(voter=proof.voter, key=key))
        party.boxes.setdefault((writing.name, writing.address))
        party.writings.append(writing)
        party.claims.update((person.id, (person, proof.why)) for person in proof.people)
    # doubts that can change an outcome come first: the list may be cut off
    found = sorted(_find_doubts(list(parties.values()), roster, policy.binding_roles), key=lambda d: not d.binds)
    return Identified(
        voters=tuple(p.voter for p in proofs),
        known_by=tuple(p.known_by for p in proofs),
        doubts=tuple(found[:MAX_DOUBTS]),
        crowded=_find_crowd(found, parties.values()),
    )


def _find_crowd(doubts: Sequence[Doubt], parties: Iterable[_Party]) -> str:
    if len(doubts) > MAX_DOUBTS and doubts[MAX_DOUBTS].binds:
        return f"more than {MAX_DOUBTS} senders may be people whose votes bind"
    many = next((p for p in parties if p.voter.person is None and len(p.boxes) > MAX_BOXES), None)
    return "" if many is None else f"{many.voter.id} writes under more than {MAX_BOXES} names"


def _prove_all(writings: Sequence[Writing], roster: Roster, policy: Policy, *, ruled: bool) -> list[Proof]:
    proofs = [prove_writer(w, roster, policy.senders, ruled=ruled) for w in writings]
    whole = [position for position, proof in enumerate(proofs) if proof.whole]
    merged = merge_strangers([proofs[position].voter for position in whole], roster)
    for position, voter in zip(whole, merged, strict=True):
        if voter is not proofs[position].voter:
            proofs[position] = replace(proofs[position], voter=voter)
    return proofs


# -- doubts ----------------------------------------------------------------------------------------
def _find_doubts(parties: list[_Party], roster: Roster, roles: Collection[str]) -> Iterator[Doubt]:
    strangers = [p for p in parties if p.voter.person is None and p.voter.id]
    known = {p.voter.id: p for p in parties if p.voter.person is not None}
    for party in strangers:
        for person, why in party.claims.values():
            other = known.get(person.id) or _as_party(person)
            yield from _build_doubts(party, other, why, roster, roles, DoubtKind.SENDER)
    strangers = [p for p in strangers if p.key == p.voter.id]
    nearby, voting = _index_by_key(strangers, _boxes_of), _index_by_key(known.values(), _boxes_of)
    listed = _find_index(roster)
    done, count = set[int](), 0
    for party in strangers:
        done.add(id(party))
        keys = sorted({k for box in _boxes_of(party) for k in find_keys(*box)})
        people = {p.id: known.get(p.id) or _as_party(p) for key in keys for p in listed.get(key, ())}
        people.update((p.voter.id, p) for key in keys for p in voting.get(key, ()))
        others = {id(p): p for key in keys for p in nearby.get(key, ())[:MAX_ALIKE] if id(p) not in done}
        near = others.values() if count < MAX_DOUBTS else ()
        for other in (*(p for i, p in sorted(people.items()) if i not in party.claims), *near):
            pairs = itertools.product(_boxes_of(party), _boxes_of(other))
            likeness = next(filter(None, itertools.starmap(find_likeness, pairs)), None)
            if likeness is None:
                continue
            for doubt in _build_doubts(party, other, likeness, roster, roles, DoubtKind.ALIKE):
                if doubt.binds or other.writings:
                    count += 1
                    yield doubt


def _index_by_key(items: Iterable[T], list_boxes: Callable[[T], Iterable[tuple[str, str]]]) -> dict[str, list[T]]:
    index: dict[str, list[T]] = {}
    for item in items:
        for key in {k for box in list_boxes(item) for k in find_keys(*box)}:
            index.setdefault(key, []).append(item)
    return index


def _build_doubts(
    party: _Party, other: _Party, why: str, roster: Roster, roles: Collection[str], kind: DoubtKind
) -> Iterator[Doubt]:
    """The doubts whether two parties are one person. Mails from before the date that a ruling covers stay in doubt.

    A sender without an address is asked about mail by mail: the next mail under this name may be anybody's.
    """
    if other.voter.person is not None and party.key == party.voter.id and not any(a for _, a in party.boxes):
        for writing in party.writings:
            single = replace(party, key=writing.message_id, writings=[writing])
            yield from _build_doubts(single, other, why, roster, roles, kind)
        return
    ours = _nodes_of(party, roster)
    settled = [
        at
        for a, b in itertools.product(ours, _nodes_of(other, roster))
        for at in (roster.joined_since(a, b), roster.split_since(a, b))
        if at is not None
    ]
    since = max((day for node in ours if (day := roster.valid_since(node)) is not None), default=None)
    person = other.voter.person
    for is_covered in (True, False):
        writings = [w for w in party.writings if (since is None or w.at >= since) is is_covered]
        if not writings:
            continue
        yield Doubt(
            kind=kind,
            one=party.mailbox,
            other=other.mailbox,
            one_voter=party.voter.id,
            other_voter=other.voter.id,
            why=why,
            mails=tuple(w.message_id for w in writings),
            binds=tuple(w.message_id for w in writings if person is not None and person.holds(roles, w.at)),
            settled_at=min(settled, default=None) if is_covered else None,
        )


def _nodes_of(party: _Party, roster: Roster) -> list[str]:
    """The addresses, names and ids of a party that any ruling names."""
    if not roster.verdicts:
        return []
    if party.key != party.voter.id:
        return sorted({party.key} & roster.ruled_nodes)
    named = {party.voter.id, *(roster.node(clean_address(address) or fold_name(name)) for name, address in party.boxes)}
    return sorted(named & roster.ruled_nodes)


def _boxes_of(party: _Party) -> tuple[tuple[str, str], ...]:
    """The mailboxes of a party: at most `MAX_BOXES` from this vote, and those in the roster."""
    own, person = itertools.islice(party.boxes, MAX_BOXES), party.voter.person
    return tuple(dict.fromkeys((*own, *(_boxes_in_roster(person) if person is not None else ()))))


def _boxes_in_roster(person: Person) -> Iterator[tuple[str, str]]:
    names, account = (person.name, *person.aliases), f"{person.id}{ACCOUNTS}"
    # an id that equals one of their names adds nothing
    is_telling = not person.emails or fold_name(person.id) not in fold_name(person.name).split()
    emails = tuple(dict.fromkeys((*person.emails, *((account,) if is_telling else ()))))
    for position in range(max(len(names), len(emails))):
        yield names[min(position, len(names) - 1)], emails[min(position, len(emails) - 1)]


def _as_party(person: Person) -> _Party:
    return _Party(voter=Voter(id=person.id, name=person.name, address="", person=person), key=person.id)


def _find_index(roster: Roster) -> dict[str, list[Person]]:
    """Key → people of the roster with that key. Built once for each roster."""
    if not roster.alike:
        roster.alike.update(_index_by_key(roster.people, _boxes_in_roster))
    return roster.alike

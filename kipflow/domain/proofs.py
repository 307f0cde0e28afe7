"""Whose mails are: proven or a question, and which of them are proven to be one voter's.

An address that the roster or a ruling assigns to a person is proof, unless the mail itself contradicts it. A name
proves nothing, as anybody can write it; but among strangers an equal full name joins mails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.likeness import is_full_name
from kipflow.domain.people import Person, Voter, clean_address, fold_name
from kipflow.domain.roster import Roster
from kipflow.domain.senders import AddressSource, Authentication, KnownBy, Senders


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """One mail: its id, its time, its sender as shown, and what is known of that sender.

    `shown`: the addresses that it may be from, if that is ambiguous.
    """

    message_id: str
    name: str
    address: str
    at: datetime
    source: AddressSource = AddressSource.FROM
    authentication: Authentication = Authentication.UNKNOWN
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The proven author of a mail. If somebody known is claimed but not proven, `people` are the candidates and `why`
    the reason.

    `whole`: it applies to all mails from the address, not only to this one.
    """

    voter: Voter
    known_by: KnownBy
    people: tuple[Person, ...] = ()
    why: str = ""
    whole: bool = True


def prove_writer(writing: Writing, roster: Roster, senders: Senders, *, ruled: bool) -> Proof:
    """Who wrote a mail, as far as proven; `ruled` as in `Roster.identify`."""
    said = roster.identify_mail(writing.message_id) if ruled else None
    if said is not None:
        voter = replace(said, address=clean_address(writing.address))
        return Proof(voter=voter, known_by=KnownBy.ADDRESS if voter.address else KnownBy.NAME)
    if writing.source is AddressSource.AMBIGUOUS:
        return _ask_whose(writing, roster)
    voter = roster.identify(name=writing.name, address=writing.address, at=writing.at, ruled=ruled)
    if senders is Senders.NAMES:
        return _go_by_name(writing, voter, roster)
    if voter.person is None:
        return _prove_stranger(writing, voter, roster, senders)
    people, why = _find_objection(writing, voter.person, roster, senders)
    known_by = KnownBy.RECOVERED if writing.source is AddressSource.RECOVERED else KnownBy.ADDRESS
    if not people:
        passed = known_by is KnownBy.ADDRESS and writing.authentication is Authentication.PASSED
        return Proof(voter=voter, known_by=KnownBy.AUTHENTICATED if passed else known_by)
    return _ask_about_mail(writing, roster, known_by, people, why)


def _prove_stranger(writing: Writing, voter: Voter, roster: Roster, senders: Senders) -> Proof:
    """A sender whose address is not in the roster; one with a known name is a question."""
    named, shown = roster.find_named(writing.name), _find_holders(writing.name, roster)
    if shown:
        why = f"shows an address of {_name(shown)} as its name, and is from another"
        return Proof(voter=voter, known_by=KnownBy.NAME, people=shown, why=why)
    if not named:
        return Proof(voter=voter, known_by=KnownBy.UNKNOWN, whole=not _find_doubt(writing, senders))
    if not voter.address:
        why = f"writes under the name of {_name(named)} and shows no address"
        return _ask_about_mail(writing, roster, KnownBy.NAME, named, why)
    why = f"writes under the name of {_name(named)} from an address that is not known as theirs"
    return Proof(voter=voter, known_by=KnownBy.NAME, people=named, why=why)


_ADDRESS = re.compile(r"[^\s<>()\"',;:]+@[^\s<>()\"',;:]+")


def _find_holders(name: str, roster: Roster) -> tuple[Person, ...]:
    """The people whose addresses are in a display name: most mail programs show only that, not the real address."""
    shown = _ADDRESS.findall(name[:_LONGEST_NAME]) if "@" in name else []
    return tuple(dict.fromkeys(filter(None, (roster.identify(name="", address=each).person for each in shown))))


def _ask_whose(writing: Writing, roster: Roster) -> Proof:
    """A mail with several possible addresses proves nobody; a known address or name among them is a question."""
    holders = (roster.identify(name="", address=shown, at=writing.at).person for shown in writing.shown)
    people = tuple(dict.fromkeys((*filter(None, holders), *roster.find_named(writing.name))))
    shown = ", ".join(writing.shown[:_MOST_SHOWN]) or "none"
    return _ask_about_mail(
        writing, roster, KnownBy.UNKNOWN, people, f"does not show clearly which address it is from ({shown})"
    )


def _find_doubt(writing: Writing, senders: Senders) -> str:
    """What the host's record says against the address, or a missing required authentication; "": nothing."""
    if writing.authentication is Authentication.FAILED:
        if writing.source is AddressSource.RECOVERED:
            return "for which nothing speaks that the receiving host recorded"
        return "which the receiving host found not to be authentic"
    if senders is Senders.AUTHENTICATED and writing.authentication is not Authentication.PASSED:
        return "which the receiving host did not vouch for"
    return ""


_LONGEST_NAME = 200
#: Addresses of one mail that a question lists.
_MOST_SHOWN = 5


def _find_objection(
    writing: Writing, person: Person, roster: Roster, senders: Senders
) -> tuple[tuple[Person, ...], str]:
    """Why a mail from a person's own address may not be theirs, and who may have written it."""
    named = roster.find_named(writing.name)
    whose = f"shows an address of {person.name}"
    if named and person not in named:
        return (person, *named), f"{whose} under the name of {_name(named)}"
    if writing.source is AddressSource.RECOVERED and not _has_name_of(writing, person, roster):
        return (person,), f"{whose} behind the list's own, under another name"
    doubt = _find_doubt(writing, senders)
    return ((person,), f"{whose}, {doubt}") if doubt else ((), "")


def _has_name_of(writing: Writing, person: Person, roster: Roster) -> bool:
    """Whether a name is exactly the person's: anybody can set Reply-To to another's address, with a similar name."""
    folded = fold_name(writing.name)
    if folded == fold_name(person.id) or roster.is_ruled_name(writing.name, writing.address):
        return True
    return folded in map(fold_name, (person.name, *person.aliases))


def _ask_about_mail(writing: Writing, roster: Roster, known_by: KnownBy, people: tuple[Person, ...], why: str) -> Proof:
    """A mail of unknown authorship, until a person rules on it."""
    address = clean_address(writing.address)
    id_ = roster.name_stranger(address or fold_name(writing.name))
    voter = Voter(id=id_, name=writing.name or address, address=address)
    return Proof(voter=voter, known_by=known_by, people=people, why=why, whole=False)


def _go_by_name(writing: Writing, voter: Voter, roster: Roster) -> Proof:
    """The author, in a community that accepts an equal full name as proof."""
    named = roster.find_named(writing.name)
    if voter.person is not None:
        return Proof(voter=voter, known_by=KnownBy.ADDRESS)
    alone = len(named) != 1 or " " not in fold_name(writing.name) or roster.is_shared_name(writing.name)
    if alone or roster.split_since(voter.id, named[0].id) is not None:
        return Proof(voter=voter, known_by=KnownBy.UNKNOWN)
    known = Voter(id=named[0].id, name=named[0].name, address=voter.address, person=named[0], by_name=True)
    return Proof(voter=known, known_by=KnownBy.NAME)


def _name(people: tuple[Person, ...]) -> str:
    return " or ".join(dict.fromkeys(person.name for person in people))


ACCOUNTS = "@apache.org"


def merge_strangers(voters: Sequence[Voter], roster: Roster) -> list[Voter]:
    """The voters, with one id for all mails from an address, and for all addresses of strangers with one full name.

    The id is the ruled one, else that of the first mail. People of the roster keep their ids: a name never proves one
    of them. A name merges nobody if a ruling says that two people have it, if it has initials, if it is a single word,
    or if two accounts at apache.org use it: everybody has only one.
    """
    groups = _Groups(voters, roster)
    strangers = [position for position, voter in enumerate(voters) if voter.person is None]
    accounts: dict[str, set[str]] = {}
    #: Addresses that use a name of somebody in the roster: each is a question of its own.
    claiming = {voters[position].address for position in strangers if roster.find_named(voters[position].name)} - {""}
    for position in strangers:
        voter = voters[position]
        groups.join(f"id {voter.id}", position)
        if voter.address:
            groups.join(f"address {voter.address}", position)
        if voter.address.endswith(ACCOUNTS):
            accounts.setdefault(fold_name(voter.name), set()).add(voter.address)
    for position in strangers:
        voter, name = voters[position], fold_name(voters[position].name)
        alone = voter.ruled or not is_full_name(voter.name) or voter.address in claiming
        if not (alone or roster.is_shared_name(voter.name) or len(accounts.get(name, ())) > 1):
            groups.join(f"name {name}", position)
    return [groups.name(position) for position in range(len(voters))]


@dataclass(slots=True, kw_only=True)
class _Group:
    """Mails of one stranger: their positions, and the ids by which they are known."""

    members: list[int]
    ids: set[str]
    #: The voter they count as: by a ruling, else by the first mail.
    voter: Voter


class _Groups:
    """Groups of mails, joined step by step; never two that a ruling keeps apart."""

    def __init__(self, voters: Sequence[Voter], roster: Roster) -> None:
        self.voters, self.roster = voters, roster
        self.group = [_Group(members=[i], ids={v.id}, voter=v) for i, v in enumerate(voters)]
        self.first: dict[str, int] = {}
        self.has_splits = any(not v.same for v in roster.verdicts)

    def join(self, key: str, position: int) -> None:
        """Join a mail's group with that of the first mail with the same key."""
        ours, theirs = self.group[self.first.setdefault(key, position)], self.group[position]
        if ours is theirs or self.is_apart(ours, theirs):
            return
        if theirs.members[0] < ours.members[0] and not ours.voter.ruled:
            ours.voter = theirs.voter
        if theirs.voter.ruled and not ours.voter.ruled:
            ours.voter = theirs.voter
        ours.members = sorted((*ours.members, *theirs.members))
        ours.ids |= theirs.ids
        for member in theirs.members:
            self.group[member] = ours

    def is_apart(self, ours: _Group, theirs: _Group) -> bool:
        return self.has_splits and any(
            self.roster.split_since(a, b) is not None
            for a in ours.ids & self.roster.ruled_nodes
            for b in theirs.ids & self.roster.ruled_nodes
        )

    def name(self, position: int) -> Voter:
        """The voter of one mail, by its group."""
        voter, group = self.voters[position], self.group[position]
        if voter.person is not None or voter.ruled:
            return voter
        return Voter(id=group.voter.id, name=voter.name, address=voter.address, ruled=group.voter.ruled)

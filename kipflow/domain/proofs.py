"""Whether a mail's author is proven, and the question to ask if not.

An address that the roster or a ruling assigns to a person is proof, unless the mail itself contradicts it. A name
proves nothing: anybody can write it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

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

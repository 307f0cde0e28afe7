"""Which of a vote's mails are certainly one voter's: by roster or ruling, by address, by an equal full name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from kipflow.domain.likeness import is_full_name
from kipflow.domain.roster import Roster, Voter, fold_name

_ACCOUNTS = "@apache.org"


def identify_writers(senders: Sequence[tuple[str, str]], roster: Roster, *, ruled: bool) -> list[Voter]:
    """The voter behind each mail's (name, address); `ruled` as for `Roster.identify`."""
    return merge_names(_identify_each(senders, roster, ruled=ruled), roster)


def _identify_each(senders: Sequence[tuple[str, str]], roster: Roster, *, ruled: bool) -> list[Voter]:
    """Each mail's writer by itself. An address that goes by the names of two of the roster's people is neither's;
    nor does a name say who writes from either of two addresses that a person ruled to be two people's."""
    voters = [roster.identify(name=name, address=address, ruled=ruled) for name, address in senders]
    named: dict[str, set[str]] = {}
    addresses: dict[str, set[str]] = {}
    for voter in voters:
        if voter.by_name and voter.address:
            named.setdefault(voter.address, set()).add(voter.id)
            addresses.setdefault(voter.id, set()).add(voter.address)
    doubtful = {address for address, ids in named.items() if len(ids) > 1}
    for found in addresses.values() if roster.verdicts else ():
        ruled_on = sorted(found & roster.ruled_nodes)
        for one, other in combinations(ruled_on, 2):
            if roster.split_since(one, other) is not None:
                doubtful |= {one, other}
    return [
        Voter(id=voter.address, name=name, address=voter.address)
        if voter.by_name and voter.address in doubtful
        else voter
        for (name, _), voter in zip(senders, voters, strict=True)
    ]


def merge_names(voters: Sequence[Voter], roster: Roster) -> list[Voter]:
    """The same voters, with one id for all mails of an address and for all addresses under an equal full name.

    The id is the roster's, else that of the first mail in the sequence. The name alone does not merge where it is
    known to be two people's (by the roster or a verdict), where it has initials, where it is a single word, and
    where it stands on two accounts at apache.org, of which everybody has one.
    """
    groups = _Groups(voters, roster)
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
    return [groups.name(position) for position in range(len(voters))]


@dataclass(slots=True, kw_only=True)
class _Group:
    """Mails of one person: their positions, the ids by which they are known, who of the roster they are."""

    members: list[int]
    ids: set[str]
    person: Voter | None
    #: Whom the mails that no roster knows are counted as: by a ruling, else by the first mail.
    voter: Voter


class _Groups:
    """Mails put together step by step. Nobody is joined with whom a person ruled to be another."""

    def __init__(self, voters: Sequence[Voter], roster: Roster) -> None:
        self.voters, self.roster = voters, roster
        self.group = [
            _Group(members=[i], ids={v.id}, person=v if v.person is not None else None, voter=v)
            for i, v in enumerate(voters)
        ]
        self.first: dict[str, int] = {}
        self.has_splits = any(not v.same for v in roster.verdicts)

    def join(self, key: str, position: int) -> None:
        """Put a mail together with the first one of the same key."""
        ours, theirs = self.group[self.first.setdefault(key, position)], self.group[position]
        if ours is theirs or self.is_apart(ours, theirs):
            return
        if theirs.members[0] < ours.members[0] and not ours.voter.ruled:
            ours.voter = theirs.voter
        if theirs.voter.ruled and not ours.voter.ruled:
            ours.voter = theirs.voter
        ours.members = sorted((*ours.members, *theirs.members))
        ours.ids |= theirs.ids
        ours.person = ours.person or theirs.person
        for member in theirs.members:
            self.group[member] = ours

    def is_apart(self, ours: _Group, theirs: _Group) -> bool:
        if ours.person is not None and theirs.person is not None and ours.person.id != theirs.person.id:
            return True
        return self.has_splits and any(
            self.roster.split_since(a, b) is not None
            for a in ours.ids & self.roster.ruled_nodes
            for b in theirs.ids & self.roster.ruled_nodes
        )

    def name(self, position: int) -> Voter:
        """The voter of one mail by all that its group knows."""
        voter, group = self.voters[position], self.group[position]
        if voter.person is not None or (group.person is None and voter.ruled):
            return voter
        if group.person is not None:
            return replace(group.person, address=voter.address, by_name=True, ruled=voter.ruled)
        return Voter(id=group.voter.id, name=voter.name, address=voter.address, ruled=group.voter.ruled)

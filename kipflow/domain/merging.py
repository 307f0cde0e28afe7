"""Which mails of a vote are proven to be one voter's: by roster or ruling, by address, among strangers by full name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kipflow.domain.likeness import is_full_name
from kipflow.domain.people import Voter, fold_name
from kipflow.domain.roster import Roster

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

"""Which of a vote's mails are certainly one voter's: by roster or ruling, by address, among strangers by full name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kipflow.domain.likeness import is_full_name
from kipflow.domain.people import Voter, fold_name
from kipflow.domain.roster import Roster

ACCOUNTS = "@apache.org"


def merge_strangers(voters: Sequence[Voter], roster: Roster) -> list[Voter]:
    """The same voters, with one id for all mails of an address and for all addresses of strangers of one full name.

    The id is the ruled one, else that of the first mail in the sequence. People of the roster stay who they are: a
    name leads to none of them. Nor does it merge anybody where it is known to be two people's (by a verdict), where
    it has initials, where it is a single word, and where it stands on two accounts at apache.org, of which everybody
    has one.
    """
    groups = _Groups(voters, roster)
    strangers = [position for position, voter in enumerate(voters) if voter.person is None]
    accounts: dict[str, set[str]] = {}
    #: Addresses that go by a name of the roster's people: each is asked about by itself.
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
    #: Whom they are counted as: by a ruling, else by the first mail.
    voter: Voter


class _Groups:
    """Mails put together step by step. Nobody is joined with whom a person ruled to be another."""

    def __init__(self, voters: Sequence[Voter], roster: Roster) -> None:
        self.voters, self.roster = voters, roster
        self.group = [_Group(members=[i], ids={v.id}, voter=v) for i, v in enumerate(voters)]
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
        for member in theirs.members:
            self.group[member] = ours

    def is_apart(self, ours: _Group, theirs: _Group) -> bool:
        return self.has_splits and any(
            self.roster.split_since(a, b) is not None
            for a in ours.ids & self.roster.ruled_nodes
            for b in theirs.ids & self.roster.ruled_nodes
        )

    def name(self, position: int) -> Voter:
        """The voter of one mail by all that its group knows."""
        voter, group = self.voters[position], self.group[position]
        if voter.person is not None or voter.ruled:
            return voter
        return Voter(id=group.voter.id, name=voter.name, address=voter.address, ruled=group.voter.ruled)

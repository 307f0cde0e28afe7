"""Rulings of people. They are never deleted; a revoked one is marked as such."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.numbering import GivenNumbers
from kipflow.adapters.store.part import RULING_LOCK, Part, as_row, lock
from kipflow.adapters.store.tables.facts import message, message_proposal, ruling
from kipflow.adapters.store.tables.votes import ballot
from kipflow.domain.errors import KipflowError
from kipflow.domain.facts import Ruling
from kipflow.domain.people import clean_address, fold_name
from kipflow.domain.ruled import IDENTITY, find_ruled_keys


class SqlRulings(Part):
    """`services.ports.RulingStore`."""

    def save(self, found: Ruling) -> int:
        """Store a ruling and return its id. An identical one of the same person and time is stored only once.

        A different value at the same time is another ruling, because people date rulings by the day. So is the same
        value after a revocation.
        """
        lock(self._connection, RULING_LOCK)
        same = sa.select(ruling.c.id, ruling.c.value).where(
            ruling.c.target == found.target,
            ruling.c.kind == found.kind,
            ruling.c.number.is_(None) if found.number is None else ruling.c.number == found.number,
            ruling.c.author == found.author,
            ruling.c.made_at == found.made_at,
            ruling.c.revoked_at.is_(None),
        )
        known = next((row.id for row in self._connection.execute(same) if row.value == found.value), None)
        if known is not None:
            return int(known)
        row = as_row(found, without={"id", "revoked_at", "revoked_by", "revoked_reason"})
        numbers = self._find_numbers(found)
        self.add_proposals(numbers)
        new = self._connection.execute(sa.insert(ruling).values(row).returning(ruling.c.id)).scalar_one()
        self._mark_affected(found, numbers, found.made_at)
        return int(new)

    def revoke(self, ruling_id: int, *, at: datetime, by: str, reason: str = "") -> None:
        """End a ruling at `at`. One that is already revoked is unchanged.

        Raises:
            KipflowError: there is no such ruling.
        """
        lock(self._connection, RULING_LOCK)
        held = next(iter(self._load(ruling.c.id == ruling_id)), None)
        if held is None:
            raise KipflowError(f"no ruling {ruling_id} is known; `kipflow review rulings` lists them")
        if held.revoked_at is not None:
            return
        values = {"revoked_at": at, "revoked_by": by, "revoked_reason": reason}
        self._connection.execute(sa.update(ruling).where(ruling.c.id == ruling_id).values(values))
        self._mark_affected(held, self._find_numbers(held), at)

    def _mark_affected(self, found: Ruling, numbers: Collection[int], at: datetime) -> None:
        self.mark_pending(numbers, at)
        if found.kind == "number":
            self.part(GivenNumbers).mark_followers(numbers, at)

    def load_of_proposal(self, number: int) -> tuple[Ruling, ...]:
        """The rulings on the proposal, and those on ballots in its mails that name no proposal; by time.

        Identity rulings are left out: `find_concerned` selects those that concern the proposal's votes.
        """
        its_mails = sa.select(message_proposal.c.message_id).where(message_proposal.c.number == number)
        unnamed = sa.and_(ruling.c.number.is_(None), ruling.c.kind == "ballot", ruling.c.target.in_(its_mails))
        return self._load(sa.or_(ruling.c.number == number, unnamed))

    def load_all(self) -> tuple[Ruling, ...]:
        lock(self._connection, RULING_LOCK)
        return self._load()

    # -- who is who --------------------------------------------------------------------------------------

    def load_identities(self) -> tuple[Ruling, ...]:
        """The identity rulings by time, with the revoked ones."""
        return self._load(ruling.c.kind.in_(IDENTITY))

    def load_standing_identities(self) -> tuple[Ruling, ...]:
        """The identity rulings that were not revoked, newest first."""
        return tuple(r for r in reversed(self.load_identities()) if r.revoked_at is None)

    def find_voter_keys(self, number: int) -> set[str]:
        """Ids, addresses and folded names of the voters in the newest decision on the proposal."""
        columns = sa.select(ballot.c.voter, ballot.c.address, ballot.c.name).distinct()
        rows = self._connection.execute(columns.where(ballot.c.number == number))
        return {key for row in rows for key in (row.voter, clean_address(row.address), fold_name(row.name))}

    def _find_numbers(self, found: Ruling) -> set[int]:
        """The proposals that a ruling affects: the one it names, or those of its mail, or those of its two people."""
        if found.number is not None:
            return {found.number}
        columns = sa.select(message_proposal.c.number).distinct()
        if found.kind not in IDENTITY:
            return set(self._connection.scalars(columns.where(message_proposal.c.message_id == found.target)))
        wanted = find_ruled_keys(found.value)
        joined = columns.join(message, message.c.message_id == message_proposal.c.message_id)
        numbers = {
            row.number
            for column in (message.c.author_address, message.c.message_id)
            for row in self.iter_matching(joined, column, wanted)
        }
        voters = sa.select(ballot.c.number, ballot.c.voter, ballot.c.name).distinct()
        numbers.update(
            row.number
            for row in self._connection.execute(voters)
            if row.voter in wanted or fold_name(row.name) in wanted
        )
        return numbers

    def _load(self, *where: sa.ColumnElement[bool]) -> tuple[Ruling, ...]:
        statement = sa.select(ruling).where(*where).order_by(ruling.c.made_at, ruling.c.id)
        return self.load_records(Ruling, statement)

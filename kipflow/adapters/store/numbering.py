"""Which numbers were given out by the wiki and its index, and which are only claimed in mail."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.part import Part
from kipflow.adapters.store.tables.decisions import mark, proposal
from kipflow.adapters.store.tables.facts import call_note, index_entry, page, page_version, ruling
from kipflow.domain.proposals import JUMP, Numbering, Numbers, find_followers

#: Marks for the index's stated next number: by the wiki's page, and by an operator's import.
STATED_MARKS = {"page": "next-number-page", "import": "next-number-import"}


class GivenNumbers(Part):
    """The numbers that pages, index rows and people gave out."""

    def load_numbering(self, number: int) -> Numbering:
        """The numbers around a proposal. A configured wiki counts even if nothing was read from it yet."""
        is_read = self.has_given()
        by_wiki = is_read or self.rules.has_wiki
        accepted, refused = self.load_answers()
        columns = [page.c.number, page_version.c.number, index_entry.c.number] if by_wiki else [proposal.c.number]
        below = self.find_below(columns, number, refused, accepted)
        return Numbering(by_wiki=by_wiki, unread=by_wiki and not is_read, below=below)

    def load_taken(self) -> Numbers:
        accepted, refused = self.load_answers()
        columns = (page.c.number, page_version.c.number, index_entry.c.number, call_note.c.number)
        found = self._connection.scalars(sa.union(*(sa.select(c).where(c.is_not(None)) for c in columns)))
        claimed = sa.select(proposal.c.number).where(proposal.c.claim == "claimed", proposal.c.claim_known.is_(True))
        stated = sa.select(mark.c.value).where(mark.c.name.in_(STATED_MARKS.values()))
        return Numbers(
            taken=(frozenset(found) | accepted) - refused,
            accepted=accepted,
            refused=refused,
            claimed=frozenset(self._connection.scalars(claimed)),
            stated=max((int(value) for value in self._connection.scalars(stated)), default=None),
        )

    def save_stated_number(self, number: int | None, *, origin: str) -> None:
        if number is not None:
            self.save_mark(STATED_MARKS[origin], str(number))

    def find_below(
        self, columns: Iterable[sa.Column[int]], number: int, refused: Collection[int], accepted: Iterable[int]
    ) -> int | None:
        """The next lower number: the highest in `columns` that was not refused, or that a person accepted."""
        found: list[int] = [n for n in accepted if n < number]
        for column in columns:
            highest = sa.select(sa.func.max(column)).where(column < number, column.not_in(refused))
            found.extend(n for n in self._connection.scalars(highest) if n is not None)
        return max(found, default=None)

    def has_given(self) -> bool:
        """Whether any number of the community is known from its wiki or an index."""
        either = sa.or_(
            sa.exists().where(page.c.number.is_not(None)), sa.exists().where(index_entry.c.number.is_not(None))
        )
        return bool(self._connection.scalar(sa.select(either)))

    def load_answers(self) -> tuple[frozenset[int], frozenset[int]]:
        """The numbers that people accepted, and those that they refused; the newest ruling on each counts."""
        where = sa.and_(ruling.c.kind == "number", ruling.c.revoked_at.is_(None), ruling.c.number.is_not(None))
        statement = sa.select(ruling.c.number, ruling.c.value).where(where).order_by(ruling.c.made_at, ruling.c.id)
        answers = {row.number: row.value.get("number") for row in self._connection.execute(statement)}
        accepted, refused = (frozenset(n for n, given in answers.items() if given == it) for it in ("accept", "refuse"))
        return accepted, refused

    def mark_followers(self, numbers: Collection[int], since: datetime | None, *, had_wiki: bool = True) -> None:
        """Mark the doubtful proposals pending whose status depends on these new or ruled numbers.

        `had_wiki`: some number was known from the wiki before. The first one makes every number in mail only
        claimed, so that all proposals are marked.
        """
        if not had_wiki:
            everyone = sa.select(proposal.c.number).where(proposal.c.stage.is_not(None))
            self.mark_pending(self._connection.scalars(everyone), since)
            return
        if not numbers:
            return
        doubtful = sa.select(proposal.c.number).where(
            proposal.c.claim != "", proposal.c.number > min(numbers), proposal.c.number <= max(numbers) + JUMP
        )
        self.mark_pending(find_followers(numbers, self._connection.scalars(doubtful)), since)

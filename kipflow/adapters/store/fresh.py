"""Proposals that are known only from rows of an index: many of them are read and decided at once.

An operator may import tens of thousands of rows. One transaction for each would take minutes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.pages import SqlPages
from kipflow.adapters.store.tables.decisions import pending, proposal, transition, warning
from kipflow.adapters.store.tables.facts import index_entry, message_proposal, page, page_version, ruling
from kipflow.domain.facts import Coverage
from kipflow.domain.pages import IndexEntry
from kipflow.domain.proposals import Numbering
from kipflow.services.ports import ProposalRows

#: A proposal with a row in one of these is known from more than an index.
_MORE = (message_proposal, page, page_version, ruling, transition, warning)


class FreshProposals(SqlPages):
    """Pages and index rows of many proposals at once."""

    def load(self, numbers: Sequence[int], coverage: Coverage) -> Iterator[tuple[str | None, ProposalRows]]:
        """The rows of the `numbers` that were never decided and are only in an index, each with its pending token.

        The proposals are locked until the transaction ends.
        """
        rest = self._lock_fresh(numbers)
        entries: dict[int, list[IndexEntry]] = defaultdict(list)
        for entry in self.iter_index_entries(rest):
            entries[entry.number].append(entry)
        held = self._connection.execute(sa.select(pending.c.number, pending.c.token).where(pending.c.number.in_(rest)))
        tokens = {row.number: row.token for row in held}
        keys = {e.jira for found in entries.values() for e in found if e.jira}
        tickets = defaultdict(list)
        for ticket in self.load_tickets(keys):
            tickets[ticket.key].append(ticket)
        below = self._find_next_below(rest)
        for number in rest:
            rows = entries.get(number, ())
            if not rows:
                continue
            own = tuple(t for key in {e.jira for e in rows if e.jira} for t in tickets.get(key, ()))
            yield (
                tokens.get(number),
                ProposalRows(
                    number=number,
                    index_entries=tuple(rows),
                    tickets=own,
                    coverage=coverage,
                    numbering=Numbering(by_wiki=True, below=below[number]),
                ),
            )

    def _lock_fresh(self, numbers: Sequence[int]) -> list[int]:
        new = sa.select(proposal.c.number).where(proposal.c.number.in_(numbers), proposal.c.stage.is_(None))
        statement = new.order_by(proposal.c.number).with_for_update(key_share=True)
        rest = list(self._connection.scalars(statement))
        columns: list[sa.Column[Any]] = [table.c.number for table in _MORE]
        known = sa.union(*(sa.select(column).where(column.in_(rest)) for column in columns))
        more = set(self._connection.scalars(known))
        return [number for number in rest if number not in more]

    def _find_next_below(self, numbers: Sequence[int]) -> dict[int, int | None]:
        """Each number → the next lower one that the wiki, an index or a person gave out."""
        if not numbers:
            return {}
        first, last = min(numbers), max(numbers)
        accepted, refused = self.load_answers()
        columns = (page.c.number, page_version.c.number, index_entry.c.number)
        between = sa.union(*(sa.select(c).where(c.between(first, last), c.not_in(refused)) for c in columns))
        given = {*self._connection.scalars(between), *accepted}
        lower = self.find_below(columns, first, refused, [n for n in given if n < first])
        order = sorted({*numbers, *(n for n in given if first <= n <= last)})
        found: dict[int, int | None] = {first: lower}
        found.update((n, before) for before, n in pairwise(order))
        return found

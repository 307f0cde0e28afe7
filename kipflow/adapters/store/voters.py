"""Who still has to vote: active binding voters without a ballot in a running vote."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.part import Part
from kipflow.adapters.store.tables.decisions import ballot, proposal, review_item, vote
from kipflow.domain.events import Stage
from kipflow.domain.people import DoubtKind, find_sides
from kipflow.domain.votes import BallotStatus
from kipflow.services import board as views

#: A voter is active for this long after a binding ballot.
ACTIVE = timedelta(days=180)
#: Joins ballots with their vote. `VOTED`: the ballots that count, or may count after a review.
OF_VOTE = sa.and_(vote.c.number == ballot.c.number, vote.c.position == ballot.c.vote_position)
VOTED = ballot.c.status.in_((BallotStatus.COUNTED, BallotStatus.REVIEW))


class VoterQueries(Part):
    """Queries of `services.board.Board` about voters."""

    def load_absent(self, as_of: datetime, numbers: Collection[int]) -> Mapping[int, views.MissingVoters]:
        """Number of each of these proposals with a running vote → those who still have to vote."""
        names, asked = self._find_active(as_of), self._load_asked(numbers)
        voted: dict[int, set[str]] = {}
        for row in self._connection.execute(_select_cast(numbers)):
            voted.setdefault(row.number, set())
            (asked if row.status == BallotStatus.REVIEW else voted).setdefault(row.number, set()).add(row.voter)
        return {
            number: views.MissingVoters(
                unvoted=tuple(name for voter, name in names.items() if voter not in cast | asked.get(number, set())),
                asked=tuple(name for voter, name in names.items() if voter in asked.get(number, set()) - cast),
            )
            for number, cast in voted.items()
        }

    def _find_active(self, as_of: datetime) -> dict[str, str]:
        """Active binding voter → name; the latest voter first."""
        newest = sa.func.max(ballot.c.cast_at)
        active = self._connection.execute(
            sa.select(ballot.c.voter, sa.func.max(ballot.c.name).label("name"))
            .where(
                ballot.c.binding,
                ballot.c.status == BallotStatus.COUNTED,
                ballot.c.cast_at.between(as_of - ACTIVE, as_of),
            )
            .group_by(ballot.c.voter)
            .order_by(newest.desc(), ballot.c.voter)
        )
        people = self.rules.roster.by_id
        return {row.voter: people[row.voter].name if row.voter in people else row.name for row in active}

    def _load_asked(self, numbers: Collection[int]) -> dict[int, set[str]]:
        """Number → people who may be the sender of a ballot, according to open questions."""
        asked: dict[int, set[str]] = {}
        pairs = sa.select(review_item.c.number, review_item.c.subject).where(
            review_item.c.number.in_(numbers), review_item.c.kind.in_(list(DoubtKind))
        )
        for row in self._connection.execute(pairs):
            asked.setdefault(row.number, set()).update(find_sides(row.subject))
        return asked

    def load_voters(self) -> tuple[views.VoterRow, ...]:
        is_running = sa.and_(vote.c.is_current, proposal.c.stage == Stage.VOTE)
        rows = (
            sa.select(ballot.c.number, sa.func.max(sa.case((is_running, 1), else_=0)), ballot.c.name, ballot.c.address)
            .join(vote, OF_VOTE)
            .join(proposal, proposal.c.number == ballot.c.number)
            .group_by(ballot.c.number, ballot.c.name, ballot.c.address)
        )
        return tuple(
            views.VoterRow(number=number, is_running=bool(running), name=name, address=address)
            for number, running, name, address in self._connection.execute(rows)
        )


def _select_cast(numbers: Collection[int]) -> sa.Select[Any]:
    """The voters in the running votes of these proposals; a row without a voter if nobody voted."""
    return (
        sa.select(vote.c.number, ballot.c.voter, ballot.c.status)
        .join(proposal, proposal.c.number == vote.c.number)
        .outerjoin(ballot, sa.and_(OF_VOTE, VOTED))
        .where(vote.c.is_current, proposal.c.stage == Stage.VOTE, vote.c.number.in_(numbers))
    )

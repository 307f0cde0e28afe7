"""The board's queries about people of the roster, and about voters. Each answer takes a fixed number of SQL queries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.board_rows import LISTED, ROWS, as_board_row
from kipflow.adapters.store.part import Part, from_row
from kipflow.adapters.store.rulings import SqlRulings
from kipflow.adapters.store.tables.decisions import proposal
from kipflow.adapters.store.tables.votes import ballot, review_item, vote
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.events import Stage
from kipflow.domain.people import DoubtKind, Person, clean_address, find_sides
from kipflow.domain.proposals import format_key
from kipflow.domain.ruled import as_verdicts
from kipflow.domain.votes import Ballot, BallotStatus
from kipflow.services import board as views
from kipflow.services.board.people import YEAR, Address, CastBallot, PeopleView, PersonRow, PersonView

#: The most ballots, proposals and questions that are listed for a person.
MOST = 100
_LIVE = (proposal.c.stage.is_not(None), LISTED)
#: A voter is active for this long after a binding ballot.
ACTIVE = timedelta(days=180)
#: Joins ballots with their vote. `VOTED`: the ballots that count, or may count after a review.
OF_VOTE = sa.and_(vote.c.number == ballot.c.number, vote.c.position == ballot.c.vote_position)
VOTED = ballot.c.status.in_((BallotStatus.COUNTED, BallotStatus.REVIEW))


class PeopleQueries(Part):
    """Queries of `services.board.Board` about people of the roster, and about voters."""

    def load_people(self, as_of: datetime) -> PeopleView:
        cast = {row.voter: row for row in self._connection.execute(_count_votes(as_of))}
        rows = [_person_row(person, cast.get(person.id)) for person in self.rules.roster.people]
        return PeopleView(
            rows=tuple(sorted(rows, key=lambda r: (-r.last_year, -r.votes, r.person.name.casefold()))),
            opened=self._count_opened(as_of),
            source=self.rules.roster.source,
        )

    def find_person(self, person_id: str, as_of: datetime) -> PersonView | None:
        person = self.rules.roster.by_id.get(person_id)
        if person is None:
            return None
        cast = self._connection.execute(_count_votes(as_of).where(ballot.c.voter == person_id)).one_or_none()
        names = [name for name in (person.name, *person.aliases) if not self.rules.roster.is_shared_name(name)]
        own = sa.and_(proposal.c.author.in_(names), *_LIVE)
        voted = sa.select(ballot.c.number).where(ballot.c.voter == person_id, VOTED, OF_VOTE)
        asked = sa.select(review_item.c.number).where(
            review_item.c.number == proposal.c.number,
            _is_asked_about(person_id),
            review_item.c.kind.in_(list(DoubtKind)),
        )
        unvoted = sa.and_(proposal.c.stage == Stage.VOTE, LISTED, ~voted.exists(), ~asked.exists())
        newest = proposal.c.last_activity.desc().nulls_last(), proposal.c.number.desc()

        def list_rows(where: sa.ColumnElement[bool], *order: Any) -> tuple[views.BoardRow, ...]:
            found = self._connection.execute(ROWS.where(where).order_by(*order).limit(MOST))
            return tuple(as_board_row(row, self.rules.prefix) for row in found)

        return PersonView(
            row=_person_row(person, cast),
            opened=self._count_opened(as_of),
            source=self.rules.roster.source,
            addresses=self._load_addresses(person),
            unvoted=list_rows(unvoted, vote.c.earliest_close, proposal.c.number),
            proposals=list_rows(own, *newest),
            questions=self._load_questions(person_id, own),
            ballots=self._load_ballots(person_id),
        )

    def _count_opened(self, as_of: datetime) -> int:
        return self.count_rows(vote, vote.c.opened_at.between(as_of - YEAR, as_of))

    def _load_addresses(self, person: Person) -> tuple[Address, ...]:
        """The roster's addresses, then those from rulings, then others that voted in the person's name."""
        statement = (
            sa.select(
                ballot.c.address, sa.func.count().label("ballots"), sa.func.max(ballot.c.cast_at).label("last_at")
            )
            .where(ballot.c.voter == person.id)
            .group_by(ballot.c.address)
            .order_by(ballot.c.address)
        )
        seen = {row.address: row for row in self._connection.execute(statement)}
        ruled = {
            clean_address(box.address or box.key): verdict
            for verdict in as_verdicts(self.part(SqlRulings).load_identities())
            if verdict.same and person.id in {verdict.one.key, verdict.other.key}
            for box in (verdict.one, verdict.other)
            if box.key != person.id
        }
        known = dict.fromkeys([*person.emails, *ruled, *filter(None, seen)])
        return tuple(
            Address(
                address=address,
                in_roster=address in person.emails,
                verdict=ruled.get(address),
                ballots=seen[address].ballots if address in seen else 0,
                last_at=seen[address].last_at if address in seen else None,
            )
            for address in known
        )

    def _load_questions(self, person_id: str, own: sa.ColumnElement[bool]) -> tuple[views.ReviewRow, ...]:
        cast = sa.select(ballot.c.message_id).where(ballot.c.voter == person_id)
        statement = (
            sa.select(review_item, proposal.c.title, proposal.c.stage, proposal.c.decided_at)
            .join(proposal, proposal.c.number == review_item.c.number)
            .where(sa.or_(own, review_item.c.subject.in_(cast), _is_asked_about(person_id)), *_LIVE)
            .order_by(review_item.c.affects_outcome.desc(), review_item.c.number, review_item.c.position)
            .limit(MOST)
        )
        return tuple(
            from_row(
                views.ReviewRow, row, key=format_key(self.rules.prefix, row.number), item=from_row(ReviewItem, row)
            )
            for row in self._connection.execute(statement)
        )

    def _load_ballots(self, person_id: str) -> tuple[CastBallot, ...]:
        statement = (
            sa.select(ballot, proposal.c.title, vote.c.round)
            .join(vote, OF_VOTE)
            .join(proposal, proposal.c.number == ballot.c.number)
            .where(ballot.c.voter == person_id, *_LIVE)
            .order_by(ballot.c.cast_at.desc(), ballot.c.number.desc())
            .limit(MOST)
        )
        return tuple(
            from_row(
                CastBallot,
                row,
                key=format_key(self.rules.prefix, row.number),
                ballot=from_row(Ballot, row),
                url=self.rules.render_permalink(row.message_id),
            )
            for row in self._connection.execute(statement)
        )

    # -- who still has to vote: active binding voters without a ballot in a running vote -------------------

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


def _count_votes(as_of: datetime) -> sa.Select[Any]:
    """For each voter the number of their votes, and the time of the last. Each round of a proposal is one vote."""
    # a proposal has only a few rounds, so that one integer can identify a vote
    name = ballot.c.number * 1_000 + ballot.c.vote_position
    recent = sa.case((vote.c.opened_at.between(as_of - YEAR, as_of), name))
    return (
        sa.select(
            ballot.c.voter,
            sa.func.count(name.distinct()).label("votes"),
            sa.func.count(recent.distinct()).label("last_year"),
            sa.func.max(ballot.c.cast_at).label("last_vote"),
        )
        .join(vote, OF_VOTE)
        .where(ballot.c.status == BallotStatus.COUNTED)
        .group_by(ballot.c.voter)
    )


def _person_row(person: Person, cast: sa.Row[Any] | None) -> PersonRow:
    return PersonRow(person=person) if cast is None else from_row(PersonRow, cast, person=person)


def _is_asked_about(person_id: str) -> sa.ColumnElement[bool]:
    """Whether a question asks if the person and somebody else are the same."""
    return sa.or_(
        review_item.c.subject.endswith(f" = {person_id}", autoescape=True),
        review_item.c.subject.startswith(f"{person_id} = ", autoescape=True),
    )


def _select_cast(numbers: Collection[int]) -> sa.Select[Any]:
    """The voters in the running votes of these proposals; a row without a voter if nobody voted."""
    return (
        sa.select(vote.c.number, ballot.c.voter, ballot.c.status)
        .join(proposal, proposal.c.number == vote.c.number)
        .outerjoin(ballot, sa.and_(OF_VOTE, VOTED))
        .where(vote.c.is_current, proposal.c.stage == Stage.VOTE, vote.c.number.in_(numbers))
    )

"""Proposals as the board and a public site show them: decisions with the facts behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.board import OverviewQueries, as_recorded
from kipflow.adapters.store.board_rows import LISTED, as_tally
from kipflow.adapters.store.pages import SqlPages
from kipflow.adapters.store.part import Part, from_row
from kipflow.adapters.store.rulings import SqlRulings
from kipflow.adapters.store.tables.decisions import proposal, transition
from kipflow.adapters.store.tables.facts import message, message_proposal, ticket
from kipflow.adapters.store.tables.outbox import outbox
from kipflow.adapters.store.tables.votes import ballot, review_item, vote
from kipflow.adapters.store.warnings import Warnings
from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.facts import MailKind, Ruling, VoteMail
from kipflow.domain.pages import TicketState
from kipflow.domain.proposals import Proposal, format_key
from kipflow.domain.records import from_plain
from kipflow.domain.ruled import find_concerned
from kipflow.domain.votes import Ballot, Declared, Vote, states_end
from kipflow.services import board as views
from kipflow.services.ports import OutboxRow

AnyRow = sa.Row[*tuple[Any, ...]]


class ProposalQueries(Part):
    """Queries of `services.board.Board` about single proposals."""

    def load_proposal(self, number: int, as_of: datetime) -> views.ProposalView:
        """One proposal with everything recorded by `as_of`, in a fixed number of queries.

        Raises:
            UnknownProposal: the number is not known, or has no decision yet.
        """
        row = self._connection.execute(sa.select(proposal).where(proposal.c.number == number)).one_or_none()
        if row is None or row.stage is None:
            raise UnknownProposal(number)
        mails = self._connection.execute(_select_mails(as_of).where(message_proposal.c.number == number)).all()
        moves = self._connection.execute(_select_moves(as_of).where(transition.c.number == number)).all()
        pages = self.part(SqlPages)
        versions = tuple(p for p in pages.load_pages(number) if p.saved_at <= as_of)
        entries = tuple(e for e in pages.load_index_entries(number) if e.seen_at <= as_of)
        keys = {v.jira for v in versions if v.jira} | {e.jira for e in entries if e.jira}
        votes = self.load_votes(number).get(number, ())
        asked = sa.select(review_item).where(review_item.c.number == number).order_by(review_item.c.position)
        questions = self._connection.execute(asked).all()
        effects = sa.select(outbox).where(outbox.c.number == number, outbox.c.created_at <= as_of)
        effects = effects.order_by(outbox.c.created_at.desc(), outbox.c.key)
        questioned = self.part(OverviewQueries).load_questioned(questions)
        return self._build_view(
            row,
            moves,
            votes,
            mails,
            review=tuple(from_row(ReviewItem, item) for item in questions),
            pages=versions,
            index_entries=entries,
            tickets=tuple(t for t in pages.load_tickets(keys) if t.seen_at <= as_of),
            rulings=self._load_rulings(number, votes, as_of),
            warnings=self.part(Warnings).load_warnings(number, known_at=as_of),
            activity=_count_months(mails),
            calls=pages.load_call_notes(number),
            faults=pages.load_faults(number),
            effects=self.load_records(OutboxRow, effects),
            questioned={subject: b for (_, subject), b in questioned.items()},
        )

    def load_published(self, as_of: datetime) -> tuple[views.ProposalView, ...]:
        """Every listed proposal by number, with what was recorded by `as_of`, in a fixed number of queries.

        Questions, drift, rulings, effects and page versions are left empty: a public page does not show them.
        """
        votes = self.load_votes()
        history = _group(self._connection.execute(_select_moves(as_of)))
        mails = _group(self._connection.execute(_select_mails(as_of)))
        seen = sa.select(ticket).where(ticket.c.seen_at <= as_of).order_by(ticket.c.key, ticket.c.seen_at)
        tickets = {found.key: found for found in self.load_records(TicketState, seen)}
        listed = sa.select(proposal).where(proposal.c.stage.is_not(None), LISTED).order_by(proposal.c.number)
        return tuple(
            self._build_view(
                row,
                history[row.number],
                votes.get(row.number, ()),
                mails.get(row.number, []),
                tickets=(tickets[row.jira],) if row.jira in tickets else (),
                # only for operators
                drift=(),
                review=(),
            )
            for row in self._connection.execute(listed)
            if row.number in history
        )

    def _build_view(
        self,
        row: AnyRow,
        moves: Sequence[AnyRow],
        votes: tuple[VoteState, ...],
        mails: Sequence[AnyRow],
        **more: Any,
    ) -> views.ProposalView:
        """Build the view of a proposal from its rows."""
        threads = tuple(_count_threads(mails))
        held = {mail.message_id for mail in mails}
        retracted = {entry for move in moves for entry in move.retracts}
        return from_row(
            views.ProposalView,
            row,
            key=format_key(self.rules.prefix, row.number),
            proposal=from_row(Proposal, row),
            history=tuple(as_recorded(move, retracted) for move in moves),
            votes=votes,
            threads=threads,
            links={i: self.rules.render_permalink(i) for i in _list_cited(votes, threads) if i in held},
            **more,
        )

    def _load_rulings(self, number: int, votes: Sequence[VoteState], as_of: datetime) -> tuple[Ruling, ...]:
        """The rulings on the proposal, and the identity rulings that concern its voters; by time."""
        rulings = self.part(SqlRulings)
        concerned = find_concerned(rulings.load_identities(), (state.vote for state in votes))
        found = (r for r in (*rulings.load_of_proposal(number), *concerned) if r.made_at <= as_of)
        return tuple(sorted(found, key=lambda r: (r.made_at, r.id or 0)))

    # -- votes -------------------------------------------------------------------------------------------

    def load_votes(self, number: int | None = None) -> dict[int, tuple[VoteState, ...]]:
        """Number of a proposal → its judged rounds in order, in two queries. `number` None: of all proposals."""
        cast = sa.select(ballot).order_by(ballot.c.number, ballot.c.vote_position, ballot.c.position)
        statement = sa.select(vote).order_by(vote.c.number, vote.c.position)
        if number is not None:
            cast, statement = cast.where(ballot.c.number == number), statement.where(vote.c.number == number)
        ballots: dict[tuple[int, int], list[Ballot]] = {}
        for row in self._connection.execute(cast):
            ballots.setdefault((row.number, row.vote_position), []).append(from_row(Ballot, row))
        votes: dict[int, list[VoteState]] = {}
        for row in self._connection.execute(statement):
            state = _vote_state(row, ballots.get((row.number, row.position), ()))
            votes.setdefault(row.number, []).append(state)
        return {key: tuple(states) for key, states in votes.items()}

    def load_vote_mails(self, number: int, as_of: datetime) -> tuple[VoteMail, ...]:
        """The newest 500 mails of the proposal that are about a vote or its result, oldest first."""
        columns = (message.c.message_id, message.c.author_name, message.c.author_address, message.c.own_text)
        statement = (
            sa.select(*columns, message.c.declared)
            .join(message_proposal, message_proposal.c.message_id == message.c.message_id)
            .where(
                message_proposal.c.number == number,
                message.c.seen_at <= as_of,
                message.c.kind.in_([MailKind.VOTE.value, MailKind.RESULT.value]),
            )
            .order_by(message.c.arrived_at.desc().nulls_first(), message.c.message_id.desc())
            .limit(500)
        )
        return tuple(
            from_row(
                VoteMail,
                row,
                author=row.author_name or row.author_address,
                announces=row.declared is not None and states_end(from_plain(Declared, row.declared)),
                url=self.rules.render_permalink(row.message_id),
            )
            for row in reversed(self._connection.execute(statement).all())
        )


def _group(rows: Iterable[AnyRow]) -> dict[int, list[AnyRow]]:
    """Group rows that are sorted by number."""
    return {number: list(of_number) for number, of_number in groupby(rows, attrgetter("number"))}


def _select_moves(as_of: datetime) -> sa.Select[Any]:
    recorded = sa.select(transition).where(transition.c.recorded_at <= as_of)
    return recorded.order_by(transition.c.number, transition.c.position)


def _vote_state(row: AnyRow, ballots: Sequence[Ballot]) -> VoteState:
    return from_row(
        VoteState,
        row,
        vote=from_row(Vote, row, proposal=row.number, ballots=tuple(ballots)),
        terms=from_row(VoteTerms, row, because=tuple(row.care)),
        tally=as_tally(row._asdict()),
    )


# -- mails -------------------------------------------------------------------------------------------


def _select_mails(as_of: datetime) -> sa.Select[Any]:
    """The columns of each proposal's mails that the counts need, by time; undated mails last."""
    columns = (message.c.message_id, message.c.kind, message.c.author_address, message.c.arrived_at)
    return (
        sa.select(message_proposal.c.number, *columns)
        .join(message, message_proposal.c.message_id == message.c.message_id)
        .where(message.c.seen_at <= as_of)
        .order_by(message_proposal.c.number, message.c.arrived_at.asc().nulls_last(), message.c.message_id)
    )


def _count_threads(mails: Iterable[AnyRow]) -> Iterator[views.ThreadCount]:
    """Count mails by kind, undated ones too. A kind without any dated mail is left out."""
    by_kind: dict[str, list[AnyRow]] = {}
    for row in mails:
        by_kind.setdefault(row.kind, []).append(row)
    for kind, found in by_kind.items():
        dated = [row for row in found if row.arrived_at is not None]
        if dated:
            yield views.ThreadCount(
                kind=MailKind(kind),
                mails=len(found),
                people=len({row.author_address for row in found}),
                first_at=dated[0].arrived_at,
                last_at=dated[-1].arrived_at,
                first_message_id=dated[0].message_id,
            )


def _count_months(mails: Iterable[AnyRow]) -> dict[str, int]:
    return dict(sorted(Counter(f"{row.arrived_at:%Y-%m}" for row in mails if row.arrived_at is not None).items()))


def _list_cited(votes: Iterable[VoteState], threads: Iterable[views.ThreadCount]) -> Iterator[str]:
    for state in votes:
        yield state.vote.root_message_id
        yield from (b.message_id for b in state.vote.ballots)
        yield from (end.message_id for end in state.vote.claimed_ends)
        if state.vote.declared is not None:
            yield state.vote.declared.message_id
        if state.vote.ended_message_id is not None:
            yield state.vote.ended_message_id
    yield from (thread.first_message_id for thread in threads)

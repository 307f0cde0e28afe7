"""What the board shows of one proposal, and a public site of all: what was decided, and all that it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store import pages, rulings, warnings
from kipflow.adapters.store.board import as_recorded, load_questioned
from kipflow.adapters.store.board_rows import LISTED, as_tally
from kipflow.adapters.store.page_notes import load_call_notes, load_faults
from kipflow.adapters.store.statements import from_row, load_records
from kipflow.adapters.store.tables.decisions import ballot, outbox, proposal, review_item, transition, vote
from kipflow.adapters.store.tables.facts import message, message_proposal, ticket
from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.facts import MailKind, Ruling, VoteMail
from kipflow.domain.identity_rulings import find_concerned
from kipflow.domain.pages import TicketState
from kipflow.domain.proposals import Proposal, format_key
from kipflow.domain.records import from_plain
from kipflow.domain.votes import Ballot, Declared, Vote, states_end
from kipflow.services import board as views
from kipflow.services.ports import OutboxRow, Rules

AnyRow = sa.Row[*tuple[Any, ...]]


def load_proposal(connection: sa.Connection, rules: Rules, number: int, as_of: datetime) -> views.ProposalView:
    """One proposal with everything recorded by `as_of`, in a fixed number of queries.

    Raises:
        UnknownProposal: the number is not known, or none of its facts has been decided on.
    """
    row = connection.execute(sa.select(proposal).where(proposal.c.number == number)).one_or_none()
    if row is None or row.stage is None:
        raise UnknownProposal(number)
    mails = connection.execute(_select_mails(as_of).where(message_proposal.c.number == number)).all()
    moves = connection.execute(_select_moves(as_of).where(transition.c.number == number)).all()
    versions = tuple(p for p in pages.load_pages(connection, number) if p.saved_at <= as_of)
    entries = tuple(e for e in pages.load_index_entries(connection, number) if e.seen_at <= as_of)
    keys = {v.jira for v in versions if v.jira} | {e.jira for e in entries if e.jira}
    votes = load_votes(connection, number).get(number, ())
    asked = sa.select(review_item).where(review_item.c.number == number).order_by(review_item.c.position)
    questions = connection.execute(asked).all()
    effects = sa.select(outbox).where(outbox.c.number == number, outbox.c.created_at <= as_of)
    return _show(
        row,
        rules,
        moves,
        votes,
        mails,
        review=tuple(from_row(ReviewItem, item) for item in questions),
        pages=versions,
        index_entries=entries,
        tickets=tuple(t for t in pages.load_tickets(connection, keys) if t.seen_at <= as_of),
        rulings=_load_rulings(connection, number, votes, as_of),
        warnings=warnings.load_warnings(connection, number, known_at=as_of),
        activity=_count_months(mails),
        calls=load_call_notes(connection, number),
        faults=load_faults(connection, number),
        effects=load_records(connection, OutboxRow, effects.order_by(outbox.c.created_at.desc(), outbox.c.key)),
        questioned={subject: b for (_, subject), b in load_questioned(connection, rules, questions).items()},
    )


def load_published(connection: sa.Connection, rules: Rules, as_of: datetime) -> tuple[views.ProposalView, ...]:
    """Every listed proposal by number, with what was recorded by `as_of`: the same queries for any number of them.

    Left empty is what a public page does not show: questions, drift, rulings, effects, and page versions.
    """
    votes = load_votes(connection)
    history = _group(connection.execute(_select_moves(as_of)))
    mails = _group(connection.execute(_select_mails(as_of)))
    seen = sa.select(ticket).where(ticket.c.seen_at <= as_of).order_by(ticket.c.key, ticket.c.seen_at)
    tickets = {found.key: found for found in load_records(connection, TicketState, seen)}
    listed = sa.select(proposal).where(proposal.c.stage.is_not(None), LISTED).order_by(proposal.c.number)
    return tuple(
        _show(
            row,
            rules,
            history[row.number],
            votes.get(row.number, ()),
            mails.get(row.number, []),
            tickets=(tickets[row.jira],) if row.jira in tickets else (),
            # of operators only
            drift=(),
            review=(),
        )
        for row in connection.execute(listed)
        if row.number in history
    )


def _show(
    row: AnyRow,
    rules: Rules,
    moves: Sequence[AnyRow],
    votes: tuple[VoteState, ...],
    mails: Sequence[AnyRow],
    **more: Any,
) -> views.ProposalView:
    """A proposal out of its row, its history, votes and mails."""
    threads = tuple(_count_threads(mails))
    held = {mail.message_id for mail in mails}
    retracted = {entry for move in moves for entry in move.retracts}
    return from_row(
        views.ProposalView,
        row,
        key=format_key(rules.prefix, row.number),
        proposal=from_row(Proposal, row),
        history=tuple(as_recorded(move, retracted) for move in moves),
        votes=votes,
        threads=threads,
        links={i: rules.render_permalink(i) for i in _list_cited(votes, threads) if i in held},
        **more,
    )


def _group(rows: Iterable[AnyRow]) -> dict[int, list[AnyRow]]:
    """Rows in order of number by that."""
    return {number: list(of_number) for number, of_number in groupby(rows, attrgetter("number"))}


def _select_moves(as_of: datetime) -> sa.Select[Any]:
    recorded = sa.select(transition).where(transition.c.recorded_at <= as_of)
    return recorded.order_by(transition.c.number, transition.c.position)


def _load_rulings(
    connection: sa.Connection, number: int, votes: Sequence[VoteState], as_of: datetime
) -> tuple[Ruling, ...]:
    """Those on the proposal, and those on who is who that name somebody with a ballot here; by time."""
    concerned = find_concerned(rulings.load_identities(connection), (state.vote for state in votes))
    found = (r for r in (*rulings.load_rulings(connection, number), *concerned) if r.made_at <= as_of)
    return tuple(sorted(found, key=lambda r: (r.made_at, r.id or 0)))


# -- votes -------------------------------------------------------------------------------------------


def load_votes(connection: sa.Connection, number: int | None = None) -> dict[int, tuple[VoteState, ...]]:
    """Number of a proposal → its judged rounds in order; those of all proposals without `number`: two queries."""
    cast = sa.select(ballot).order_by(ballot.c.number, ballot.c.vote_position, ballot.c.position)
    statement = sa.select(vote).order_by(vote.c.number, vote.c.position)
    if number is not None:
        cast, statement = cast.where(ballot.c.number == number), statement.where(vote.c.number == number)
    ballots: dict[tuple[int, int], list[Ballot]] = {}
    for row in connection.execute(cast):
        ballots.setdefault((row.number, row.vote_position), []).append(from_row(Ballot, row))
    votes: dict[int, list[VoteState]] = {}
    for row in connection.execute(statement):
        state = _vote_state(row, ballots.get((row.number, row.position), ()))
        votes.setdefault(row.number, []).append(state)
    return {key: tuple(states) for key, states in votes.items()}


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
    """What the counts need of each proposal's mails: those with a time in its order, then those without."""
    columns = (message.c.message_id, message.c.kind, message.c.author_address, message.c.arrived_at)
    return (
        sa.select(message_proposal.c.number, *columns)
        .join(message, message_proposal.c.message_id == message.c.message_id)
        .where(message.c.seen_at <= as_of)
        .order_by(message_proposal.c.number, message.c.arrived_at.asc().nulls_last(), message.c.message_id)
    )


def load_vote_mails(connection: sa.Connection, rules: Rules, number: int, as_of: datetime) -> tuple[VoteMail, ...]:
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
            url=rules.render_permalink(row.message_id),
        )
        for row in reversed(connection.execute(statement).all())
    )


def _count_threads(mails: Iterable[AnyRow]) -> Iterator[views.ThreadCount]:
    """Mails by kind. Those without a time are counted with the others of their kind."""
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

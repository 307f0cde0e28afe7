"""All proposals at once, with as much as a public site shows of each: the same queries for any number of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.board import as_recorded
from kipflow.adapters.store.board_proposal import cited_ids, count_threads, load_votes, select_mails
from kipflow.adapters.store.board_rows import LISTED
from kipflow.adapters.store.statements import from_row
from kipflow.adapters.store.tables.decisions import proposal, transition
from kipflow.adapters.store.tables.facts import ticket
from kipflow.domain.pages import TicketState
from kipflow.domain.proposals import Proposal, format_key
from kipflow.services import board as views
from kipflow.services.ports import Rules

Rows = dict[int, list[sa.Row[Any]]]


def load_published(connection: sa.Connection, rules: Rules, as_of: datetime) -> tuple[views.ProposalView, ...]:
    """Every listed proposal by number, with what was recorded by `as_of`.

    Left empty is what a public page does not show: questions, drift, rulings, effects, and page versions.
    """
    votes = load_votes(connection)
    recorded = sa.select(transition).where(transition.c.recorded_at <= as_of)
    history = _group(connection.execute(recorded.order_by(transition.c.number, transition.c.position)))
    mails = _group(connection.execute(select_mails(as_of)))
    tickets = _load_tickets(connection, as_of)
    listed = sa.select(proposal).where(proposal.c.stage.is_not(None), LISTED)
    found = []
    for row in connection.execute(listed.order_by(proposal.c.number)):
        moves, own, states = history.get(row.number, []), mails.get(row.number, []), votes.get(row.number, ())
        if not moves:
            continue
        threads, held = tuple(count_threads(own)), {m.message_id for m in own}
        retracted = {entry for move in moves for entry in move.retracts}
        view = from_row(
            views.ProposalView,
            row,
            key=format_key(rules.prefix, row.number),
            proposal=from_row(Proposal, row),
            history=tuple(as_recorded(move, retracted) for move in moves),
            votes=states,
            tickets=(tickets[row.jira],) if row.jira in tickets else (),
            threads=threads,
            links={i: rules.render_permalink(i) for i in cited_ids(states, threads) if i in held},
            # of operators only
            drift=(),
            review=(),
        )
        found.append(view)
    return tuple(found)


def _group(rows: Iterable[sa.Row[Any]]) -> Rows:
    found: Rows = {}
    for row in rows:
        found.setdefault(row.number, []).append(row)
    return found


def _load_tickets(connection: sa.Connection, as_of: datetime) -> dict[str, TicketState]:
    """Each ticket as it was seen last."""
    statement = sa.select(ticket).where(ticket.c.seen_at <= as_of).order_by(ticket.c.key, ticket.c.seen_at)
    return {row.key: from_row(TicketState, row) for row in connection.execute(statement)}

"""No field of a domain value is forgotten by the tables that keep it."""

from __future__ import annotations

from dataclasses import fields

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import tables
from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.events import Transition
from kipflow.domain.facts import ArchiveMonth, Message, Ruling, SilenceWarning, SubjectReading, Unreadable
from kipflow.domain.pages import IndexEntry, PageVersion, TicketState
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Ballot, Vote
from kipflow.services.ports import OutboxRow

#: Fields that go by another name or stand in other tables.
ELSEWHERE: dict[type, set[str]] = {
    Message: {"reading", "references"},
    # doubts become review items, its caller's own period the earliest close among its terms
    Vote: {"proposal", "ballots", "doubts", "before_doubts", "own_periods"},
    VoteState: {"vote", "terms", "tally"},
    # make their month partial, which says why and keeps the id of what is missing
    Unreadable: {"lost", "message_id", "arrived_at"},
    ArchiveMonth: {"given"},  # says whether the archive answered just now; what is stored lasts
    SilenceWarning: {"delivered_at"},  # a delivery is a row of its own: a warning is never changed
    VoteTerms: {"because", "late_change"},  # a late change becomes a review item
}


@pytest.mark.parametrize(
    ("value", "table"),
    [
        (Message, tables.facts.message),
        (SubjectReading, tables.facts.message),
        (Unreadable, tables.facts.unreadable),
        (ArchiveMonth, tables.facts.archive_month),
        (PageVersion, tables.facts.page_version),
        (IndexEntry, tables.facts.index_entry),
        (TicketState, tables.facts.ticket),
        (Ruling, tables.facts.ruling),
        (SilenceWarning, tables.decisions.warning),
        (Proposal, tables.decisions.proposal),
        (Transition, tables.decisions.transition),
        (Vote, tables.votes.vote),
        (VoteState, tables.votes.vote),
        (VoteTerms, tables.votes.vote),
        (Ballot, tables.votes.ballot),
        (ReviewItem, tables.votes.review_item),
        (OutboxRow, tables.outbox.outbox),
    ],
    ids=lambda x: getattr(x, "__name__", None) or x.name,
)
def test_every_field_has_its_column(value: type, table: sa.Table) -> None:
    names = {f.name for f in fields(value)} - ELSEWHERE.get(value, set())
    assert names <= set(table.c.keys())

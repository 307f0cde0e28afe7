"""The tables of votes, their ballots, and the questions about them."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    Table,
    false,
)

from kipflow.adapters.store.columns import Document, columns_of
from kipflow.adapters.store.tables.facts import metadata
from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.votes import Ballot, Vote

vote = Table(
    "vote",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("position", Integer, nullable=False),
    *columns_of(
        Vote,
        without={"proposal", "ballots", "doubts", "before_doubts", "own_periods"},
        defaults={"root_missing": false(), "claimed_ends": "[]", "crowded": "", "opened_from": ""},
    ),
    *columns_of(VoteTerms, without={"because", "late_change"}, defaults={"reviewers": "0", "reviewed_by": "[]"}),
    *columns_of(VoteState, without={"vote", "terms", "tally"}),
    Column("care", Document, nullable=False),
    Column("is_current", Boolean, nullable=False),
    *(
        Column(f"{side}_{choice}", Integer, nullable=False)
        for side in ("binding", "other")
        for choice in ("for", "abstain", "against")
    ),
    PrimaryKeyConstraint("number", "position"),
)
ballot = Table(
    "ballot",
    metadata,
    Column("number", Integer, nullable=False),
    Column("vote_position", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    *columns_of(Ballot, defaults={"known_by": "unknown", "arrived_from": "", "is_ruled": false()}),
    PrimaryKeyConstraint("number", "vote_position", "position"),
    ForeignKeyConstraint(["number", "vote_position"], ["vote.number", "vote.position"], ondelete="CASCADE"),
)
review_item = Table(
    "review_item",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("position", Integer, nullable=False),
    *columns_of(ReviewItem),
    Column("affects_outcome", Boolean, nullable=False),  # of a vote
    PrimaryKeyConstraint("number", "position"),
)

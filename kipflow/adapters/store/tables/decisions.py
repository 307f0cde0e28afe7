"""The tables of proposals and their decisions, and of what is measured."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    UniqueConstraint,
    false,
)

from kipflow.adapters.store.columns import Document, Moment, Words, columns_of
from kipflow.adapters.store.tables.facts import metadata
from kipflow.domain.events import Transition
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.proposals import Proposal
from kipflow.services.ports import MetricRow

#: Warnings of dormancy: rows are added, never changed (the database refuses it).
warning = Table(
    "warning",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    *columns_of(SilenceWarning, without={"delivered_at"}),
    PrimaryKeyConstraint("number", "silent_at"),
)
#: When a warning was delivered to the author: rows are added, never changed (the database refuses it). `key` is the
#: effect that delivered it; NULL for old rows, from when a warning counted as delivered when it was written.
warning_delivery = Table(
    "warning_delivery",
    metadata,
    Column("number", Integer, nullable=False),
    Column("silent_at", Moment, nullable=False),
    Column("delivered_at", Moment, nullable=False),
    Column("key", Words),
    PrimaryKeyConstraint("number", "silent_at"),
    ForeignKeyConstraint(["number", "silent_at"], ["warning.number", "warning.silent_at"]),
)
#: Every proposal that a fact mentions; `stage` and the columns after it are NULL before its first decision.
proposal = Table(
    "proposal",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("stage", String),
    Column("since", Moment),
    Column("decided_at", Moment),
    Column("followed_since", Moment),  # when its history was first recorded; set once
    Column("policy_version", String),
    Column("rules", String),  # name of the policy and roster of its decision
    *columns_of(Proposal, without={"number"}, defaults={"title": "", "in_progress": false()}),
    Column("next_deadline", Moment),
    Column("warned_at", Moment),
    Column("last_activity", Moment),
    Column("missing", Document),
    Column("drift", Document),
    Column("drift_count", Integer, nullable=False, server_default="0"),
    Column("review_count", Integer, nullable=False, server_default="0"),
    Column("search", Words, nullable=False, server_default=""),  # title and author, folded
    Column("claim", String, nullable=False, server_default=""),  # what is doubtful about its number ("": nothing)
    Column("claim_why", Words, nullable=False, server_default=""),
    Column("claim_known", Boolean, nullable=False, server_default=false()),
    Index(None, "stage"),
    Index(None, "next_deadline"),
    Index(None, "rules"),
)
#: The history: rows are added, never changed (the database refuses it).
transition = Table(
    "transition",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("position", Integer, nullable=False),
    *columns_of(Transition, without={"number"}),
    Column("recorded_at", Moment, nullable=False),
    Column("run_id", Words, nullable=False),
    Column("decision_rules", Integer),
    UniqueConstraint("number", "position"),
    Index(None, "recorded_at"),
)
#: Proposals with facts newer than their decision. `token` changes with every new fact, so that a decision removes a
#: proposal only if it has seen all its facts.
pending = Table(
    "pending",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), primary_key=True, autoincrement=False),
    Column("since", Moment),
    Column("token", String, nullable=False),
)
mark = Table(
    "mark",
    metadata,
    Column("name", Words, primary_key=True),
    Column("value", Words, nullable=False),
)
metric = Table(
    "metric",
    metadata,
    Column("as_of", Moment, nullable=False),
    *columns_of(MetricRow),
    Column("run_id", Words, nullable=False),
    PrimaryKeyConstraint("as_of", "name", "dimension"),
)

"""The tables. Facts are only ever added, and taken out only with the ingest that brought them; a proposal's projection
is replaced by each decision on it.

`sql/migrations` makes these tables; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    UniqueConstraint,
    false,
)

from kipflow.adapters.store.columns import Document, Moment, Words, columns_of
from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.events import Transition
from kipflow.domain.facts import ArchiveMonth, Message, Ruling, SilenceWarning, SubjectReading, Unreadable
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, IndexEntry, PageAbsence, PageVersion, TicketState
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Ballot, Vote
from kipflow.services.ports import Batch, MetricRow, OutboxRow

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# -- facts -------------------------------------------------------------------------------------------

message = Table(
    "message",
    metadata,
    *columns_of(
        Message,
        without={"reading", "references"},
        defaults={"address_source": "from", "authentication": "unknown", "unread": ""},
    ),
    *columns_of(SubjectReading),
    Column("refs", Document, nullable=False),
    Column("numbered", Boolean, nullable=False),  # whether its own subject names a proposal
    Column("topic_key", String),  # a digest: topics are too long for an index
    Column("seen_at", Moment, nullable=False),
    # the version of the rules that read it; rarely asked for
    Column("reading_rules", Integer, nullable=False, server_default="0"),
    PrimaryKeyConstraint("message_id"),
    Index(None, "topic_key", "numbered"),
)

#: What older rules read in a mail, until newer ones read it otherwise.
earlier_reading = Table(
    "earlier_reading",
    metadata,
    Column("message_id", Words, ForeignKey("message.message_id"), nullable=False),
    Column("reading_rules", Integer, nullable=False),
    Column("replaced_by", Integer, nullable=False),
    Column("replaced_at", Moment, nullable=False),
    Column("reading", Document, nullable=False),
    PrimaryKeyConstraint("message_id", "replaced_by"),
)

#: What a message without a number of its own refers to: when a parent comes late, its children are found here.
message_reference = Table(
    "message_reference",
    metadata,
    Column("ref", Words, nullable=False),
    Column("message_id", Words, ForeignKey("message.message_id"), nullable=False),
    PrimaryKeyConstraint("ref", "message_id"),
    sqlite_with_rowid=False,
)

message_proposal = Table(
    "message_proposal",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("message_id", Words, ForeignKey("message.message_id"), nullable=False),
    Column("origin", String, nullable=False),  # "subject" or "thread"
    PrimaryKeyConstraint("number", "message_id"),
    Index(None, "message_id"),
    sqlite_with_rowid=False,
)

unreadable = Table(
    "unreadable",
    metadata,
    Column("digest", String, primary_key=True),
    *columns_of(Unreadable, without={"lost", "message_id", "arrived_at"}),
    Column("seen_at", Moment, nullable=False),
    Index(None, "seen_at"),
    Index(None, "list_id", "month"),
)

archive_month = Table(
    "archive_month",
    metadata,
    *columns_of(ArchiveMonth, without={"size"}),
    Column("size", BigInteger, nullable=False),
    PrimaryKeyConstraint("list_id", "month"),
)

#: A page as its newest version says; `page_version` holds them all.
page = Table(
    "page",
    metadata,
    Column("page_id", Words, primary_key=True),
    Column("number", Integer, ForeignKey("proposal.number")),
    Column("version", Integer, nullable=False),
    Column("jira", Words),
    Index(None, "number"),
    Index(None, "jira"),
)

page_version = Table(
    "page_version",
    metadata,
    Column("page_id", Words, ForeignKey("page.page_id"), nullable=False),
    *columns_of(PageVersion, without={"page_id"}, defaults={"touches": "[]", "substance": "[]", "labels": "[]"}),
    Column("seen_at", Moment, nullable=False),
    PrimaryKeyConstraint("page_id", "version"),
    Index(None, "number"),
)

#: What was noted on a proposal in a recorded call; the digest is of call and note.
call_note = Table(
    "call_note",
    metadata,
    *columns_of(CallNote),
    Column("digest", String, nullable=False),
    Column("seen_at", Moment, nullable=False),
    PrimaryKeyConstraint("number", "digest"),
)

#: What of a page was last judged: its version, by which rules, and what stood around it then.
page_check = Table(
    "page_check",
    metadata,
    Column("page_id", Words, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("rules", String, nullable=False),
    Column("around", Words, nullable=False),
)

#: Faults of pages, from when until when (null: still). Kept when mended: nobody is told of the same fault twice.
page_fault = Table(
    "page_fault",
    metadata,
    Column("page_id", Words, nullable=False),
    *columns_of(PageFault),
    Column("number", Integer),
    Column("since", Moment, nullable=False),
    Column("until", Moment),
    PrimaryKeyConstraint("page_id", "code", "place"),
    Index(None, "number"),
)

#: From when until when (null: still) a page could not be had: deleted, hidden, or moved out of sight.
page_absence = Table("page_absence", metadata, *columns_of(PageAbsence), PrimaryKeyConstraint("page_id", "since"))

#: Rows of round-up indexes. All rows of one reading share `seen_at`; a reading is kept when it says something new.
index_entry = Table(
    "index_entry",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    *columns_of(IndexEntry, without={"number"}),
    Column("digest", String, nullable=False),
    PrimaryKeyConstraint("number", "origin", "seen_at", "digest"),
    Index(None, "jira"),
)

ticket = Table(
    "ticket",
    metadata,
    *columns_of(TicketState, defaults={"unreleased": "[]"}),
    PrimaryKeyConstraint("key", "seen_at"),
)

ruling = Table(
    "ruling",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("number", Integer, ForeignKey("proposal.number")),
    *columns_of(Ruling, without={"id", "number"}),
    Index(None, "number"),
    Index(None, "target"),
    sqlite_autoincrement=True,
)

#: Warnings of dormancy: rows are added, never changed (the database refuses it).
warning = Table(
    "warning",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    *columns_of(SilenceWarning, without={"delivered_at"}),
    PrimaryKeyConstraint("number", "silent_at"),
)

#: When the author could read a warning: rows are added, never changed (the database refuses it). `key`: the effect that
#: brought it; NULL for what was decided while a warning counted as read when it was written.
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

# -- decisions ---------------------------------------------------------------------------------------

#: Every proposal that a fact mentions; `stage` and what follows it are NULL until it is first decided on.
proposal = Table(
    "proposal",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("stage", String),
    Column("since", Moment),
    Column("decided_at", Moment),
    Column("followed_since", Moment),  # when its history was first recorded; set once
    Column("policy_version", String),
    Column("rules", String),  # policy and roster that it was decided under
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

vote = Table(
    "vote",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("position", Integer, nullable=False),
    *columns_of(
        Vote,
        without={"proposal", "ballots", "doubts", "heard"},
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
    Column("hangs", Boolean, nullable=False),  # whether the outcome of a vote depends on it
    PrimaryKeyConstraint("number", "position"),
)

#: Proposals with facts newer than their decision. `token` changes with every new fact, so that a decision
#: takes off the list only what it has seen.
pending = Table(
    "pending",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), primary_key=True, autoincrement=False),
    Column("since", Moment),
    Column("token", String, nullable=False),
)

# -- what files brought ----------------------------------------------------------------------------------

#: What one ingest or import stored, which can be undone.
batch = Table(
    "batch",
    metadata,
    Column("id", Integer, primary_key=True),
    *columns_of(Batch, without={"id", "items"}, defaults={"undone_by": "", "reason": ""}),
)

#: The facts of a batch that came from nowhere else: a mail's id, or an index row's number and digest.
batch_item = Table(
    "batch_item",
    metadata,
    Column("batch_id", Integer, ForeignKey("batch.id"), nullable=False),
    Column("ref", Words, nullable=False),
    PrimaryKeyConstraint("batch_id", "ref"),
    Index(None, "ref"),
)

# -- effects and the rest ------------------------------------------------------------------------------

outbox = Table(
    "outbox",
    metadata,
    *columns_of(OutboxRow),
    Column("released_by", Words),
    Column("released_at", Moment),
    # who delivers it, until when by this database's own clock
    Column("claimed_by", Words),
    Column("claimed_until", Moment),
    PrimaryKeyConstraint("key"),
    Index(None, "status", "next_attempt_at"),
    Index(None, "number"),
    Index(None, "created_at"),
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

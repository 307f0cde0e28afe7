"""The tables. Facts are only ever added; a proposal's projection is replaced by each decision on it.

`sql/migrations` makes these tables; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
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

from kipflow.adapters.store.columns import Document, Moment, Words

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
    Column("message_id", Words, primary_key=True),
    Column("list_id", Words, nullable=False),
    Column("month", Words, nullable=False),
    Column("source", Words, nullable=False),
    Column("arrived_at", Moment),
    Column("arrived_from", Words, nullable=False),
    Column("author_name", Words, nullable=False),
    Column("author_address", Words, nullable=False),
    Column("raw_from", Words, nullable=False),
    Column("subject", Words, nullable=False),
    Column("kind", String, nullable=False),
    Column("is_reply", Boolean, nullable=False),
    Column("is_forward", Boolean, nullable=False),
    Column("numbers", Document, nullable=False),
    Column("numbered", Boolean, nullable=False),  # whether its own subject names a proposal
    Column("round", Integer),
    Column("topic", Words, nullable=False),
    Column("topic_key", String),  # a digest: topics are too long for an index
    Column("in_reply_to", Words),
    Column("refs", Document, nullable=False),
    Column("cancels", Words),
    Column("digest", Words, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("expressions", Document, nullable=False),
    Column("declared", Document),
    # last, so that SQLite reads its overflow pages only when it is asked for
    Column("own_text", Words, nullable=False),
    Column("dated_at", Moment),
    Column("address_source", String, nullable=False, server_default="from"),
    Column("authentication", String, nullable=False, server_default="unknown"),
    Column("unread", Words, nullable=False, server_default=""),
    # the version of the rules that read it; rarely asked for
    Column("reading_rules", Integer, nullable=False, server_default="0"),
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
    Column("source", Words, nullable=False),
    Column("why", Words, nullable=False),
    Column("list_id", Words, nullable=False),
    Column("month", Words, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Index(None, "seen_at"),
    Index(None, "list_id", "month"),
)

archive_month = Table(
    "archive_month",
    metadata,
    Column("list_id", Words, nullable=False),
    Column("month", String, nullable=False),
    Column("status", String, nullable=False),
    Column("fetched_at", Moment, nullable=False),
    Column("mails", Integer, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("etag", Words),
    Column("last_modified", Words),
    Column("digest", Words),
    Column("path", Words),
    Column("why", Words, nullable=False),
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
    Column("version", Integer, nullable=False),
    Column("saved_at", Moment, nullable=False),
    Column("saved_by", Words, nullable=False),
    Column("title", Words, nullable=False),
    Column("number", Integer),
    Column("status", String, nullable=False),
    Column("status_text", Words, nullable=False),
    Column("url", Words, nullable=False),
    Column("jira", Words),
    Column("discussion_link", Words),
    Column("interfaces", Document, nullable=False),
    Column("touches", Document, nullable=False, server_default="[]"),
    Column("substance", Document, nullable=False, server_default="[]"),
    Column("labels", Document, nullable=False, server_default="[]"),
    Column("seen_at", Moment, nullable=False),
    Column("body", Words, nullable=False),
    PrimaryKeyConstraint("page_id", "version"),
    Index(None, "number"),
)

#: What was noted on a proposal in a recorded call; the digest is of call and note.
call_note = Table(
    "call_note",
    metadata,
    Column("number", Integer, nullable=False),
    Column("digest", String, nullable=False),
    Column("call", Words, nullable=False),
    Column("held_on", Date),
    Column("url", Words, nullable=False),
    Column("note", Words, nullable=False),
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
    Column("code", String, nullable=False),
    Column("place", Words, nullable=False),
    Column("number", Integer),
    Column("what", Words, nullable=False),
    Column("mend", Words, nullable=False),
    Column("severity", String, nullable=False),
    Column("since", Moment, nullable=False),
    Column("until", Moment),
    PrimaryKeyConstraint("page_id", "code", "place"),
    Index(None, "number"),
)

#: From when until when (null: still) a page could not be had: deleted, hidden, or moved out of sight.
page_absence = Table(
    "page_absence",
    metadata,
    Column("page_id", Words, nullable=False),
    Column("since", Moment, nullable=False),
    Column("until", Moment),
    Column("why", Words, nullable=False),
    Column("asked_at", Moment, nullable=False),
    PrimaryKeyConstraint("page_id", "since"),
)

#: Rows of round-up indexes. All rows of one reading share `seen_at`; a reading is kept when it says something new.
index_entry = Table(
    "index_entry",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("origin", String, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("digest", String, nullable=False),
    Column("title", Words, nullable=False),
    Column("section", String, nullable=False),
    Column("release", Words),
    Column("in_progress", Boolean, nullable=False),
    Column("author", Words),
    Column("created_at", Moment),
    Column("changed_at", Moment),
    Column("url", Words),
    Column("jira", Words),
    PrimaryKeyConstraint("number", "origin", "seen_at", "digest"),
    Index(None, "jira"),
)

ticket = Table(
    "ticket",
    metadata,
    Column("key", Words, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("status", Words, nullable=False),
    Column("resolution", Words),
    Column("fix_versions", Document, nullable=False),
    Column("unreleased", Document, nullable=False, server_default="[]"),
    PrimaryKeyConstraint("key", "seen_at"),
)

ruling = Table(
    "ruling",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("number", Integer, ForeignKey("proposal.number")),
    Column("kind", String, nullable=False),
    Column("target", Words, nullable=False),
    Column("value", Document, nullable=False),
    Column("author", Words, nullable=False),
    Column("reason", Words, nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    Column("revoked_by", Words),
    Column("revoked_reason", Words),
    Index(None, "number"),
    Index(None, "target"),
    sqlite_autoincrement=True,
)

#: Warnings of dormancy: rows are added, never changed (the database refuses it).
warning = Table(
    "warning",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("silent_at", Moment, nullable=False),
    Column("quiet_since", Moment, nullable=False),
    Column("as_of", Moment, nullable=False),
    Column("warned_at", Moment, nullable=False),
    Column("due_at", Moment),
    Column("recorded_at", Moment, nullable=False),
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
    Column("title", Words, nullable=False, server_default=""),
    Column("author", Words),
    Column("created_at", Moment),
    Column("page_id", Words),
    Column("page_url", Words),
    Column("jira", Words),
    Column("release", Words),
    Column("in_progress", Boolean, nullable=False, server_default=false()),
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
    Column("source", String),
    Column("target", String, nullable=False),
    Column("at", Moment, nullable=False),
    Column("rule", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("policy_version", String, nullable=False),
    Column("evidence", Document, nullable=False),
    Column("note", Words, nullable=False),
    Column("retracts", Document, nullable=False),
    Column("repeat", Integer, nullable=False),
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
    Column("key", Words, nullable=False),
    Column("round", Integer, nullable=False),
    Column("list_id", Words, nullable=False),
    Column("subject", Words, nullable=False),
    Column("root_message_id", Words, nullable=False),
    Column("opened_by", Words, nullable=False),
    Column("opened_by_address", Words, nullable=False),
    Column("opened_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("ended_how", String),
    Column("ended_message_id", Words),
    Column("last_message_at", Moment),
    Column("declared", Document),
    Column("is_current", Boolean, nullable=False),
    Column("quorum", Integer, nullable=False),
    Column("earliest_close", Moment, nullable=False),
    Column("care", Document, nullable=False),
    Column("reviewers", Integer, nullable=False, server_default="0"),
    Column("reviewed_by", Document, nullable=False, server_default="[]"),
    Column("outcome", String, nullable=False),
    Column("hangs", Boolean, nullable=False),
    Column("binding_for", Integer, nullable=False),
    Column("binding_abstain", Integer, nullable=False),
    Column("binding_against", Integer, nullable=False),
    Column("other_for", Integer, nullable=False),
    Column("other_abstain", Integer, nullable=False),
    Column("other_against", Integer, nullable=False),
    Column("differences", Document, nullable=False),
    Column("root_missing", Boolean, nullable=False, server_default=false()),
    Column("claimed_ends", Document, nullable=False, server_default="[]"),
    Column("contested", Document),
    Column("crowded", Words, nullable=False, server_default=""),
    Column("opened_from", String, nullable=False, server_default=""),
    Column("dated_at", Moment),
    Column("declared_dated_at", Moment),
    PrimaryKeyConstraint("number", "position"),
)

ballot = Table(
    "ballot",
    metadata,
    Column("number", Integer, nullable=False),
    Column("vote_position", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("voter", Words, nullable=False),
    Column("name", Words, nullable=False),
    Column("address", Words, nullable=False),
    Column("choice", String),
    Column("value", Words, nullable=False),
    Column("binding", Boolean, nullable=False),
    Column("claimed_binding", Boolean),
    Column("cast_at", Moment, nullable=False),
    Column("message_id", Words, nullable=False),
    Column("line", Words, nullable=False),
    Column("rule", String, nullable=False),
    Column("status", String, nullable=False),
    Column("why", Words, nullable=False),
    Column("known_by", String, nullable=False, server_default="unknown"),
    Column("dated_at", Moment),
    Column("arrived_from", String, nullable=False, server_default=""),
    Column("is_ruled", Boolean, nullable=False, server_default=false()),
    PrimaryKeyConstraint("number", "vote_position", "position"),
    ForeignKeyConstraint(["number", "vote_position"], ["vote.number", "vote.position"], ondelete="CASCADE"),
)

review_item = Table(
    "review_item",
    metadata,
    Column("number", Integer, ForeignKey("proposal.number"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("subject", Words, nullable=False),
    Column("question", Words, nullable=False),
    Column("line", Words, nullable=False),
    Column("outcomes", Document, nullable=False),
    Column("hangs", Boolean, nullable=False),  # whether the outcome of a vote hangs on it
    Column("asked_at", Moment),
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

# -- effects and the rest ------------------------------------------------------------------------------

outbox = Table(
    "outbox",
    metadata,
    Column("key", Words, primary_key=True),
    Column("number", Integer),
    Column("channel", String, nullable=False),
    Column("payload", Document, nullable=False),
    Column("status", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("next_attempt_at", Moment, nullable=False),
    Column("sent_at", Moment),
    Column("external_ref", Words),
    Column("last_error", Words),
    Column("released_by", Words),
    Column("released_at", Moment),
    # who delivers it, until when by this database's own clock; since when, by the community's, it may have gone out
    Column("claimed_by", Words),
    Column("claimed_until", Moment),
    Column("tried_at", Moment),
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
    Column("name", Words, nullable=False),
    Column("dimension", Words, nullable=False),
    Column("value", Float, nullable=False),
    Column("unit", String, nullable=False),
    Column("run_id", Words, nullable=False),
    PrimaryKeyConstraint("as_of", "name", "dimension"),
)

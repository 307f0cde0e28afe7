"""The tables of facts: mails, pages, tickets and rulings."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, PrimaryKeyConstraint, String, Table

from kipflow.adapters.store.columns import Document, Moment, Words, columns_of
from kipflow.domain.facts import ArchiveMonth, Message, Ruling, SubjectReading, Unreadable
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, IndexEntry, PageAbsence, PageVersion, TicketState
from kipflow.services.ports import Batch

#: The metadata of all tables.
metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

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
    # the version of the rules that read it; rarely selected
    Column("reading_rules", Integer, nullable=False, server_default="0"),
    PrimaryKeyConstraint("message_id"),
    Index(None, "topic_key", "numbered"),
)

#: Earlier readings of mails, replaced by different ones of newer rules.
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

#: References of messages without a number of their own: finds the children of a parent that arrives late.
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
    *columns_of(ArchiveMonth, without={"size", "given"}),
    Column("size", BigInteger, nullable=False),
    PrimaryKeyConstraint("list_id", "month"),
)

#: Pages, with values of their newest version; `page_version` has all versions.
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

#: Notes on proposals from recorded calls; the digest is of call and note.
call_note = Table(
    "call_note",
    metadata,
    *columns_of(CallNote),
    Column("digest", String, nullable=False),
    Column("seen_at", Moment, nullable=False),
    PrimaryKeyConstraint("number", "digest"),
)

#: The last check of a page: its version, the rules, and its surroundings at that time.
page_check = Table(
    "page_check",
    metadata,
    Column("page_id", Words, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("rules", String, nullable=False),
    Column("around", Words, nullable=False),
)

#: Faults of pages from `since` to `until` (null: open). Kept when fixed, so that nobody is notified twice.
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

#: When a page was unavailable (`until` null: still): deleted, hidden, or moved away from the index.
page_absence = Table("page_absence", metadata, *columns_of(PageAbsence), PrimaryKeyConstraint("page_id", "since"))

#: Rows of round-up indexes. All rows of one reading share `seen_at`; only readings with changes are stored.
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

#: Ingests and imports, which can be undone.
batch = Table(
    "batch",
    metadata,
    Column("id", Integer, primary_key=True),
    *columns_of(Batch, without={"id", "items"}, defaults={"undone_by": "", "reason": ""}),
)

#: The facts of a batch that no archive has: a mail's id, or an index row's number and digest.
batch_item = Table(
    "batch_item",
    metadata,
    Column("batch_id", Integer, ForeignKey("batch.id"), nullable=False),
    Column("ref", Words, nullable=False),
    PrimaryKeyConstraint("batch_id", "ref"),
    Index(None, "ref"),
)

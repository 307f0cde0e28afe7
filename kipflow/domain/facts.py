"""Facts: what was seen, immutable. Everything that kipflow decides follows from these values.

They are filled by `mail` and `wiki` from bytes, kept by the store, and read by `lifecycle.decide`.
All times are aware and in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from kipflow.domain.pages import IndexEntry, PageAbsence, PageVersion, TicketState
from kipflow.domain.proposals import Numbering, Proposal
from kipflow.domain.senders import AddressSource, Authentication
from kipflow.domain.votes import Declared, Expression, Vote, drop_leanings


class MailKind(StrEnum):
    """What a subject's tags say a message is for."""

    DISCUSS = "discuss"
    VOTE = "vote"
    RESULT = "result"
    CANCEL = "cancel"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectReading:
    """A subject taken apart.

    `numbers` are the proposals it names; `round` is the explicit one of "v2", "(take 2)", "[VOTE 2]"
    (None: not given); `topic` is the subject without reply marks, tags, round and surplus spaces, in
    lower case: what is left to match a thread by.
    """

    kind: MailKind
    is_reply: bool
    is_forward: bool
    numbers: tuple[int, ...]
    round: int | None
    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One mail as seen in an archive.

    `message_id` keeps its angle brackets; a mail without one gets `<kipflow.SHA256@missing>` from its
    content. `source` is where it was read: "file-or-list/month#position".
    `arrived_at` is the time that every rule goes by: when the archive received the mail. `arrived_from` names
    what says so ("received", "envelope", "epoch"), or that only the sender's own Date does ("date"); None and
    "none" where nothing gives a believable time. `dated_at` is the sender's claim.
    `author_*` are the person behind list rewriting, `address_source` says how the address was found,
    `authentication` what the receiving host recorded; `raw_from` is what was written.
    `own_text` is the author's own words (no quotes, signature or footers), bounded in length; `unread` says
    why the mail was not read to its end (empty: it was).
    """

    message_id: str
    list_id: str
    month: str
    source: str
    arrived_at: datetime | None
    arrived_from: str
    author_name: str
    author_address: str
    raw_from: str
    subject: str
    reading: SubjectReading
    in_reply_to: str | None
    references: tuple[str, ...]
    own_text: str
    expressions: tuple[Expression, ...] = ()
    declared: Declared | None = None
    cancels: str | None = None  # the line that calls a vote off, where a mail has one
    digest: str = ""
    dated_at: datetime | None = None
    address_source: AddressSource = AddressSource.FROM
    authentication: Authentication = Authentication.UNKNOWN
    unread: str = ""

    @property
    def votes(self) -> tuple[Expression, ...]:
        """Its expressions about a vote, without leanings."""
        return drop_leanings(self.expressions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that could not be read, where, and why. `lost`: a mail may be missing there.

    `message_id` and `arrived_at` are set where the readable part of a lost mail gives them.
    """

    source: str
    why: str
    list_id: str = ""
    month: str = ""
    lost: bool = False
    message_id: str = field(default="", compare=False)
    arrived_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveMonth:
    """How completely one month of one list is held.

    `status`: "complete" (read to its verified end), "partial", "missing" or "unreadable", with `why`.
    `fetched_at` is when the archive was last seen in this state; mail sent before it is held. `given`: the archive
    answered just now; if not, `path` may still name an older file.
    """

    list_id: str
    month: str
    status: str
    fetched_at: datetime
    mails: int = 0
    size: int = 0
    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None
    path: str | None = None
    why: str = ""
    given: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which part of the archive the facts are based on.

    `complete_through` is the moment up to which every mail of the proposal's lists is held; `gaps`
    names months ("dev@kafka.apache.org 2024-01: truncated") that are not complete. `cuts` are the ends of months that
    were read up to some moment and not since.
    """

    complete_through: datetime | None = None
    gaps: tuple[tuple[str, str], ...] = ()  # (month "2024-01", reason)
    cuts: tuple[tuple[datetime, datetime, str], ...] = ()  # (from, to, reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A person's ruling: `kind` is "ballot", "stage", "snooze", "care", "page", "restore", "number", "ending", "drift",
    "merge" or "split".

    For "ballot": `target` is "message-id" and `value` is {"choice": "+1" | "0" | "-1" | "none"}.
    For "stage": `value` is {"stage": …}; for "snooze": {"until": ISO time}; for "restore": {"undoes": id};
    for "care": {"interfaces": […]} or {"reviewer": name}; for "number": {"number": "accept" | "refuse"}.
    For "page": `target` is the version that changed ("page@version"), `value` {"votes": "hold"} or {"votes": "recast",
    "round": id of its opening mail, "before": ISO time; earlier ballots must be cast again}. For "ending": `target` is
    the id of a mail that claims a vote's end, `value` {"ending": "accept" | "refuse"}. For "drift": `target` is the
    side ("page", "index", …) that may say {"says": …} where the facts say {"derived": …}. For "merge" (one person) and
    "split" (two people): {"one": {"key", "name"}, "other": {"key", "name"}}, where a key is a roster id, an address or
    a folded name; such a ruling has no number and applies to all proposals. A revoked ruling stays stored and is not in
    force from `revoked_at` on.
    """

    id: int | None
    number: int | None
    kind: str
    target: str
    value: dict[str, Any]
    author: str
    reason: str
    made_at: datetime
    revoked_at: datetime | None = None
    revoked_by: str | None = None
    revoked_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceWarning:
    """A warning of dormancy to an author, written once for each silence.

    `quiet_since` is the last activity, `silent_at` when the silence had lasted long enough. `as_of` is the time of the
    decision that wrote the warning; `warned_at` differs only if that was a backfill (`make_warning`). `due_at`
    is the date that it names; None: a person decides. `delivered_at` is when the author could read it, and the grace
    period begins; None: nobody was warned yet.
    """

    quiet_since: datetime
    silent_at: datetime
    as_of: datetime
    warned_at: datetime
    due_at: datetime | None
    recorded_at: datetime
    delivered_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMessage:
    """A mail of a proposal, as far as the timeline needs it. `cancels` is its line that calls a vote off, if any."""

    message_id: str
    arrived_at: datetime
    kind: MailKind
    is_reply: bool
    author_name: str
    author_address: str
    subject: str
    permalink: str = ""
    cancels: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteMail:
    """A mail in the thread of a vote, with its author's own words and its permalink; `announces` a result."""

    message_id: str
    author: str
    own_text: str
    announces: bool = False
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalFacts:
    """All that is known of one proposal: the whole input of `lifecycle.decide` besides policy and time.

    `votes` hold ballots as read (not judged). Everything is in order of time. `followed_since` is when its history was
    first recorded (None: never yet): dormancy that was due by then needed no warning.
    """

    key: str
    proposal: Proposal
    pages: tuple[PageVersion, ...] = ()
    absences: tuple[PageAbsence, ...] = ()
    index_entries: tuple[IndexEntry, ...] = ()
    messages: tuple[ThreadMessage, ...] = ()
    votes: tuple[Vote, ...] = ()
    tickets: tuple[TicketState, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    warnings: tuple[SilenceWarning, ...] = ()
    followed_since: datetime | None = None
    coverage: Coverage = field(default_factory=Coverage)
    numbering: Numbering = field(default_factory=Numbering)

    def find_permalink(self, message_id: str) -> str:
        """The permalink of a mail of the proposal; "" if no archive is known to have it."""
        return next((m.permalink for m in self.messages if m.message_id == message_id), "")

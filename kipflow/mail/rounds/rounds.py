"""The rounds of a vote while their mails are grouped."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from kipflow.domain.facts import Message, SubjectReading
from kipflow.domain.votes import ClaimedEnd, Declared
from kipflow.mail.rounds.calls import may_restart_vote

_RESENT = timedelta(hours=24)


@dataclass(slots=True)
class Round:
    """One round: its opening mail, the mails that belong to it, and how it ended."""

    key: str
    number: int | None
    root: Message
    opened_at: datetime
    marker: int | None
    root_missing: bool = False
    messages: list[Message] = field(default_factory=list)
    # mails that answer in the thread under a subject of their own: their votes are put to a person
    misdirected: list[Message] = field(default_factory=list)
    # votes in the thread of an earlier round that is over
    crossed: list[Message] = field(default_factory=list)
    round: int = 1
    declared: Declared | None = None
    declared_tagged: bool = False
    revisions: int = 0
    declared_dated_at: datetime | None = None
    ended_at: datetime | None = None
    ended_how: str | None = None
    ended_message_id: str | None = None
    claimed_ends: list[ClaimedEnd] = field(default_factory=list)
    contested: ClaimedEnd | None = None
    #: Why it may be no round at all, or none of this vote.
    doubt: str = ""

    @property
    def begins_anew(self) -> bool:
        """Whether its caller opened it within the thread of the round before."""
        return self.root.reading.is_reply and not self.root_missing

    @property
    def may_restart(self) -> bool:
        """Whether its caller opened it there with a phrase of a restart, whatever it means."""
        return self.begins_anew and may_restart_vote(self.root.own_text)

    @property
    def closed_at(self) -> datetime | None:
        """When its result was announced."""
        return self.declared.closes_at if self.declared is not None else None

    def is_running(self, moment: datetime) -> bool:
        """Whether it has neither ended nor been announced by then."""
        announced = self.closed_at is not None and self.closed_at <= moment
        return not announced and (self.ended_at is None or self.ended_at > moment)

    def repeats_title(self, message: Message) -> bool:
        """Whether a mail's subject is that of the opening, apart from reply marks."""
        subject, opened = (" ".join(text.lower().split()) for text in (message.subject, self.root.subject))
        return bool(opened) and not self.root_missing and subject.endswith(opened)

    def forget(self) -> None:
        """Reset it to its opening, so that its mails and its end can be found again."""
        self.messages, self.misdirected, self.crossed, self.claimed_ends = [], [], [], []
        self.declared, self.declared_tagged, self.revisions, self.contested = None, False, 0, None
        self.ended_at = self.ended_how = self.ended_message_id = None


@dataclass(slots=True)
class Earlier:
    """The rounds of a vote so far, indexed by what a new opening is compared with; `last` was opened last.

    Anybody can open rounds, so each comparison costs the same however many there are.
    """

    last: Round
    markers: set[int | None] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    callers: set[str] = field(default_factory=set)
    _sent: dict[tuple[str, str, SubjectReading], datetime] = field(default_factory=dict)
    #: When the vote was said to have ended: by people who count, in order; by others, who can still become callers.
    _ends: list[datetime] | None = None
    _not_counted: dict[str, list[datetime]] = field(default_factory=dict)

    def add(self, round_: Round) -> None:
        root = round_.root
        if round_.opened_at > self.last.opened_at:
            self.last = round_
        self.markers.add(round_.marker)
        self.topics.add(root.reading.topic)
        self.callers.add(root.author_address)
        sent = root.author_address, root.own_text, root.reading
        self._sent[sent] = max(round_.opened_at, self._sent.get(sent, round_.opened_at))
        self._count(root.author_address)

    def is_resent(self, message: Message, at: datetime) -> bool:
        """Whether a mail is an opening once more: the same words of the same writer, at most a day later."""
        sent = self._sent.get((message.author_address, message.own_text, message.reading))
        return sent is not None and at - sent <= _RESENT

    @property
    def knows_ends(self) -> bool:
        return self._ends is not None

    def note_ends(self, ends: Iterable[tuple[datetime, str, bool]]) -> None:
        """Note when the vote was said to have ended, by which address, and whether it counts for any caller."""
        self._ends = []
        for at, address, counts in ends:
            (self._ends if counts else self._not_counted.setdefault(address, [])).append(at)
        self._ends.sort()
        for caller in self.callers:
            self._count(caller)

    def _count(self, caller: str) -> None:
        for at in self._not_counted.pop(caller, ()):
            insort(self._ends if self._ends is not None else [], at)

    def ended_before(self, at: datetime) -> bool:
        """Whether somebody who counts said before `at` that the last round has ended."""
        ends = self._ends or []
        first = bisect_left(ends, self.last.opened_at)
        return first < len(ends) and ends[first] < at

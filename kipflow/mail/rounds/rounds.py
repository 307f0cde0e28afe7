"""A round of a vote while its mails are put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from kipflow.domain.facts import Message
from kipflow.domain.votes import ClaimedEnd, Declared


@dataclass(slots=True)
class Round:
    """One round: its opening mail, the mails that speak to it, and how it ended."""

    key: str
    number: int | None
    root: Message
    opened_at: datetime
    marker: int | None
    root_missing: bool = False
    messages: list[Message] = field(default_factory=list)
    # mails that answer in the thread under a subject of their own: their votes are put to a person
    astray: list[Message] = field(default_factory=list)
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

    def is_running(self, moment: datetime) -> bool:
        """Whether it has neither ended nor been announced by then."""
        closed_at = self.declared.closes_at if self.declared is not None else None
        announced = closed_at is not None and closed_at <= moment
        return not announced and (self.ended_at is None or self.ended_at > moment)

    def forget(self) -> None:
        """As when it was opened, to have its mails and its end found anew."""
        self.messages, self.astray, self.claimed_ends = [], [], []
        self.declared, self.declared_tagged, self.revisions, self.contested = None, False, 0, None
        self.ended_at = self.ended_how = self.ended_message_id = None

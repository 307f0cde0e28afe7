"""What waits for people: questions, senders, drift, mail that could not be read, effects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.decisions import Drift, ReviewItem
from kipflow.domain.events import Stage
from kipflow.domain.senders import AddressSource, Authentication


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderBallot:
    """A ballot of a sender who is asked about: its own line, its mail, and what the mail's receiving host recorded.

    `source` is where the mail was read, `url` its permalink ("" where there is none).
    """

    line: str
    at: datetime
    message_id: str
    source: str
    url: str
    authentication: Authentication
    address_source: AddressSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """A question for a person, with the proposal it is about. `url` is the permalink of what it quotes; a question
    about a sender has the `ballots` in question."""

    number: int
    key: str
    title: str
    stage: Stage
    item: ReviewItem
    decided_at: datetime
    url: str = ""
    ballots: tuple[SenderBallot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderRow:
    """Somebody of whom it is asked whether they are a person of the roster, with what speaks for it.

    `sender` is what a ruling names: an address, or the id of a mail where only that one is in question. `mails`,
    `first_at`, `last_at`, `authenticated` and `not_authentic` count what the address sent under that name;
    `results` are announcements that name the person among those whose votes bind.
    """

    sender: str
    address: str
    name: str
    person: str
    person_name: str
    proposals: tuple[str, ...]
    question: str
    asked_at: datetime | None = None
    mails: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    authenticated: int = 0
    not_authentic: int = 0
    results: int = 0
    last_result: datetime | None = None
    ballots: tuple[SenderBallot, ...] = ()

    @property
    def key(self) -> str:
        """Names the row among all: the sender and whom it may be."""
        return f"{self.sender} {self.person}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRow:
    """A disagreement between sides, with the proposal it is about."""

    number: int
    key: str
    title: str
    stage: Stage
    drift: Drift


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterRow:
    """Somebody who cast a ballot on a proposal, as the mail names them; `is_running`: in a vote under way."""

    number: int
    is_running: bool
    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableRow:
    """Something that could not be read: where it is, why, and when that was last seen."""

    source: str
    why: str
    list_id: str
    month: str
    seen_at: datetime

"""What the board shows of the roster's people: their votes, and what waits for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from kipflow.domain.people import IdentityVerdict, Person
from kipflow.domain.votes import Ballot
from kipflow.services.board.lists import BoardRow
from kipflow.services.board.proposal import ReviewRow

#: How far back participation is counted.
YEAR = timedelta(days=365)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    """Somebody of the roster. `votes` is in how many votes they ever voted, `last_year` in how many opened within a
    `YEAR`, by counted ballots."""

    person: Person
    votes: int = 0
    last_year: int = 0
    last_vote: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleView:
    """Everybody of the roster, who voted most within a year first; `opened` counts the votes of that year.
    `source` says where the roster is from."""

    rows: tuple[PersonRow, ...]
    opened: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address of a person: from the roster or by a ruling (`verdict`), and how often it voted."""

    address: str
    in_roster: bool
    verdict: IdentityVerdict | None = None
    ballots: int = 0
    last_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CastBallot:
    """A ballot with the vote that it was cast in; `url` is the mail's permalink."""

    number: int
    key: str
    title: str
    round: int
    ballot: Ballot
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonView:
    """One person of the roster. `unvoted` are votes under way that they have not voted in, the first to close first;
    `proposals` those whose author goes by exactly their name, if nobody else does, newest activity first.
    `questions` are open: about a proposal, a ballot or an address of theirs. `ballots` are their newest ones, newest
    first."""

    row: PersonRow
    opened: int
    source: str
    addresses: tuple[Address, ...]
    unvoted: tuple[BoardRow, ...]
    proposals: tuple[BoardRow, ...]
    questions: tuple[ReviewRow, ...]
    ballots: tuple[CastBallot, ...]

"""How long a round's caller lets it run, by the words of its opening and of the caller's later mails."""

from __future__ import annotations

from collections.abc import Iterator

from kipflow.domain.clocks import after
from kipflow.domain.facts import Message
from kipflow.domain.ownperiods import OwnPeriod
from kipflow.domain.proposals import find_references
from kipflow.mail.announcements.periods import Clock, find_period
from kipflow.mail.rounds.book import Book
from kipflow.mail.rounds.rounds import Round

#: Most periods that a caller may set; more of them mean nothing.
_MOST = 20


def _announces_end(message: Message) -> bool:
    return message.declared is not None and message.declared.closes_at is not None


def find_own_periods(book: Book, round_: Round) -> Iterator[OwnPeriod]:
    """The periods that its caller sets for a round, in the order of the mails."""
    close = after(round_.opened_at, book.entitled.policy.voting_period)
    found = 0

    def is_of_other(sentence: str) -> bool:
        named = find_references(sentence, book.prefix)
        return round_.number is not None and bool(named) and round_.number not in named

    for message in () if round_.root_missing else (round_.root, *round_.messages):
        at = round_.opened_at if message is round_.root else book.time_of(message)
        said = find_period(message.own_text, Clock(at, round_.opened_at, close), is_of_other)
        if said is None or said[0] <= close or found == _MOST or _announces_end(message):
            continue
        if message is round_.root or book.is_from_caller(message, round_):
            close, line = said
            found += 1
            yield OwnPeriod(said_at=at, until=close, message_id=message.message_id, line=line)

"""How long a round's caller lets it run, by the words of its opening and of the caller's later mails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice

from kipflow.domain.clocks import after
from kipflow.domain.facts import Message
from kipflow.domain.ownperiods import OwnPeriod
from kipflow.domain.votes import Declared
from kipflow.mail.announcements.moments import Clock
from kipflow.mail.announcements.periods import find_period, find_request, grants
from kipflow.mail.results import extends
from kipflow.mail.rounds.book import Book
from kipflow.mail.rounds.rounds import Round

_MOST = 20


def _announces_end(message: Message) -> bool:
    return message.declared is not None and message.declared.closes_at is not None


def find_own_periods(book: Book, round_: Round) -> tuple[OwnPeriod, ...]:
    """The periods that its caller sets for a round, in the order of the mails; no more than anybody would mean."""
    return tuple(islice(_find_all(book, round_), _MOST))


def _find_all(book: Book, round_: Round) -> Iterator[OwnPeriod]:
    close = after(round_.opened_at, book.entitled.policy.voting_period)
    for message in () if round_.root_missing else (round_.root, *round_.messages):
        is_root = message is round_.root
        if _announces_end(message) or not (is_root or book.is_from_caller(message, round_)):
            continue
        at = round_.opened_at if is_root else book.time_of(message)
        clock = Clock(at, round_.opened_at, close)
        said = _find(book, round_, message, clock) or _find_granted(book, round_, message, clock)
        if said is not None and said[0] > close:
            close, line = said
            yield OwnPeriod(said_at=at, until=close, message_id=message.message_id, line=line)


def _find(book: Book, round_: Round, message: Message, clock: Clock) -> tuple[datetime, str] | None:
    return find_period(message.own_text, clock, partial(book.names_other, round_))


def _find_granted(book: Book, round_: Round, message: Message, clock: Clock) -> tuple[datetime, str] | None:
    """The end that the mail above asked for, if this one only agrees."""
    above = book.find_answered(message)
    if above is None or above not in round_.messages or not grants(message.own_text):
        return None
    until = find_request(above.own_text, clock, partial(book.names_other, round_))
    return None if until is None else (until, next(iter(message.own_text.strip().splitlines()), ""))


def find_declared(book: Book, round_: Round, message: Message) -> Declared | None:
    """What a mail announces for a round that runs; that its caller extends it, if until when is not understood."""
    declared = message.declared
    if declared is None or round_.ended_at is not None:
        return None
    if round_.declared is not None:
        return declared
    if not book.is_from_caller(message, round_):
        return None if declared.only_denies else declared
    close = after(round_.opened_at, book.entitled.policy.voting_period)
    said = _find(book, round_, message, Clock(book.time_of(message), round_.opened_at, close))
    if declared.only_denies:
        return replace(declared, only_denies=False) if said is None and extends(declared.line) else None
    unclear = declared.unclear if declared.outcome is None else ""
    return None if unclear and said is not None and said[1].startswith(unclear) else declared

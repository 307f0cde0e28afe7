"""How long the caller of a round lets it run, and who else may: whoever may end it can let it run on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from kipflow.domain.facts import Kind, Message
from kipflow.domain.ownperiods import OwnPeriod
from kipflow.mail.announcements.periods import Clock, SaidPeriod, find_period
from kipflow.mail.rounds.book import Book
from kipflow.mail.rounds.rounds import Round

#: Mails that set one round's period; whoever sets it more often means nothing by it.
_MOST = 30


def find_own_periods(book: Book, round_: Round) -> tuple[OwnPeriod, ...]:
    """What its opening and later mails say of a round's period, in order."""
    found: list[OwnPeriod] = []
    close = round_.opened_at + book.entitled.policy.voting_period
    mails = [] if round_.root_missing else [round_.root]
    for message in (*mails, *filter(_may_set, round_.messages)):
        at = book.time_of(message)
        is_root = message is round_.root
        if len(found) >= _MOST or (not is_root and at <= round_.opened_at):
            continue
        said = find_period(message.own_text, Clock(at, round_.opened_at, close))
        if said is not None and not is_root:
            said = _weigh(book, round_, message, said, at)
        if said is not None:
            ends = {"since": said.since, "until": said.until}
            found.append(OwnPeriod(said_at=at, message_id=message.message_id, line=said.line, **ends))
            close = max(close, said.until or close)
    return tuple(sorted(found, key=lambda period: period.said_at))


def _may_set(message: Message) -> bool:
    """Whether a mail may set a period: one that announces an end does not."""
    declared = message.declared
    return message.reading.kind in {Kind.VOTE, Kind.OTHER} and (declared is None or declared.only_denies)


def _weigh(book: Book, round_: Round, message: Message, said: SaidPeriod, at: datetime) -> SaidPeriod | None:
    """What the writer's word is worth: who may be its caller is asked, and who else may end it must extend it."""
    word = book.entitled.find_word(round_, message, at)
    if word.is_caller or (word.may_end and said.extends):
        return said
    unsure = said.extends and (word.waits or word.ruled_at is not None)
    return replace(said, since=None, until=None) if unsure else None

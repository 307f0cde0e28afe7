"""Groups mails into votes: which mail answers which, rounds, ballots, announcements and cancellations.

Mails belong together by Message-ID, In-Reply-To and References. If headers are missing or point
nowhere, the subject decides: proposal number or topic, and the round that it names.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.facts import MailKind, Message
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.domain.votes import Vote
from kipflow.mail.rounds.book import Book, find_lost_id
from kipflow.mail.rounds.calls import is_of_release
from kipflow.mail.rounds.casting import cast_all
from kipflow.mail.rounds.endings import Endings
from kipflow.mail.rounds.linking import dedupe
from kipflow.mail.rounds.openings import Openings
from kipflow.mail.rounds.periods import find_own_periods
from kipflow.mail.rounds.placing import Placing
from kipflow.mail.rounds.rounds import Round
from kipflow.mail.votes.shares import put_to_person, read_share


@dataclass(frozen=True, slots=True)
class Threads:
    """Every round of every vote in some mails, in order of opening; what each mail answers, and when it was sent."""

    votes: list[Vote]
    parents: Mapping[str, str]
    times: Mapping[str, datetime]


def find_votes(
    messages: Sequence[Message], roster: Roster, policy: Policy, *, prefix: str, keyed_by: str = "number"
) -> list[Vote]:
    """Every round of every vote: see `read_threads`."""
    return read_threads(messages, roster, policy, prefix=prefix, keyed_by=keyed_by).votes


def read_threads(
    messages: Sequence[Message], roster: Roster, policy: Policy, *, prefix: str, keyed_by: str = "number"
) -> Threads:
    """Group mails into votes; ballots are not judged yet.

    Args:
        messages: mails in any order, copies allowed.
        roster: who is who; decides whose word can cancel and whose ballot binds when cast.
        policy: binding roles, and what becomes of fractions.
        prefix: of proposal keys, "KIP".
        keyed_by: "number", or "subject" for communities whose votes have no numbers.
    """
    book = Book(dedupe(messages), roster, policy, prefix=prefix, keyed_by=keyed_by)
    Openings(book).find()
    book.find_all_roots()
    placing = Placing(book)
    _fill_rounds(book, placing)
    while contested := {r.root.message_id for r in book.all_rounds() if r.contested is not None} - book.contested:
        # mails without a thread belong to the running round, not to one that a stranger opened
        book.contested |= contested
        for round_ in book.all_rounds():
            round_.forget()
        _fill_rounds(book, placing)
    found = [_build(book, r, roster, policy) for r in book.all_rounds()]
    return Threads(sorted(found, key=lambda v: (v.opened_at, v.root_message_id, v.key)), book.parents, book.times)


def _doubt(message: Message) -> Message:
    """A mail whose votes become questions, because it is uncertain what they are about."""
    anew = message.reading.kind is MailKind.VOTE and not message.reading.is_reply
    asked = "begins anew under the vote's subject: a vote on this, or a call for one?"
    why = asked if anew else "votes under another subject than the vote's: a vote on this?"
    return put_to_person(message, message.votes, "other-subject", why)


def _doubt_crossed(message: Message) -> Message:
    """The same for a mail that answers a round that is over while the next one runs."""
    spoken = (e for e in message.votes if not e.standing.is_tentative)
    return put_to_person(
        message, spoken, "earlier-round", "answers an earlier round, which is over: a vote in this one?"
    )


def _fill_rounds(book: Book, placing: Placing) -> None:
    """Give each round its mails, and find how it ends."""
    for message in book.ordered:
        if message.message_id not in book.by_root:
            placed = placing.place(message)
            for round_ in placed:
                round_.messages.append(message)
            for round_ in () if placed else placing.find_strayed_from(message):
                round_.misdirected.append(message)
    Endings(book).find()
    for rounds in book.rounds.values():
        _find_crossed(book, rounds)


def _find_crossed(book: Book, rounds: Sequence[Round]) -> None:
    """Note which mails vote in a round that is over while the next one runs."""
    proper = [r for r in rounds if r.contested is None and not r.root_missing]
    for list_id in {r.root.list_id for r in proper} if len(proper) > 1 else ():
        here = sorted((r for r in proper if r.root.list_id == list_id), key=lambda r: r.opened_at)
        times = [r.opened_at for r in here]
        for round_, message in ((r, m) for r in here for m in r.messages if m.reading.kind is MailKind.VOTE):
            at = book.time_of(message)
            last = here[max(bisect_left(times, at), 1) - 1]
            is_next = last.opened_at > round_.opened_at and last.is_running(at) and not round_.is_running(at)
            if is_next and message.reading.is_reply:
                last.crossed.append(message)


def _find_mails(book: Book, round_: Round) -> Iterator[tuple[Message, datetime]]:
    """The mails whose votes belong to the round, each reduced to the parts about the round, with its time."""
    root = round_.root
    siblings = book.numbers.get(root.message_id, ()) if round_.number is not None else ()
    for message in round_.messages:
        yield _find_share(book, message, round_.number, siblings), book.time_of(message)
    for message in (*map(_doubt, (m for m in round_.misdirected if m.votes)), *map(_doubt_crossed, round_.crossed)):
        yield message, book.time_of(message)
    before = book.find_before(round_) if round_.begins_anew else None
    for message in before.messages if before is not None else ():
        yield message, book.time_of(message)
    if not round_.root_missing or root.votes:
        yield _find_share(book, root, round_.number, siblings), round_.opened_at


def _build(book: Book, round_: Round, roster: Roster, policy: Policy) -> Vote:
    root = round_.root
    if round_.number is None and is_of_release(root.reading.topic):
        policy = policy.for_releases()
    since = round_.opened_at if round_.begins_anew else None
    call = None if round_.root_missing else root
    ballots, found = cast_all(_find_mails(book, round_), roster, policy, since=since, call=call)
    return Vote(
        key=round_.key,
        proposal=round_.number,
        round=round_.round,
        list_id=root.list_id,
        subject=root.subject,
        # if the opening is missing, the id that its mails refer to identifies the vote
        root_message_id=(find_lost_id(root) if round_.root_missing else "") or root.message_id,
        opened_by="" if round_.root_missing else root.author_name or root.author_address,
        opened_by_address="" if round_.root_missing else root.author_address,
        opened_at=round_.opened_at,
        ballots=ballots,
        doubts=found.doubts,
        crowded=found.crowded,
        declared=round_.declared,
        ended_at=round_.ended_at,
        ended_how=round_.ended_how,
        ended_message_id=round_.ended_message_id,
        root_missing=round_.root_missing,
        claimed_ends=tuple(round_.claimed_ends),
        contested=round_.contested,
        opened_from=root.arrived_from,
        dated_at=None if round_.root_missing else root.dated_at,
        declared_dated_at=round_.declared_dated_at,
        own_periods=find_own_periods(book, round_),
    )


def _find_share(book: Book, message: Message, number: int | None, siblings: Collection[int]) -> Message:
    """What of the mail concerns the vote on `number`; a mail not read to its end concerns all."""
    return message if message.unread else read_share(message, number, siblings, prefix=book.prefix)

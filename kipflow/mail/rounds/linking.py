"""Which mail answers which, which mails are copies of one, and which proposals each is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property

from kipflow.domain.arrivals import UNRECORDED
from kipflow.domain.facts import MailKind, Message
from kipflow.domain.sameids import Subject, find_given_id, find_referred, index_by_subject, list_references

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def dedupe(messages: Iterable[Message]) -> list[Message]:
    """Each mail once, in order of time. The same mail under several ids (resent) stays several mails."""
    first: dict[str, Message] = {}
    for message in messages:
        known = first.get(message.message_id)
        if known is None or _rank(message) < _rank(known):
            first[message.message_id] = message
    return sorted(first.values(), key=lambda m: (m.arrived_at or EPOCH, m.message_id))


def _rank(message: Message) -> tuple[object, ...]:
    """The key by which one of two copies is kept, in any order of input: with a time and a parent, then by content."""
    when = message.arrived_at.isoformat() if message.arrived_at is not None else ""
    lacks = (not when, message.in_reply_to is None and not message.references)
    thread = (message.in_reply_to or "", message.references)
    return (*lacks, message.digest, when, *thread, message.own_text, message.list_id, message.source)


class Links:
    """Which mails name which, by the ids that their senders wrote: of one id there can be several mails."""

    def __init__(self, messages: Sequence[Message]) -> None:
        #: The mails under each id.
        self.held: dict[str, list[Message]] = {}
        for message in messages:
            self.held.setdefault(find_given_id(message.message_id), []).append(message)
        #: The known ids that each mail names, the nearest first: In-Reply-To, then the last reference.
        self.named: dict[str, list[str]] = {
            m.message_id: [name for name in list_references(m) if name in self.held] for m in messages
        }
        #: The known ids, each after those that its mails name; circles are cut.
        self.order = self._sort_ids()
        #: The mail that each mail answers, if it is known.
        self.parents: dict[str, str] = {}
        indexed: dict[str, dict[Subject, Message]] = {}
        for message in messages:
            own = find_given_id(message.message_id)
            given = next((name for name in self.named[message.message_id] if name != own), None)
            if given is not None:
                if given not in indexed:
                    indexed[given] = index_by_subject(self.held[given])
                self.parents[message.message_id] = find_referred(indexed[given], message).message_id

    def _sort_ids(self) -> list[str]:
        """By their links and without recursion: threads can be thousands of mails deep."""
        ordered: dict[str, None] = {}
        begun: set[str] = set()
        for first in self.held:
            stack = [(first, iter(self._list_named(first)))] if first not in begun else []
            begun.add(first)
            while stack:
                name, above = stack[-1]
                following = next((each for each in above if each not in begun), None)
                if following is None:
                    ordered[name] = None
                    stack.pop()
                else:
                    begun.add(following)
                    stack.append((following, iter(self._list_named(following))))
        return list(ordered)

    def _list_named(self, name: str) -> list[str]:
        return list(dict.fromkeys(named for m in self.held[name] for named in self.named[m.message_id]))

    def find_mails(self, message: Message) -> Iterator[Message]:
        """All mails that a mail names, but itself."""
        mails = (m for name in self.named[message.message_id] for m in self.held[name])
        return (m for m in mails if m.message_id != message.message_id)

    @cached_property
    def naming(self) -> dict[str, list[Message]]:
        """The mails that name each id."""
        found: dict[str, list[Message]] = {}
        for name in self.held:
            for message in self.held[name]:
                for named in self.named[message.message_id]:
                    found.setdefault(named, []).append(message)
        return found


def attribute_numbers(messages: Sequence[Message]) -> dict[str, tuple[int, ...]]:
    """The proposals each mail is about: see `Attribution`."""
    ordered = dedupe(messages)
    return Attribution(ordered, Links(ordered)).numbers


class Attribution:
    """The proposals that each mail is about: by its own subject, else by its parent, else by an equal topic.

    If its parent is uncertain, because mails share an id or the id leads nowhere: those of all mails that it names. If
    mails on several proposals share its topic: all of these. `placing` decides which of them it is about.
    """

    def __init__(self, ordered: Sequence[Message], links: Links) -> None:
        self.links = links
        self.numbers: dict[str, tuple[int, ...]] = {}
        #: The mails that are about a proposal by their title alone: anybody can write a title with a number.
        self.guessed: set[str] = set()
        self._topics: dict[str, dict[int, None]] = {}
        for message in ordered:
            if message.reading.topic and message.reading.numbers:
                self._topics.setdefault(message.reading.topic, {}).update(dict.fromkeys(message.reading.numbers))
        led: dict[str, dict[int, None]] = {}
        for name in links.order:
            for message in links.held[name]:
                self.numbers[message.message_id] = self._find(message, led)
            led[name] = dict.fromkeys(n for m in links.held[name] for n in self.numbers[m.message_id])

    def _find(self, message: Message, led: Mapping[str, Iterable[int]]) -> tuple[int, ...]:
        if message.reading.numbers:
            return message.reading.numbers
        parent = self.links.parents.get(message.message_id)
        above = self.numbers.get(parent, ()) if parent is not None else ()
        topic = self._topics.get(message.reading.topic, {})
        if not _continues_thread(message):
            both = tuple(n for n in above if n in topic)
            if topic and not both:
                self.guessed.add(message.message_id)
            return both or tuple(topic)
        named = self.links.named[message.message_id]
        if not above or any(len(self.links.held[name]) > 1 for name in named):
            above = tuple(dict.fromkeys((*above, *(n for name in named for n in led.get(name, ())))))
        return above or tuple(topic)


def _continues_thread(message: Message) -> bool:
    """A new subject under an old thread (a hijack, a vote on another matter) starts a thread of its own."""
    kind, is_reply = message.reading.kind, message.reading.is_reply
    return is_reply or not message.reading.topic or kind not in (MailKind.DISCUSS, MailKind.VOTE)


#: No reply to a vote comes later than this; one that is dated later has a wrong clock.
_LONGEST_WAIT = timedelta(days=5 * 365)
_CLOCK_SKEW = timedelta(days=1)


def find_times(messages: Sequence[Message], parents: dict[str, str]) -> dict[str, datetime]:
    """When each mail arrived, if that is recorded; else when it was sent, checked against the mails around it.

    A recorded arrival is never changed. Otherwise a reply is not older than its parent, nor answered before it was
    written. If clocks contradict this, an opening gets the time of its earliest reply, and a reply that of its
    parent. So does a reply dated years later. A mail without any time gets a neighbour's; without neighbours its
    month's.
    """
    by_id = {m.message_id: m for m in messages}
    children: dict[str, list[datetime]] = {}
    for child, parent in parents.items():
        sent = by_id[child].arrived_at
        if sent is not None:
            children.setdefault(parent, []).append(sent)
    times = {m.message_id: m.arrived_at for m in messages if m.arrived_at and m.arrived_from not in UNRECORDED}
    for message in messages:
        chain: dict[str, None] = {}
        current: str | None = message.message_id
        while current is not None and current not in times and current not in chain:
            chain[current] = None
            current = parents.get(current)
        before = times.get(current) if current is not None else None
        for message_id in reversed(chain):
            before = _settle_time(by_id[message_id], before, children.get(message_id, ()))
            times[message_id] = before
    return times


def _settle_time(message: Message, parent: datetime | None, answers: Sequence[datetime]) -> datetime:
    sent = message.arrived_at
    if sent is not None and message.arrived_from not in UNRECORDED:
        return sent
    if sent is not None and len(answers) > 1 and max(answers) < sent - _CLOCK_SKEW:
        sent = min(answers)
    if parent is not None and (sent is None or not parent - _CLOCK_SKEW <= sent <= parent + _LONGEST_WAIT):
        return parent
    if sent is not None:
        return sent
    if answers:
        return min(answers)
    if len(message.month) == 7:
        return datetime(int(message.month[:4]), int(message.month[5:7]), 1, tzinfo=UTC)
    return EPOCH

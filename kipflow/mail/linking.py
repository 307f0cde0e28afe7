"""Which mail answers which, which mails are copies of one, and which proposals each is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from kipflow.domain.facts import Kind, Message

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def dedupe(messages: Iterable[Message]) -> list[Message]:
    """Each mail once, in order of time. The same mail under several ids (resent) stays several mails."""
    first: dict[str, Message] = {}
    for message in messages:
        known = first.get(message.message_id)
        if known is None or _rank(message) < _rank(known):
            first[message.message_id] = message
    return sorted(first.values(), key=lambda m: (m.sent_at or EPOCH, m.message_id))


def _rank(message: Message) -> tuple[object, ...]:
    """Of two copies of a mail, the one that is kept, whatever came first: with a time and a parent, then by content."""
    when = message.sent_at.isoformat() if message.sent_at is not None else ""
    lacks = (not when, message.in_reply_to is None and not message.references)
    thread = (message.in_reply_to or "", message.references)
    return (*lacks, message.digest, when, *thread, message.own_text, message.list_id, message.source)


def find_parents(messages: Sequence[Message]) -> dict[str, str]:
    """The mail that each mail answers, as far as it is held: In-Reply-To, else the nearest reference."""
    known = {m.message_id for m in messages}
    parents: dict[str, str] = {}
    for message in messages:
        named = ([message.in_reply_to] if message.in_reply_to else []) + list(reversed(message.references))
        parent = next((p for p in named if p in known and p != message.message_id), None)
        if parent is not None:
            parents[message.message_id] = parent
    return parents


def attribute_numbers(messages: Sequence[Message]) -> dict[str, tuple[int, ...]]:
    """The proposals each mail is about: by its own subject, else its parent's, else an equal topic's."""
    ordered = dedupe(messages)
    by_id = {m.message_id: m for m in ordered}
    parents = find_parents(ordered)
    topics: dict[str, tuple[int, ...]] = {}
    for message in ordered:
        if message.reading.numbers and message.reading.topic:
            topics.setdefault(message.reading.topic, message.reading.numbers)
    numbers: dict[str, tuple[int, ...]] = {}
    for message in ordered:
        chain: list[Message] = []
        current: Message | None = message
        found: tuple[int, ...] = ()
        while current is not None and len(chain) < 500:
            if current.message_id in numbers:
                found = numbers[current.message_id]
                break
            if current.reading.numbers:
                found = current.reading.numbers
                break
            chain.append(current)
            if not _continues_thread(current):
                break
            parent = parents.get(current.message_id)
            current = by_id.get(parent) if parent is not None and by_id[parent] not in chain else None
        found = found or topics.get(message.reading.topic, ())
        numbers[message.message_id] = found if found or not chain else ()
    return numbers


def _continues_thread(message: Message) -> bool:
    """A new subject under an old thread (a hijack) starts a thread of its own."""
    return message.reading.is_reply or not message.reading.topic or message.reading.kind is not Kind.DISCUSS

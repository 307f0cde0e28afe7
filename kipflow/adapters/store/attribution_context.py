"""What the attribution of mails rests on: the held mails around them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.columns import digest_text
from kipflow.adapters.store.statements import iter_matching
from kipflow.adapters.store.tables.facts import message, message_proposal, message_reference
from kipflow.domain.facts import Kind, Message, SubjectReading
from kipflow.domain.sameids import APART, find_given_id, list_references

_CONTEXT = (
    message.c.message_id,
    message.c.list_id,
    message.c.arrived_at,
    message.c.kind,
    message.c.is_reply,
    message.c.is_forward,
    message.c.numbers,
    message.c.topic,
    message.c.in_reply_to,
    message.c.refs,
)


def make_topic_key(topic: str) -> str | None:
    """A topic as an indexable key; None where there is no topic to match by."""
    return digest_text(topic) if topic else None


def list_topic_keys(mails: Iterable[Message]) -> set[str]:
    """The keys of the topics that mails have."""
    return {key for mail in mails if (key := make_topic_key(mail.reading.topic))}


def find_referred(found: Message) -> list[str]:
    """The ids of other mails that a mail refers to, nearest first: any of them may be the one that is held."""
    return [r for r in list_references(found) if r != found.message_id]


def find_apart(connection: sa.Connection, named: Collection[str]) -> list[str]:
    """The ids of mails that are held apart because another mail has the id by which they are named."""
    if not named:
        return []
    held = message.c.message_id
    apart = connection.scalars(sa.select(held).where(held >= APART, held < f"{APART[:-1]}/"))
    return [each for each in apart if find_given_id(each) in named]


def load_affected(connection: sa.Connection, fresh: Sequence[Message]) -> dict[str, Message]:
    """Stored mails without a number of their own that descend from new ones, or share a topic with one
    that has a number."""
    seen = {m.message_id for m in fresh}
    found: dict[str, Message] = {}
    topics = list_topic_keys(m for m in fresh if m.reading.numbers)
    unnumbered = sa.select(*_CONTEXT).where(message.c.numbered.is_(False))
    frontier = seen | {find_given_id(message_id) for message_id in seen}
    for row in iter_matching(connection, unnumbered, message.c.topic_key, topics):
        if row.message_id not in seen:
            found[row.message_id] = _stub(row)
    frontier |= found.keys()
    seen |= found.keys()
    children = sa.select(message_reference.c.message_id)
    while frontier:
        rows = iter_matching(connection, children, message_reference.c.ref, frontier)
        frontier = {row.message_id for row in rows} - seen
        frontier |= {find_given_id(message_id) for message_id in frontier} - seen
        seen |= frontier
        found.update((m.message_id, m) for m in load_stubs(connection, frontier))
    return found


def load_context(connection: sa.Connection, affected: Mapping[str, Message]) -> list[Message]:
    """The stored mails on which the affected ones rest, with what they are known to belong to."""
    unnumbered = [m for m in affected.values() if not m.reading.numbers]
    named = {ref for m in unnumbered for ref in find_referred(m)}
    wanted = (named | set(find_apart(connection, named))) - affected.keys()
    parents = {m.message_id: m for m in load_stubs(connection, wanted)}
    known = load_attributed(connection, parents)
    context = [_as_attributed(m, known.get(m.message_id, {})) for m in parents.values()]
    numbered = sa.select(*_CONTEXT).where(message.c.numbered.is_(True))
    rows = iter_matching(connection, numbered, message.c.topic_key, list_topic_keys(unnumbered))
    known_ids = affected.keys() | parents.keys()
    return [*context, *(_stub(row) for row in rows if row.message_id not in known_ids)]


def load_stubs(connection: sa.Connection, ids: Collection[str]) -> list[Message]:
    return [_stub(row) for row in iter_matching(connection, sa.select(*_CONTEXT), message.c.message_id, ids)]


def load_attributed(connection: sa.Connection, ids: Collection[str]) -> dict[str, dict[int, str]]:
    """Message id → the numbers it is known to belong to, with the origin of each."""
    found: dict[str, dict[int, str]] = {}
    for row in iter_matching(connection, sa.select(message_proposal), message_proposal.c.message_id, ids):
        found.setdefault(row.message_id, {})[row.number] = row.origin
    return found


def _as_attributed(found: Message, numbers: Mapping[int, str]) -> Message:
    """A stored mail that stands for all that led to its attribution."""
    if found.reading.numbers or not numbers:
        return found
    # without a topic: what it inherited must not spread to mails that only share its topic
    reading = replace(found.reading, numbers=tuple(sorted(numbers)), round=None, topic="")
    return _blank(found.message_id, found.list_id, found.arrived_at, reading, None, ())


def _stub(row: sa.Row[*tuple[Any, ...]]) -> Message:
    reading = SubjectReading(
        kind=Kind(row.kind),
        is_reply=row.is_reply,
        is_forward=row.is_forward,
        numbers=tuple(row.numbers),
        round=None,
        topic=row.topic,
    )
    return _blank(row.message_id, row.list_id, row.arrived_at, reading, row.in_reply_to, tuple(row.refs))


def _blank(
    message_id: str, list_id: str, arrived_at: Any, reading: SubjectReading, parent: str | None, references: Any
) -> Message:
    """A message with what attribution looks at, and nothing else."""
    return Message(
        message_id=message_id,
        list_id=list_id,
        month="",
        source="",
        arrived_at=arrived_at,
        arrived_from="",
        author_name="",
        author_address="",
        raw_from="",
        subject="",
        reading=reading,
        in_reply_to=parent,
        references=references,
        own_text="",
    )

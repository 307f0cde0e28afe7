"""To which proposals a mail belongs: kept true as mails come in any order.

The rule itself (own subject, else parent, else topic) is the callable that the store was opened with.
Here it is given just enough context to say of the new mails, and of stored ones that a late parent
changes, what it would say if it saw every mail at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.statements import Row, add_proposals, insert_many
from kipflow.adapters.store.tables import earlier_reading, message, message_proposal, message_reference
from kipflow.domain.facts import Kind, Message, SubjectReading
from kipflow.domain.sameids import APART, find_given_id, list_references

Numbers = tuple[int, ...]
Attribute = Callable[[Sequence[Message]], Mapping[str, Numbers]]

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
    if not topic:
        return None
    return hashlib.sha256(topic.encode("utf-8", "replace")).hexdigest()[:24]


def attribute_new(
    connection: sa.Connection,
    fresh: Sequence[Message],
    attribute: Attribute,
) -> set[int]:
    """Attribute mails just stored, and again those stored mails whose parents they are.

    Returns the proposals that gained or lost a mail.
    """
    if not fresh:
        return set()
    _save_references(connection, fresh)
    affected = {m.message_id: m for m in fresh}
    affected.update(_load_affected(connection, fresh))
    before = _load_attributed(connection, affected.keys() - {m.message_id for m in fresh})
    return _attribute(connection, affected, attribute, before)


def attribute_again(
    connection: sa.Connection,
    changed: Sequence[tuple[Message, Message]],
    attribute: Attribute,
) -> set[int]:
    """Attribute mails that were read anew (pairs: before, after), and the stored ones that depend on them.

    Returns every proposal that has one of them, had it, or that gained or lost a mail by it.
    """
    if not changed:
        return set()
    ids = {after.message_id for _, after in changed}
    had = _load_attributed(connection, ids)
    touched = {number for numbers in had.values() for number in numbers}
    moved = [(before, after) for before, after in changed if _bearing(before) != _bearing(after)]
    if moved:
        for chunk in chunks(sorted(after.message_id for _, after in moved)):
            connection.execute(sa.delete(message_reference).where(message_reference.c.message_id.in_(chunk)))
        _save_references(connection, [after for _, after in moved])
        affected = {after.message_id: after for _, after in moved}
        # by what they were called before as well: mails may have followed them by topic
        neighbours = _load_affected(connection, [m for pair in moved for m in pair])
        affected.update((i, m) for i, m in neighbours.items() if i not in affected)
        touched |= _attribute(connection, affected, attribute, _load_attributed(connection, affected))
    return touched


def attribute_without(connection: sa.Connection, gone: Collection[str], attribute: Attribute) -> set[int]:
    """Take mails out, and attribute those again that followed them. Returns every proposal that had one of them."""
    stubs = _load_stubs(connection, gone)
    affected = _load_affected(connection, stubs)
    touched = {number for numbers in _load_attributed(connection, gone).values() for number in numbers}
    for chunk in chunks(sorted(gone)):
        for table in (message_reference, message_proposal, earlier_reading, message):
            connection.execute(sa.delete(table).where(table.c.message_id.in_(chunk)))
    return touched | _attribute(connection, affected, attribute, _load_attributed(connection, affected))


def _attribute(
    connection: sa.Connection,
    affected: Mapping[str, Message],
    attribute: Attribute,
    before: Mapping[str, Mapping[int, str]],
) -> set[int]:
    told = attribute(sorted([*affected.values(), *_load_context(connection, affected)], key=_in_order))
    return _save_changes(connection, affected, told, before)


def _bearing(found: Message) -> tuple[Any, ...]:
    """What a mail's attribution, and that of its neighbours, rests on."""
    reading = found.reading
    return (
        reading.kind,
        reading.is_reply,
        reading.is_forward,
        reading.numbers,
        reading.topic,
        found.arrived_at,
        found.in_reply_to,
        tuple(found.references),
    )


def find_references(found: Message) -> list[str]:
    """The ids of other mails that a mail refers to, nearest first: any of them may be the one that is held."""
    return [r for r in list_references(found) if r != found.message_id]


def find_apart(connection: sa.Connection, named: Collection[str]) -> list[str]:
    """The ids of mails that are held apart because another mail has the id by which they are named."""
    if not named:
        return []
    held = message.c.message_id
    apart = connection.scalars(sa.select(held).where(held >= APART, held < f"{APART[:-1]}/"))
    return [each for each in apart if find_given_id(each) in named]


def _in_order(found: Message) -> tuple[bool, float, str]:
    return found.arrived_at is None, found.arrived_at.timestamp() if found.arrived_at else 0.0, found.message_id


def _save_references(connection: sa.Connection, fresh: Iterable[Message]) -> None:
    rows = [
        (ref, m.message_id)
        for m in fresh
        if not m.reading.numbers  # its own subject decides; no parent can change that
        for ref in find_references(m)
    ]
    insert_many(connection, message_reference, ("ref", "message_id"), rows)


def _load_affected(connection: sa.Connection, fresh: Sequence[Message]) -> dict[str, Message]:
    """Stored mails without a number of their own that descend from new ones, or share a topic with one
    that has a number."""
    seen = {m.message_id for m in fresh}
    found: dict[str, Message] = {}
    topics = {make_topic_key(m.reading.topic) for m in fresh if m.reading.numbers} - {None}
    by_topic = sa.select(*_CONTEXT).where(message.c.numbered.is_(False))
    frontier = seen | {find_given_id(message_id) for message_id in seen}
    for chunk in chunks(sorted(t for t in topics if t)):
        for row in connection.execute(by_topic.where(message.c.topic_key.in_(chunk))):
            if row.message_id not in seen:
                found[row.message_id] = _stub(row)
    frontier |= found.keys()
    seen |= found.keys()
    while frontier:
        children: set[str] = set()
        for chunk in chunks(sorted(frontier)):
            statement = sa.select(message_reference.c.message_id).where(message_reference.c.ref.in_(chunk))
            children.update(connection.scalars(statement))
        frontier = children - seen
        frontier |= {find_given_id(message_id) for message_id in frontier} - seen
        seen |= frontier
        found.update((m.message_id, m) for m in _load_stubs(connection, frontier))
    return found


def _load_context(connection: sa.Connection, affected: Mapping[str, Message]) -> list[Message]:
    """The stored mails on which the affected ones rest, with what they are known to belong to."""
    unnumbered = [m for m in affected.values() if not m.reading.numbers]
    named = {ref for m in unnumbered for ref in find_references(m)}
    wanted = (named | set(find_apart(connection, named))) - affected.keys()
    parents = {m.message_id: m for m in _load_stubs(connection, wanted)}
    known = _load_attributed(connection, parents)
    context = [_as_attributed(m, known.get(m.message_id, {})) for m in parents.values()]
    topics = {make_topic_key(m.reading.topic) for m in unnumbered} - {None}
    for chunk in chunks(sorted(t for t in topics if t)):
        statement = sa.select(*_CONTEXT).where(message.c.topic_key.in_(chunk), message.c.numbered.is_(True))
        context.extend(
            _stub(row)
            for row in connection.execute(statement)
            if row.message_id not in affected and row.message_id not in parents
        )
    return context


def _load_stubs(connection: sa.Connection, ids: Iterable[str]) -> list[Message]:
    found: list[Message] = []
    for chunk in chunks(sorted(ids)):
        rows = connection.execute(sa.select(*_CONTEXT).where(message.c.message_id.in_(chunk)))
        found.extend(_stub(row) for row in rows)
    return found


def _load_attributed(connection: sa.Connection, ids: Iterable[str]) -> dict[str, dict[int, str]]:
    """Message id → the numbers it is known to belong to, with the origin of each."""
    found: dict[str, dict[int, str]] = {}
    for chunk in chunks(sorted(ids)):
        statement = sa.select(message_proposal).where(message_proposal.c.message_id.in_(chunk))
        for row in connection.execute(statement):
            found.setdefault(row.message_id, {})[row.number] = row.origin
    return found


def _save_changes(
    connection: sa.Connection,
    affected: Mapping[str, Message],
    told: Mapping[str, Numbers],
    before: Mapping[str, Mapping[int, str]],
) -> set[int]:
    gained: list[tuple[int, str, str]] = []
    lost: list[Row] = []
    for message_id, found in affected.items():
        own = frozenset(found.reading.numbers)
        now = {n: "subject" if n in own else "thread" for n in told.get(message_id, ())}
        had = before.get(message_id, {})
        gained.extend((n, message_id, now[n]) for n in now if n not in had)
        lost.extend({"gone": n, "whose": message_id} for n in had if n not in now)
    add_proposals(connection, (number for number, _, _ in gained))
    insert_many(connection, message_proposal, ("number", "message_id", "origin"), gained)
    if lost:
        statement = sa.delete(message_proposal).where(
            message_proposal.c.number == sa.bindparam("gone"), message_proposal.c.message_id == sa.bindparam("whose")
        )
        connection.execute(statement, lost)
    return {number for number, _, _ in gained} | {row["gone"] for row in lost}


def _as_attributed(found: Message, numbers: Mapping[int, str]) -> Message:
    """A stored mail that stands for all that led to its attribution."""
    if found.reading.numbers or not numbers:
        return found
    # without a topic: what it inherited must not spread to mails that only share its topic
    reading = SubjectReading(
        kind=found.reading.kind,
        is_reply=found.reading.is_reply,
        is_forward=found.reading.is_forward,
        numbers=tuple(sorted(numbers)),
        round=None,
        topic="",
    )
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

"""To which proposals a mail belongs: kept true as mails come in any order.

The rule itself (own subject, else parent, else topic) is the callable that the store was opened with.
Here it is given just enough context to say of the new mails, and of stored ones that a late parent
changes, what it would say if it saw every mail at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.attribution_context import (
    find_referred,
    load_affected,
    load_attributed,
    load_context,
    load_stubs,
)
from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.statements import Row, add_proposals, insert_new
from kipflow.adapters.store.tables.facts import earlier_reading, message, message_proposal, message_reference
from kipflow.domain.facts import Message

Numbers = tuple[int, ...]
Attribute = Callable[[Sequence[Message]], Mapping[str, Numbers]]


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
    affected.update(load_affected(connection, fresh))
    before = load_attributed(connection, affected.keys() - {m.message_id for m in fresh})
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
    had = load_attributed(connection, ids)
    touched = {number for numbers in had.values() for number in numbers}
    moved = [(before, after) for before, after in changed if _find_inputs(before) != _find_inputs(after)]
    if moved:
        for chunk in chunks(sorted(after.message_id for _, after in moved)):
            connection.execute(sa.delete(message_reference).where(message_reference.c.message_id.in_(chunk)))
        _save_references(connection, [after for _, after in moved])
        affected = {after.message_id: after for _, after in moved}
        # by what they were called before as well: mails may have followed them by topic
        neighbours = load_affected(connection, [m for pair in moved for m in pair])
        affected.update((i, m) for i, m in neighbours.items() if i not in affected)
        touched |= _attribute(connection, affected, attribute, load_attributed(connection, affected))
    return touched


def attribute_without(connection: sa.Connection, gone: Collection[str], attribute: Attribute) -> set[int]:
    """Take mails out, and attribute those again that followed them. Returns every proposal that had one of them."""
    stubs = load_stubs(connection, gone)
    affected = load_affected(connection, stubs)
    touched = {number for numbers in load_attributed(connection, gone).values() for number in numbers}
    for chunk in chunks(sorted(gone)):
        for table in (message_reference, message_proposal, earlier_reading, message):
            connection.execute(sa.delete(table).where(table.c.message_id.in_(chunk)))
    return touched | _attribute(connection, affected, attribute, load_attributed(connection, affected))


def _attribute(
    connection: sa.Connection,
    affected: Mapping[str, Message],
    attribute: Attribute,
    before: Mapping[str, Mapping[int, str]],
) -> set[int]:
    attributed = attribute(sorted([*affected.values(), *load_context(connection, affected)], key=_in_order))
    return _save_changes(connection, affected, attributed, before)


def _find_inputs(found: Message) -> tuple[Any, ...]:
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


def _in_order(found: Message) -> tuple[bool, float, str]:
    return found.arrived_at is None, found.arrived_at.timestamp() if found.arrived_at else 0.0, found.message_id


def _save_references(connection: sa.Connection, fresh: Iterable[Message]) -> None:
    rows = [
        {"ref": ref, "message_id": m.message_id}
        for m in fresh
        if not m.reading.numbers  # its own subject decides; no parent can change that
        for ref in find_referred(m)
    ]
    insert_new(connection, message_reference, rows)


def _save_changes(
    connection: sa.Connection,
    affected: Mapping[str, Message],
    attributed: Mapping[str, Numbers],
    before: Mapping[str, Mapping[int, str]],
) -> set[int]:
    gained: list[Row] = []
    lost: list[Row] = []
    for message_id, found in affected.items():
        own = frozenset(found.reading.numbers)
        now = {n: "subject" if n in own else "thread" for n in attributed.get(message_id, ())}
        had = before.get(message_id, {})
        gained.extend({"number": n, "message_id": message_id, "origin": now[n]} for n in now if n not in had)
        lost.extend({"gone": n, "whose": message_id} for n in had if n not in now)
    add_proposals(connection, (row["number"] for row in gained))
    insert_new(connection, message_proposal, gained)
    if lost:
        statement = sa.delete(message_proposal).where(
            message_proposal.c.number == sa.bindparam("gone"), message_proposal.c.message_id == sa.bindparam("whose")
        )
        connection.execute(statement, lost)
    return {row["number"] for row in gained} | {row["gone"] for row in lost}

"""Mails: stored once each, with the proposals they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store import attribution, batches, rereading
from kipflow.adapters.store.attribution import find_apart, find_referred, list_topic_keys
from kipflow.adapters.store.columns import chunks, clean_text
from kipflow.adapters.store.message_rows import (
    make_storable,
    message_row,
    read_message,
    unreadable_row,
)
from kipflow.adapters.store.statements import (
    MAIL_LOCK,
    count_mails,
    count_new,
    insert_new,
    iter_matching,
    lock,
    mark_pending,
)
from kipflow.adapters.store.tables.facts import message, message_proposal, unreadable
from kipflow.domain.arrivals import cut_to_seen
from kipflow.domain.facts import MailKind, Message, Unreadable
from kipflow.domain.sameids import is_other_mail, list_references, name_apart
from kipflow.services.ports import Rules, SaveReport


@dataclass(frozen=True, slots=True)
class _Known:
    digest: str
    source: str
    list_id: str
    reading_rules: int


def save_messages(
    connection: sa.Connection,
    rules: Rules,
    messages: Iterable[Message],
    *,
    seen_at: datetime,
    reading_rules: int = 0,
    batch: int | None = None,
) -> SaveReport:
    """Store the messages that are not held yet and say which proposals got new facts.

    Known mails that rules older than `reading_rules` read get the newer reading. A mail that is known from
    one of the lists `rules.aside` is held as of the other list that it was sent to as well. New ones are of the
    `batch`; a known one that comes from elsewhere is its batch's no more. Cost follows the number of messages
    given and the threads they belong to, not what is stored.
    """
    lock(connection, MAIL_LOCK)
    new = known = reread = 0
    touched: set[int] = set()
    for chunk in chunks(messages):
        fresh, repeated = _split_known(connection, [make_storable(m) for m in chunk], reading_rules)
        others, repeated = _split_others(connection, fresh, repeated, seen_at)
        if others:
            more, again = _split_known(connection, others, reading_rules)
            fresh, repeated = [*fresh, *more], [*repeated, *again]
        fresh = [cut_to_seen(m, seen_at) for m in fresh]
        known += len(repeated)
        seen = {"seen_at": seen_at, "reading_rules": reading_rules}
        insert_new(connection, message, [message_row(m) | seen for m in fresh])
        batches.add_items(connection, batch, [m.message_id for m in fresh])
        batches.keep_items(connection, batch, [m.message_id for m, _ in repeated])
        touched |= attribution.attribute_new(connection, fresh, rules.attribute)
        touched |= _prefer_lists(connection, repeated, rules.aside)
        new += len(fresh)
        changed, of_these = _read_again(connection, repeated, seen_at, rules.attribute, reading_rules)
        reread += changed
        touched |= of_these
    if new:
        count_mails(connection, new)
    mark_pending(connection, touched, seen_at)
    return SaveReport(new=new, known=known, reread=reread, touched=frozenset(touched))


def _read_again(
    connection: sa.Connection,
    repeated: Sequence[tuple[Message, _Known]],
    at: datetime,
    attribute: attribution.Attribute,
    rules: int,
) -> tuple[int, set[int]]:
    """Newer readings of known mails. Another mail under a Message-ID that is taken is no newer reading of it."""
    newer = {m.message_id: m for m, known in repeated if known.reading_rules < rules and known.digest == m.digest}
    stored = iter_matching(connection, sa.select(message), message.c.message_id, newer)
    pairs = [(read_message(row), cut_to_seen(newer[row.message_id], row.seen_at)) for row in stored]
    return rereading.save_readings(connection, pairs, rules=rules, at=at, attribute=attribute)


def save_unreadable(connection: sa.Connection, items: Iterable[Unreadable], *, seen_at: datetime) -> int:
    """Note what could not be read; how many of these notes are new."""
    return count_new(connection, unreadable, (unreadable_row(item, seen_at) for item in items))


def load_messages(connection: sa.Connection, number: int) -> list[Message]:
    """The messages of a proposal in order of time; those without a time last."""
    statement = (
        sa.select(message)
        .join(message_proposal, message_proposal.c.message_id == message.c.message_id)
        .where(message_proposal.c.number == number)
    )
    found = [read_message(row) for row in connection.execute(statement)]
    return sorted(found, key=lambda m: (m.arrived_at is None, m.arrived_at, m.message_id))


def load_rivals(connection: sa.Connection, mails: Sequence[Message]) -> list[Message]:
    """The openings of other proposals' votes that unnumbered mails of one may be about just as well.

    By a mail that they name, or by their topic where they stand in no thread.
    """
    unnumbered = [m for m in mails if not m.reading.numbers]
    held = {m.message_id for m in mails}
    topics = list_topic_keys(m for m in unnumbered if m.votes and not list_references(m))
    named = {ref for m in unnumbered for ref in find_referred(m)}
    calls = sa.select(message).where(
        message.c.kind == MailKind.VOTE.value, message.c.numbered.is_(True), message.c.is_reply.is_(False)
    )
    rows = [
        *iter_matching(connection, calls, message.c.topic_key, topics),
        *iter_matching(connection, calls, message.c.message_id, named | set(find_apart(connection, named))),
    ]
    return list({row.message_id: read_message(row) for row in rows if row.message_id not in held}.values())


def _split_known(
    connection: sa.Connection, batch: Sequence[Message], reading_rules: int
) -> tuple[list[Message], list[tuple[Message, _Known]]]:
    columns = sa.select(
        message.c.message_id, message.c.digest, message.c.source, message.c.list_id, message.c.reading_rules
    )
    ids = {m.message_id for m in batch}
    stored = {
        row.message_id: _Known(row.digest, row.source, row.list_id, row.reading_rules)
        for row in connection.execute(columns.where(message.c.message_id.in_(ids)))
    }
    fresh: list[Message] = []
    repeated: list[tuple[Message, _Known]] = []
    for found in batch:
        known = stored.get(found.message_id)
        if known is None:
            stored[found.message_id] = _Known(found.digest, found.source, found.list_id, reading_rules)
            fresh.append(found)
        else:
            repeated.append((found, known))
    return fresh, repeated


def _split_others(
    connection: sa.Connection,
    fresh: Sequence[Message],
    repeated: Sequence[tuple[Message, _Known]],
    seen_at: datetime,
) -> tuple[list[Message], list[tuple[Message, _Known]]]:
    """The mails that have another mail's Message-ID, under ids of their own; and the repeated ones without them.

    Archives give one mail with different headers, so unequal digests alone prove nothing. Each mail that is not
    simply known is noted.
    """
    unequal = {m.message_id for m, known in repeated if m.digest != known.digest}
    held = {m.message_id: m for m in fresh if m.message_id in unequal}
    rows = iter_matching(connection, sa.select(message), message.c.message_id, unequal - held.keys())
    held.update((row.message_id, read_message(row)) for row in rows)
    apart: list[Message] = []
    same: list[tuple[Message, _Known]] = []
    notes: list[Unreadable] = []
    for found, known in repeated:
        first = held.get(found.message_id)
        is_other = first is not None and is_other_mail(first, found)
        if is_other:
            apart.append(make_storable(name_apart(found)))
        else:
            same.append((found, known))
        if is_other or (first is not None and clean_text(found.own_text).split() != first.own_text.split()):
            taken = f"another mail has the Message-ID {found.message_id} already (from {known.source})"
            why = f"{taken}; {'both are kept' if is_other else 'this one is not read'}"
            notes.append(Unreadable(source=found.source, why=why, list_id=found.list_id, month=found.month))
    save_unreadable(connection, notes, seen_at=seen_at)
    return apart, same


def _prefer_lists(
    connection: sa.Connection, repeated: Sequence[tuple[Message, _Known]], aside: frozenset[str]
) -> set[int]:
    """Hold mails that were known from a list `aside` as of another list that has them too.

    So it does not matter which archive was read first. Returns the proposals of these mails.
    """
    moved = {m.message_id: m for m, known in repeated if known.list_id in aside and m.list_id not in aside}
    if not moved:
        return set()
    statement = sa.select(message.c.message_id, message.c.own_text).where(message.c.message_id.in_(moved))
    for row in connection.execute(statement).all():
        found = moved[row.message_id]
        if clean_text(found.own_text).split() != row.own_text.split():
            del moved[row.message_id]  # not read, see above
            continue
        place = {"list_id": found.list_id, "month": found.month, "source": found.source, "digest": found.digest}
        connection.execute(sa.update(message).where(message.c.message_id == row.message_id).values(place))
    return set(connection.scalars(sa.select(message_proposal.c.number).where(message_proposal.c.message_id.in_(moved))))


def find_references(connection: sa.Connection, message_id: str) -> tuple[str, ...] | None:
    columns = sa.select(message.c.refs, message.c.in_reply_to).where(message.c.message_id == message_id)
    found = connection.execute(columns).one_or_none()
    return None if found is None else tuple(found.refs or filter(None, [found.in_reply_to]))

"""To which proposals a mail belongs, whatever the order in which mails arrive.

The rule itself (own subject, else parent, else topic) is `rules.attribute`. Here it gets the
new mails, the stored mails that they affect (a parent may arrive late), and just enough context to give the same result
as for all mails at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.part import Part, Row
from kipflow.adapters.store.tables.facts import earlier_reading, message, message_proposal, message_reference
from kipflow.domain.facts import Message, SubjectReading
from kipflow.domain.records import from_plain
from kipflow.domain.sameids import APART, find_given_id, list_references
from kipflow.domain.texts import digest_text

Numbers = tuple[int, ...]
#: The fields of a mail that attribution reads. `_BLANK` fills the others.
_READ = ("kind", "is_reply", "is_forward", "numbers", "topic")
_of_reading = attrgetter(*_READ)
_CONTEXT = sa.select(
    *(message.c[name] for name in ("message_id", "list_id", "arrived_at", "in_reply_to", "refs", *_READ))
)
_BLANK = dict.fromkeys(
    ("month", "source", "arrived_from", "author_name", "author_address", "raw_from", "subject", "own_text"), ""
)


class Attribution(Part):
    """Applies the rule `rules.attribute` to new mails and to stored ones that they affect."""

    def add(self, fresh: Sequence[Message]) -> set[int]:
        """Attribute mails just stored, and again the stored mails that they affect.

        Returns the proposals that gained or lost a mail.
        """
        if not fresh:
            return set()
        self._save_references(fresh)
        affected = {m.message_id: m for m in fresh}
        affected.update(self._load_affected(fresh))
        before = self._load_attributed(affected.keys() - {m.message_id for m in fresh})
        return self._apply(affected, before)

    def reread(self, changed: Sequence[tuple[Message, Message]]) -> set[int]:
        """Attribute mails with a new reading (pairs: before, after), and again the stored mails that they affect.

        Returns the proposals that have or had one of these mails, or that gained or lost a mail.
        """
        if not changed:
            return set()
        ids = {after.message_id for _, after in changed}
        had = self._load_attributed(ids)
        touched = {number for numbers in had.values() for number in numbers}
        moved = [(before, after) for before, after in changed if _find_inputs(before) != _find_inputs(after)]
        if moved:
            for chunk in chunks(sorted(after.message_id for _, after in moved)):
                self._connection.execute(sa.delete(message_reference).where(message_reference.c.message_id.in_(chunk)))
            self._save_references([after for _, after in moved])
            affected = {after.message_id: after for _, after in moved}
            # also with their earlier topics, by which other mails may belong to them
            neighbours = self._load_affected([m for pair in moved for m in pair])
            affected.update((i, m) for i, m in neighbours.items() if i not in affected)
            touched |= self._apply(affected, self._load_attributed(affected))
        return touched

    def remove(self, gone: Collection[str]) -> set[int]:
        """Delete mails, and attribute again the mails that they affected. Returns the affected proposals."""
        stubs = self._load_stubs(gone)
        affected = self._load_affected(stubs)
        touched = {number for numbers in self._load_attributed(gone).values() for number in numbers}
        for chunk in chunks(sorted(gone)):
            for table in (message_reference, message_proposal, earlier_reading, message):
                self._connection.execute(sa.delete(table).where(table.c.message_id.in_(chunk)))
        return touched | self._apply(affected, self._load_attributed(affected))

    def _apply(self, affected: Mapping[str, Message], before: Mapping[str, Mapping[int, str]]) -> set[int]:
        attributed = self.rules.attribute(sorted([*affected.values(), *self._load_context(affected)], key=_in_order))
        return self._save_changes(affected, attributed, before)

    def _save_references(self, fresh: Iterable[Message]) -> None:
        rows = [
            {"ref": ref, "message_id": m.message_id}
            for m in fresh
            if not m.reading.numbers  # its own subject decides; no parent can change that
            for ref in find_referred(m)
        ]
        self.insert_new(message_reference, rows)

    def _save_changes(
        self,
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
        self.add_proposals(row["number"] for row in gained)
        self.insert_new(message_proposal, gained)
        if lost:
            statement = sa.delete(message_proposal).where(
                message_proposal.c.number == sa.bindparam("gone"),
                message_proposal.c.message_id == sa.bindparam("whose"),
            )
            self._connection.execute(statement, lost)
        return {row["number"] for row in gained} | {row["gone"] for row in lost}

    def _load_affected(self, fresh: Sequence[Message]) -> dict[str, Message]:
        """Stored mails without a number of their own that descend from new mails, or share the topic of a new mail with
        a number."""
        seen = {m.message_id for m in fresh}
        found: dict[str, Message] = {}
        topics = list_topic_keys(m for m in fresh if m.reading.numbers)
        unnumbered = _CONTEXT.where(message.c.numbered.is_(False))
        frontier = seen | {find_given_id(message_id) for message_id in seen}
        for row in self.iter_matching(unnumbered, message.c.topic_key, topics):
            if row.message_id not in seen:
                found[row.message_id] = _stub(row)
        frontier |= found.keys()
        seen |= found.keys()
        children = sa.select(message_reference.c.message_id)
        while frontier:
            rows = self.iter_matching(children, message_reference.c.ref, frontier)
            frontier = {row.message_id for row in rows} - seen
            frontier |= {find_given_id(message_id) for message_id in frontier} - seen
            seen |= frontier
            found.update((m.message_id, m) for m in self._load_stubs(frontier))
        return found

    def _load_context(self, affected: Mapping[str, Message]) -> list[Message]:
        """The stored mails on which the affected ones depend, with their known proposals."""
        unnumbered = [m for m in affected.values() if not m.reading.numbers]
        named = {ref for m in unnumbered for ref in find_referred(m)}
        wanted = (named | set(self.find_apart(named))) - affected.keys()
        parents = {m.message_id: m for m in self._load_stubs(wanted)}
        known = self._load_attributed(parents)
        context = [_as_attributed(m, known.get(m.message_id, {})) for m in parents.values()]
        numbered = _CONTEXT.where(message.c.numbered.is_(True))
        rows = self.iter_matching(numbered, message.c.topic_key, list_topic_keys(unnumbered))
        known_ids = affected.keys() | parents.keys()
        return [*context, *(_stub(row) for row in rows if row.message_id not in known_ids)]

    def find_apart(self, named: Collection[str]) -> list[str]:
        """The stored ids of mails whose given ids are in `named`, but belong to other mails."""
        if not named:
            return []
        held = message.c.message_id
        apart = self._connection.scalars(sa.select(held).where(held >= APART, held < f"{APART[:-1]}/"))
        return [each for each in apart if find_given_id(each) in named]

    def _load_stubs(self, ids: Collection[str]) -> list[Message]:
        return [_stub(row) for row in self.iter_matching(_CONTEXT, message.c.message_id, ids)]

    def _load_attributed(self, ids: Collection[str]) -> dict[str, dict[int, str]]:
        """Message id → its proposals' numbers, with the origin of each."""
        found: dict[str, dict[int, str]] = {}
        for row in self.iter_matching(sa.select(message_proposal), message_proposal.c.message_id, ids):
            found.setdefault(row.message_id, {})[row.number] = row.origin
        return found


def _find_inputs(found: Message) -> tuple[Any, ...]:
    """The values on which the attribution of a mail and of its neighbours depends."""
    return *_of_reading(found.reading), found.arrived_at, found.in_reply_to, tuple(found.references)


def _in_order(found: Message) -> tuple[bool, float, str]:
    return found.arrived_at is None, found.arrived_at.timestamp() if found.arrived_at else 0.0, found.message_id


def make_topic_key(topic: str) -> str | None:
    """A topic as an indexable key; None for an empty topic."""
    return digest_text(topic, 24) if topic else None


def list_topic_keys(mails: Iterable[Message]) -> set[str]:
    """The keys of the topics that mails have."""
    return {key for mail in mails if (key := make_topic_key(mail.reading.topic))}


def find_referred(found: Message) -> list[str]:
    """The ids of other mails that a mail refers to, nearest first. Any of them may be stored."""
    return [r for r in list_references(found) if r != found.message_id]


def _as_attributed(found: Message, numbers: Mapping[int, str]) -> Message:
    """A stored mail with its known numbers in place of all that led to them."""
    if found.reading.numbers or not numbers:
        return found
    # without a topic: what it inherited must not spread to mails that only share its topic
    reading = replace(found.reading, numbers=tuple(sorted(numbers)), topic="")
    return replace(found, reading=reading, in_reply_to=None, references=())


def _stub(row: sa.Row[*tuple[Any, ...]]) -> Message:
    """A message with only the fields that attribution reads."""
    raw = {**row._asdict(), **_BLANK, "round": None}
    return from_plain(Message, raw, reading=from_plain(SubjectReading, raw), references=tuple(row.refs))

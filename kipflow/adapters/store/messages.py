"""Mails: each is stored once, with the proposals to which it belongs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.attribution import Attribution, find_referred, list_topic_keys
from kipflow.adapters.store.batches import SqlBatches
from kipflow.adapters.store.columns import chunks, clean_text
from kipflow.adapters.store.message_rows import make_storable, message_row, read_message, unreadable_row
from kipflow.adapters.store.months import Months
from kipflow.adapters.store.part import MAIL_LOCK, lock
from kipflow.adapters.store.rereading import Readings
from kipflow.adapters.store.tables.facts import message, message_proposal, unreadable
from kipflow.domain.arrivals import cut_to_seen
from kipflow.domain.facts import MailKind, Message, Unreadable
from kipflow.domain.people import Mailbox, fold_name
from kipflow.domain.sameids import is_other_mail, list_references, name_apart
from kipflow.services.ports import SaveReport


@dataclass(frozen=True, slots=True)
class _Known:
    digest: str
    source: str
    list_id: str
    reading_rules: int


class SqlMail(Months, Readings):
    """`services.ports.MailStore`."""

    def save_messages(
        self, messages: Iterable[Message], *, seen_at: datetime, reading_rules: int = 0, batch: int | None = None
    ) -> SaveReport:
        """Store new messages. The report names the proposals that got new facts.

        A mail that is known from one of the lists `rules.aside` moves to the other list that it was sent to. New mails
        belong to the `batch`; a known one that comes from elsewhere leaves its batch. The cost depends on the number of
        messages and the size of their threads, not on the size of the store.
        """
        lock(self._connection, MAIL_LOCK)
        batches = self.part(SqlBatches)
        attribution = self.part(Attribution)
        new = known = reread = 0
        touched: set[int] = set()
        for chunk in chunks(messages):
            fresh, repeated = self._split_known([make_storable(m) for m in chunk], reading_rules)
            others, repeated = self._split_others(fresh, repeated, seen_at)
            if others:
                more, again = self._split_known(others, reading_rules)
                fresh, repeated = [*fresh, *more], [*repeated, *again]
            fresh = [cut_to_seen(m, seen_at) for m in fresh]
            known += len(repeated)
            seen = {"seen_at": seen_at, "reading_rules": reading_rules}
            self.insert_new(message, [message_row(m) | seen for m in fresh])
            batches.add_items(batch, [m.message_id for m in fresh])
            batches.keep_items(batch, [m.message_id for m, _ in repeated])
            touched |= attribution.add(fresh)
            touched |= self._prefer_lists(repeated)
            new += len(fresh)
            changed, of_these = self._read_again(repeated, seen_at, reading_rules)
            reread += changed
            touched |= of_these
        if new:
            self.count_mails(new)
        self.mark_pending(touched, seen_at)
        return SaveReport(new=new, known=known, reread=reread, touched=frozenset(touched))

    def _read_again(self, repeated: Sequence[tuple[Message, _Known]], at: datetime, rules: int) -> tuple[int, set[int]]:
        """Store newer readings of known mails. Another mail with the same Message-ID is no newer reading."""
        newer = {m.message_id: m for m, known in repeated if known.reading_rules < rules and known.digest == m.digest}
        stored = self.iter_matching(sa.select(message), message.c.message_id, newer)
        pairs = [(read_message(row), cut_to_seen(newer[row.message_id], row.seen_at)) for row in stored]
        return self.save_readings(pairs, rules=rules, at=at)

    def save_unreadable(self, items: Iterable[Unreadable], *, seen_at: datetime) -> int:
        """Note what could not be read; returns how many notes are new."""
        return self.count_new(unreadable, (unreadable_row(item, seen_at) for item in items))

    def load_messages(self, number: int) -> list[Message]:
        """The messages of a proposal in order of time; undated ones last."""
        statement = (
            sa.select(message)
            .join(message_proposal, message_proposal.c.message_id == message.c.message_id)
            .where(message_proposal.c.number == number)
        )
        found = [read_message(row) for row in self._connection.execute(statement)]
        return sorted(found, key=lambda m: (m.arrived_at is None, m.arrived_at, m.message_id))

    def load_rivals(self, mails: Sequence[Message]) -> list[Message]:
        """The calls for votes on other proposals to which unnumbered mails of this one may belong as well.

        They match by a mail that they refer to, or by topic if they are in no thread.
        """
        unnumbered = [m for m in mails if not m.reading.numbers]
        held = {m.message_id for m in mails}
        topics = list_topic_keys(m for m in unnumbered if m.votes and not list_references(m))
        named = {ref for m in unnumbered for ref in find_referred(m)}
        named.update(self.part(Attribution).find_apart(named))
        calls = sa.select(message).where(
            message.c.kind == MailKind.VOTE.value, message.c.numbered.is_(True), message.c.is_reply.is_(False)
        )
        rows = [
            *self.iter_matching(calls, message.c.topic_key, topics),
            *self.iter_matching(calls, message.c.message_id, named),
        ]
        return list({row.message_id: read_message(row) for row in rows if row.message_id not in held}.values())

    def _split_known(
        self, batch: Sequence[Message], reading_rules: int
    ) -> tuple[list[Message], list[tuple[Message, _Known]]]:
        columns = sa.select(
            message.c.message_id, message.c.digest, message.c.source, message.c.list_id, message.c.reading_rules
        )
        ids = {m.message_id for m in batch}
        stored = {
            row.message_id: _Known(row.digest, row.source, row.list_id, row.reading_rules)
            for row in self._connection.execute(columns.where(message.c.message_id.in_(ids)))
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
        self, fresh: Sequence[Message], repeated: Sequence[tuple[Message, _Known]], seen_at: datetime
    ) -> tuple[list[Message], list[tuple[Message, _Known]]]:
        """Split repeated mails: other mails with a duplicate Message-ID, now under ids of their own, and true repeats.

        Archives give one mail with different headers, so different digests alone prove nothing. Duplicates, and repeats
        with another text, are noted as unreadable.
        """
        unequal = {m.message_id for m, known in repeated if m.digest != known.digest}
        held = {m.message_id: m for m in fresh if m.message_id in unequal}
        rows = self.iter_matching(sa.select(message), message.c.message_id, unequal - held.keys())
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
        self.save_unreadable(notes, seen_at=seen_at)
        return apart, same

    def _prefer_lists(self, repeated: Sequence[tuple[Message, _Known]]) -> set[int]:
        """Move mails that were known from a list of `rules.aside` to the other list that has them too.

        So the result does not depend on which archive was read first. Returns the proposals of these mails.
        """
        aside = self.rules.aside
        moved = {m.message_id: m for m, known in repeated if known.list_id in aside and m.list_id not in aside}
        if not moved:
            return set()
        statement = sa.select(message.c.message_id, message.c.own_text).where(message.c.message_id.in_(moved))
        for row in self._connection.execute(statement).all():
            found = moved[row.message_id]
            if clean_text(found.own_text).split() != row.own_text.split():
                del moved[row.message_id]  # another text: `_split_others` has noted it
                continue
            place = {"list_id": found.list_id, "month": found.month, "source": found.source, "digest": found.digest}
            self._connection.execute(sa.update(message).where(message.c.message_id == row.message_id).values(place))
        numbers = sa.select(message_proposal.c.number).where(message_proposal.c.message_id.in_(moved))
        return set(self._connection.scalars(numbers))

    def find_references(self, message_id: str) -> tuple[str, ...] | None:
        columns = sa.select(message.c.refs, message.c.in_reply_to).where(message.c.message_id == message_id)
        found = self._connection.execute(columns).one_or_none()
        return None if found is None else tuple(found.refs or filter(None, [found.in_reply_to]))

    def find_mailbox(self, key: str) -> Mailbox | None:
        """`key` is an address, the id of a mail, or the folded name of a sender without address."""
        single = sa.select(message.c.author_name, message.c.author_address).where(message.c.message_id == key)
        mail = self._connection.execute(single).one_or_none() if key.startswith("<") else None
        if mail is not None:
            return Mailbox(key=key, name=mail.author_name, address=mail.author_address)
        columns = sa.select(message.c.author_name)
        newest = message.c.arrived_at.desc().nulls_last()
        name = self._connection.scalar(columns.where(message.c.author_address == key).order_by(newest).limit(1))
        if name is not None:
            return Mailbox(key=key, name=name)
        nameless = columns.where(message.c.author_address == "").distinct()
        shown = next((n for n in self._connection.scalars(nameless) if fold_name(n) == key), None)
        return None if shown is None else Mailbox(key=key, name=shown)

    def find_first_mail(self, address: str) -> datetime | None:
        first = sa.select(sa.func.min(message.c.arrived_at)).where(message.c.author_address == address)
        found: datetime | None = self._connection.scalar(first)
        return found

"""The outbox: effects written with the decision that causes them, each key once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

import sqlalchemy as sa

from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.deliveries import Deliveries
from kipflow.adapters.store.part import Row, as_row
from kipflow.adapters.store.tables.outbox import outbox
from kipflow.services.ports.effects import CARD, GONE, RETRACTS, WAITING, Effect, OutboxRow

#: The service was called, and its answer is not known.
_MAY_BE_OUT = sa.and_(outbox.c.tried_at.is_not(None), outbox.c.status.in_(("pending", "claimed")))
#: Sent at least once; if it is not "sent" now, it waits to be sent again as an update.
_IS_OUT = outbox.c.external_ref.is_not(None)


class SqlOutbox(Deliveries):
    """`services.ports.Outbox`."""

    def enqueue(self, effects: Iterable[Effect], *, now: datetime, sends: bool = True) -> int:
        """They are sent in this order: each one is created a microsecond after the one before."""
        given = list(effects)
        renewed = [effect.key for effect in given if effect.renews and sends]
        if renewed:
            unsent = outbox.c.status.in_(GONE)
            self._connection.execute(sa.delete(outbox).where(outbox.c.key.in_(renewed), unsent))
        rows = (_outbox_row(effect, now, sends, place) for place, effect in enumerate(given))
        return self.count_new(outbox, rows)

    def find_thread(self, number: int, channel: str) -> str | None:
        statement = (
            sa.select(outbox.c.external_ref, outbox.c.payload)
            .where(outbox.c.number == number, outbox.c.channel == "slack", outbox.c.status == "sent")
            .order_by(outbox.c.sent_at, outbox.c.key)
        )
        for row in self._connection.execute(statement):
            if row.payload.get("channel") == channel and not row.payload.get("in_thread"):
                return str(row.external_ref)
        return None

    def load_cards(self, number: int) -> list[OutboxRow]:
        statement = sa.select(outbox).where(
            outbox.c.number == number, outbox.c.channel == "slack", outbox.c.status != "withdrawn"
        )
        rows = self.load_records(OutboxRow, statement.order_by(outbox.c.created_at, outbox.c.key))
        return [row for row in rows if CARD in row.payload]

    def load_status(self, keys: Iterable[str]) -> dict[str, str]:
        status = sa.case((_IS_OUT, "sent"), (_MAY_BE_OUT, "unsure"), else_=outbox.c.status).label("status")
        rows = self.iter_matching(sa.select(outbox.c.key, status), outbox.c.key, keys)
        return {row.key: row.status for row in rows}

    def find(self, key: str) -> OutboxRow | None:
        return self.find_record(OutboxRow, sa.select(outbox).where(outbox.c.key == key))

    def find_message(self, reference: str) -> OutboxRow | None:
        wanted = sa.select(outbox).where(outbox.c.channel == "slack", outbox.c.external_ref == reference)
        return self.find_record(OutboxRow, wanted)

    def withdraw(self, keys: Iterable[str], *, why: str, updates: bool = False) -> int:
        """The rows stay, with the reason."""
        unsent = sa.true() if updates else ~_IS_OUT
        return sum(
            self._connection.execute(
                sa.update(outbox)
                .where(outbox.c.key.in_(chunk), outbox.c.status.in_(WAITING), outbox.c.tried_at.is_(None), unsent)
                .values(status="withdrawn", last_error=why[:500])
            ).rowcount
            for chunk in chunks(keys)
        )

    def load_channel(self, channel: str, status: Collection[str] = ()) -> tuple[OutboxRow, ...]:
        statement = sa.select(outbox).where(outbox.c.channel == channel)
        wanted = statement.where(outbox.c.status.in_(status)) if status else statement
        return self.load_records(OutboxRow, wanted.order_by(outbox.c.created_at, outbox.c.key))

    def load_unreleased_retractions(self) -> frozenset[int]:
        statement = sa.select(outbox.c.number, outbox.c.payload).where(outbox.c.status == "held")
        rows = self._connection.execute(statement.where(outbox.c.number.is_not(None)))
        return frozenset(row.number for row in rows if row.payload.get(RETRACTS))

    def find_waiting_retraction(self, number: int) -> OutboxRow | None:
        statement = sa.select(outbox).where(
            outbox.c.number == number, outbox.c.status.in_(WAITING), outbox.c.tried_at.is_(None)
        )
        newest_first = statement.order_by(outbox.c.created_at.desc(), outbox.c.key.desc())
        rows = self.load_records(OutboxRow, newest_first)
        return next((row for row in rows if row.payload.get(RETRACTS)), None)

    def is_retraction_released(self, number: int) -> bool:
        released = sa.select(outbox.c.payload).where(outbox.c.number == number, outbox.c.released_at.is_not(None))
        return any(row.payload.get(RETRACTS) for row in self._connection.execute(released))


def _outbox_row(effect: Effect, now: datetime, sends: bool, place: int) -> Row:
    return as_row(
        effect,
        without={"approval", "renews", "due_at"},
        status=("held" if effect.approval else "pending") if sends else "skipped",
        attempts=0,
        created_at=now + timedelta(microseconds=place),
        next_attempt_at=effect.due_at or now,
    )

"""The outbox: effects written with the decision that causes them, each key once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.columns import chunks
from kipflow.adapters.store.statements import Row, as_row, count_new, find_record, load_records, mark_pending
from kipflow.adapters.store.tables.decisions import outbox
from kipflow.adapters.store.warnings import save_delivery
from kipflow.domain.errors import KipflowError
from kipflow.services.ports import CARD, GONE, RETRACTS, WAITING, WARNS, Effect, OutboxRow

#: What may have gone out: it was handed to its service, and the answer is not known.
_MAY_BE_OUT = sa.and_(outbox.c.tried_at.is_not(None), outbox.c.status.in_(("pending", "claimed")))
#: What went out once already is an update of it, whatever its state.
_IS_OUT = outbox.c.external_ref.is_not(None)
SETTLED: Row = {"claimed_by": None, "claimed_until": None, "tried_at": None}


def enqueue(connection: sa.Connection, effects: Iterable[Effect], *, now: datetime, status: str = "pending") -> int:
    """Add the effects whose key is new; how many. What needs approval is held until it has it.

    They go out in the order given: the time of each is a microsecond after the one before.
    """
    given = list(effects)
    renewed = [effect.key for effect in given if effect.renews and status == "pending"]
    if renewed:
        unsent = outbox.c.status.in_(GONE)
        connection.execute(sa.delete(outbox).where(outbox.c.key.in_(renewed), unsent))
    rows = (_outbox_row(effect, now, status, place) for place, effect in enumerate(given))
    return sum(count_new(connection, outbox, batch) for batch in chunks(rows))


def find_thread(connection: sa.Connection, number: int, channel: str) -> str | None:
    statement = (
        sa.select(outbox.c.external_ref, outbox.c.payload)
        .where(outbox.c.number == number, outbox.c.channel == "slack", outbox.c.status == "sent")
        .order_by(outbox.c.sent_at, outbox.c.key)
    )
    for row in connection.execute(statement):
        if row.payload.get("channel") == channel and not row.payload.get("in_thread"):
            return str(row.external_ref)
    return None


def load_cards(connection: sa.Connection, number: int) -> list[OutboxRow]:
    statement = sa.select(outbox).where(
        outbox.c.number == number, outbox.c.channel == "slack", outbox.c.status != "withdrawn"
    )
    rows = load_records(connection, OutboxRow, statement.order_by(outbox.c.created_at, outbox.c.key))
    return [row for row in rows if CARD in row.payload]


def rewrite(connection: sa.Connection, key: str, payload: Mapping[str, Any], *, now: datetime, approval: bool) -> None:
    """Raises `KipflowError` for an unknown key."""
    released = sa.and_(sa.literal(approval), outbox.c.status == "pending")
    again = sa.and_(outbox.c.status == "sent", outbox.c.external_ref != "")
    change_effect(
        connection,
        key,
        payload=dict(payload),
        status=sa.case((again, "held" if approval else "pending"), (released, "held"), else_=outbox.c.status),
        attempts=sa.case((again, 0), else_=outbox.c.attempts),
        next_attempt_at=sa.case(
            (again, sa.bindparam("again_at", now, outbox.c.next_attempt_at.type)), else_=outbox.c.next_attempt_at
        ),
    )


def mark_sent(
    connection: sa.Connection, key: str, *, at: datetime, external_ref: str, payload: Mapping[str, Any] | None = None
) -> None:
    """Note that an effect went out, and what it delivers. Raises `KipflowError` for an unknown key."""
    change_effect(
        connection,
        key,
        status="sent",
        sent_at=sa.func.coalesce(outbox.c.sent_at, sa.bindparam("first", at, outbox.c.sent_at.type)),
        external_ref=external_ref,
        attempts=outbox.c.attempts + 1,
        last_error=None,
        **SETTLED,
    )
    row = connection.execute(sa.select(outbox).where(outbox.c.key == key)).one()
    if payload is not None and CARD in row.payload and row.payload != payload:
        # what a person released was what it said then
        change_effect(connection, key, status="held" if row.released_at else "pending", next_attempt_at=at)
    if WARNS in row.payload and row.number is not None:
        silent_at = datetime.fromisoformat(row.payload[WARNS])
        if save_delivery(connection, row.number, silent_at=silent_at, at=at, key=key):
            mark_pending(connection, [row.number], at)


def mark_failed(
    connection: sa.Connection,
    key: str,
    *,
    error: str,
    next_attempt_at: datetime | None,
    tried_at: datetime | None = None,
) -> None:
    """Count an attempt and put the effect back. Raises `KipflowError` for an unknown key."""
    changes: Row = {"attempts": outbox.c.attempts + 1, "last_error": error, **SETTLED, "tried_at": tried_at}
    if next_attempt_at is None:
        changes["status"] = "failed" if tried_at is None else "unsure"
    else:
        changes |= {"status": "pending", "next_attempt_at": next_attempt_at}
    change_effect(connection, key, **changes)


def load_status(connection: sa.Connection, keys: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    status = sa.case((_IS_OUT, "sent"), (_MAY_BE_OUT, "unsure"), else_=outbox.c.status).label("status")
    for chunk in chunks(keys):
        rows = connection.execute(sa.select(outbox.c.key, status).where(outbox.c.key.in_(chunk)))
        found.update((row.key, row.status) for row in rows)
    return found


def find(connection: sa.Connection, key: str) -> OutboxRow | None:
    return find_record(connection, OutboxRow, sa.select(outbox).where(outbox.c.key == key))


def find_message(connection: sa.Connection, reference: str) -> OutboxRow | None:
    wanted = sa.select(outbox).where(outbox.c.channel == "slack", outbox.c.external_ref == reference)
    return find_record(connection, OutboxRow, wanted)


def withdraw(connection: sa.Connection, keys: Iterable[str], *, why: str, updates: bool = False) -> int:
    """They stay stored, with the reason."""
    unsent = sa.true() if updates else ~_IS_OUT
    return sum(
        connection.execute(
            sa.update(outbox)
            .where(outbox.c.key.in_(chunk), outbox.c.status.in_(WAITING), outbox.c.tried_at.is_(None), unsent)
            .values(status="withdrawn", last_error=why[:500])
        ).rowcount
        for chunk in chunks(keys)
    )


def load_channel(connection: sa.Connection, channel: str, status: Collection[str] = ()) -> tuple[OutboxRow, ...]:
    statement = sa.select(outbox).where(outbox.c.channel == channel)
    wanted = statement.where(outbox.c.status.in_(status)) if status else statement
    return load_records(connection, OutboxRow, wanted.order_by(outbox.c.created_at, outbox.c.key))


def load_unreleased_retractions(connection: sa.Connection) -> frozenset[int]:
    statement = sa.select(outbox.c.number, outbox.c.payload).where(outbox.c.status == "held")
    rows = connection.execute(statement.where(outbox.c.number.is_not(None)))
    return frozenset(row.number for row in rows if row.payload.get(RETRACTS))


def find_waiting_retraction(connection: sa.Connection, number: int) -> OutboxRow | None:
    statement = sa.select(outbox).where(
        outbox.c.number == number, outbox.c.status.in_(WAITING), outbox.c.tried_at.is_(None)
    )
    newest = load_records(connection, OutboxRow, statement.order_by(outbox.c.created_at.desc(), outbox.c.key.desc()))
    return next((row for row in newest if row.payload.get(RETRACTS)), None)


def is_retraction_released(connection: sa.Connection, number: int) -> bool:
    released = sa.select(outbox.c.payload).where(outbox.c.number == number, outbox.c.released_at.is_not(None))
    return any(row.payload.get(RETRACTS) for row in connection.execute(released))


def _outbox_row(effect: Effect, now: datetime, status: str, place: int) -> Row:
    return as_row(
        effect,
        without={"approval", "renews", "due_at"},
        status="held" if effect.approval and status == "pending" else status,
        attempts=0,
        created_at=now + timedelta(microseconds=place),
        next_attempt_at=effect.due_at or now,
    )


def change_effect(connection: sa.Connection, key: str, **changes: Any) -> None:
    statement = sa.update(outbox).where(outbox.c.key == key).values(changes)
    if connection.execute(statement).rowcount == 0:
        raise KipflowError(f"the outbox holds no effect {key!r}")

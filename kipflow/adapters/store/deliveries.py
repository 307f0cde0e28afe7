"""What becomes of the outbox's effects: claimed, sent, failed, rewritten, and what people say of them.

Only one deliverer at a time has a claim on a channel, so that nothing goes out twice or out of order. Leases run by the
database's own clock, the one that all deliverers share: those of machines differ, and a sandbox's runs faster. A row is
read with FOR UPDATE SKIP LOCKED and changed only while it is what was read: on PostgreSQL nobody waits for a row that
another one is claiming; on SQLite, where the lock is not written, the transaction is the only writer anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.statements import Row, from_row, mark_pending, read_clock
from kipflow.adapters.store.tables.decisions import outbox
from kipflow.adapters.store.warnings import save_delivery
from kipflow.domain.errors import KipflowError
from kipflow.domain.records import to_plain
from kipflow.services.ports import CARD, REFUSED_BY, RETRACTS, STOPPED, WARNS, EffectAct, Lease, OutboxRow

#: Words of people that are kept with an effect.
MOST_WORDS = 50
_CLAIMED = outbox.c.status == "claimed"
_SETTLED: Row = {"claimed_by": None, "claimed_until": None, "tried_at": None}


def find_lease(connection: sa.Connection, channel: str) -> Lease | None:
    statement = sa.select(outbox.c.claimed_by, outbox.c.claimed_until).where(_CLAIMED, outbox.c.channel == channel)
    row = connection.execute(statement.where(outbox.c.claimed_until > read_clock(connection)).limit(1)).one_or_none()
    return None if row is None else Lease(by=row.claimed_by, until=row.claimed_until)


def claim_effect(
    connection: sa.Connection, channel: str, *, by: str, now: datetime, lease: timedelta, ended: str | None = None
) -> OutboxRow | None:
    """The next due effect of a channel, now in the hands of `by`; as it was before, but for that.

    A claimed one comes first: while its lease runs nobody gets another of its channel, and when it is over, what may
    have gone out is settled before what comes after it.
    """
    clock = read_clock(connection)
    is_over = sa.or_(outbox.c.claimed_until <= clock, outbox.c.claimed_by == ended)
    is_due = sa.and_(outbox.c.status == "pending", outbox.c.next_attempt_at <= now)
    first = (
        sa.select(outbox.c.key)
        .where(outbox.c.channel == channel, sa.or_(_CLAIMED, is_due))
        .order_by(sa.case((_CLAIMED, 0), else_=1), outbox.c.created_at, outbox.c.key)
        .limit(1)
        .scalar_subquery()
    )
    can_be_had = sa.or_(outbox.c.status == "pending", sa.and_(_CLAIMED, is_over))
    found = sa.select(outbox).where(outbox.c.key == first, can_be_had).with_for_update(skip_locked=True)
    row = connection.execute(found).one_or_none()
    if row is None:
        return None
    claim = {
        "status": "claimed",
        "claimed_by": by,
        "claimed_until": clock + lease,
        "tried_at": sa.func.coalesce(outbox.c.tried_at, sa.bindparam("tried", now, outbox.c.tried_at.type)),
    }
    changed = connection.execute(sa.update(outbox).where(outbox.c.key == row.key, can_be_had).values(claim)).rowcount
    return from_row(OutboxRow, row) if changed else None


def renew_lease(connection: sa.Connection, key: str, *, by: str, lease: timedelta) -> bool:
    """False where it is in somebody else's hands by now, or was settled."""
    mine = sa.update(outbox).where(outbox.c.key == key, _CLAIMED, outbox.c.claimed_by == by)
    return connection.execute(mine.values(claimed_until=read_clock(connection) + lease)).rowcount > 0


def mark_sent(
    connection: sa.Connection, key: str, *, at: datetime, external_ref: str, payload: Mapping[str, Any] | None = None
) -> None:
    """Note that an effect went out, and what it delivers. Raises `KipflowError` for an unknown key."""
    _change(
        connection,
        key,
        status="sent",
        sent_at=sa.func.coalesce(outbox.c.sent_at, sa.bindparam("first", at, outbox.c.sent_at.type)),
        external_ref=external_ref,
        attempts=outbox.c.attempts + 1,
        last_error=None,
        **_SETTLED,
    )
    row = connection.execute(sa.select(outbox).where(outbox.c.key == key)).one()
    if payload is not None and CARD in row.payload and row.payload != payload:
        # what a person released was what it said then
        _change(connection, key, status="held" if row.released_at else "pending", next_attempt_at=at)
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
    changes: Row = {"attempts": outbox.c.attempts + 1, "last_error": error, **_SETTLED, "tried_at": tried_at}
    if next_attempt_at is None:
        changes["status"] = "failed" if tried_at is None else "unsure"
    else:
        changes |= {"status": "pending", "next_attempt_at": next_attempt_at}
    _change(connection, key, **changes)


def rewrite(connection: sa.Connection, key: str, payload: Mapping[str, Any], *, now: datetime, approval: bool) -> None:
    """Raises `KipflowError` for an unknown key."""
    released = sa.and_(sa.literal(approval), outbox.c.status == "pending")
    again = sa.and_(outbox.c.status == "sent", outbox.c.external_ref != "")
    _change(
        connection,
        key,
        payload=dict(payload),
        status=sa.case((again, "held" if approval else "pending"), (released, "held"), else_=outbox.c.status),
        attempts=sa.case((again, 0), else_=outbox.c.attempts),
        next_attempt_at=sa.case(
            (again, sa.bindparam("again_at", now, outbox.c.next_attempt_at.type)), else_=outbox.c.next_attempt_at
        ),
    )


# -- a person's word ---------------------------------------------------------------------------------


def release_effect(connection: sa.Connection, key: str, *, by: str, at: datetime) -> bool:
    """An unsure one is sent without being looked for."""
    changes = {"status": "pending", "next_attempt_at": at, "attempts": 0, "released_by": by, "released_at": at}
    return _change_if(connection, key, outbox.c.status.in_(STOPPED), changes | _SETTLED, at)


def hold_effect(connection: sa.Connection, key: str, *, why: str, at: datetime) -> bool:
    refused = sa.and_(outbox.c.status == "withdrawn", outbox.c.last_error.startswith(REFUSED_BY, autoescape=True))
    waits = sa.and_(sa.or_(outbox.c.status == "pending", refused), outbox.c.tried_at.is_(None))
    changes = {"status": "held", "released_by": None, "released_at": None, "last_error": why[:500]}
    return _change_if(connection, key, waits, changes, at)


def note_act(connection: sa.Connection, key: str, act: EffectAct) -> None:
    """Keep what a person did with an effect, of many words the newest. Raises `KipflowError` for an unknown key."""
    # on PostgreSQL another operator's word waits until this one is kept; on SQLite there is one writer at a time
    known = connection.scalar(sa.select(outbox.c.words).where(outbox.c.key == key).with_for_update()) or []
    _change(connection, key, words=[*known, to_plain(act)][-MOST_WORDS:])


def confirm_sent(connection: sa.Connection, key: str, *, by: str, at: datetime) -> bool:
    unsure = sa.update(outbox).where(outbox.c.key == key, outbox.c.status == "unsure")
    if connection.execute(unsure.values(released_by=by, released_at=at)).rowcount == 0:
        return False
    mark_sent(connection, key, at=at, external_ref="")
    return True


def _change_if(connection: sa.Connection, key: str, where: sa.ColumnElement[bool], changes: Row, at: datetime) -> bool:
    """Change the effect if it meets `where`; False if not."""
    statement = sa.update(outbox).where(outbox.c.key == key, where).values(changes)
    row = connection.execute(statement.returning(outbox.c.number, outbox.c.payload)).one_or_none()
    # whether a retraction may be known changes what the messages of its votes say
    if row is not None and RETRACTS in row.payload and row.number is not None:
        mark_pending(connection, [row.number], at)
    return row is not None


def _change(connection: sa.Connection, key: str, **changes: Any) -> None:
    statement = sa.update(outbox).where(outbox.c.key == key).values(changes)
    if connection.execute(statement).rowcount == 0:
        raise KipflowError(f"the outbox holds no effect {key!r}")

"""Claims: one deliverer at a time has a channel's next effect in hand, so that nothing goes out twice or out of order.

Leases run by the database's own clock, the one that all deliverers share: those of machines differ, and a sandbox's
runs faster. A row is read with FOR UPDATE SKIP LOCKED and changed only while it is what was read: on PostgreSQL nobody
waits for a row that another one is claiming; on SQLite, where the lock is not written, the transaction is the only
writer anyway.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa

from kipflow.adapters.store.statements import from_row, read_clock
from kipflow.adapters.store.tables.decisions import outbox
from kipflow.services.ports import Claim, OutboxRow

_CLAIMED = outbox.c.status == "claimed"


def find_claim(connection: sa.Connection, channel: str) -> Claim | None:
    statement = sa.select(outbox.c.claimed_by, outbox.c.claimed_until).where(_CLAIMED, outbox.c.channel == channel)
    row = connection.execute(statement.where(outbox.c.claimed_until > read_clock(connection)).limit(1)).one_or_none()
    return None if row is None else Claim(by=row.claimed_by, until=row.claimed_until)


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


def renew_claim(connection: sa.Connection, key: str, *, by: str, lease: timedelta) -> bool:
    """False where it is in somebody else's hands by now, or was settled."""
    mine = sa.update(outbox).where(outbox.c.key == key, _CLAIMED, outbox.c.claimed_by == by)
    return connection.execute(mine.values(claimed_until=read_clock(connection) + lease)).rowcount > 0

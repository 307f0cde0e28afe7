"""Delivery of the outbox's effects: leases, results, rewrites, and what people decide about them.

Only one deliverer at a time has a lease on a channel, so that nothing is sent twice or out of order. Leases use the
database's clock, because all deliverers share it: clocks of machines differ, and a sandbox's runs faster. A row is
read with FOR UPDATE SKIP LOCKED, and updated only if it is unchanged: on PostgreSQL nobody waits for a row that another
deliverer is claiming. SQLite ignores the lock, but there the transaction is the only writer.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.part import Part, Row, from_row, read_clock
from kipflow.adapters.store.tables.outbox import outbox
from kipflow.adapters.store.warnings import Warnings
from kipflow.domain.errors import KipflowError
from kipflow.domain.records import to_plain
from kipflow.services.ports.effects import CARD, REFUSED_BY, RETRACTS, STOPPED, WARNS, EffectAct, Lease, OutboxRow

#: Decisions of people that are kept with an effect.
MOST_WORDS = 50
_CLAIMED = outbox.c.status == "claimed"
_SETTLED: Row = {"claimed_by": None, "claimed_until": None, "tried_at": None}


class Deliveries(Part):
    """The half of `SqlOutbox` for delivery, and for what people decide about it."""

    def find_lease(self, channel: str) -> Lease | None:
        runs = sa.and_(_CLAIMED, outbox.c.claimed_until > read_clock(self._connection))
        statement = sa.select(outbox.c.claimed_by, outbox.c.claimed_until).where(runs, outbox.c.channel == channel)
        row = self._connection.execute(statement.limit(1)).one_or_none()
        return None if row is None else Lease(by=row.claimed_by, until=row.claimed_until)

    def claim(
        self, channel: str, *, by: str, now: datetime, lease: timedelta, ended: str | None = None
    ) -> OutboxRow | None:
        """The effect is returned as it was before the claim.

        A claimed effect comes first: while its lease runs, nobody gets another effect of its channel. After the lease,
        what may have been sent is settled before the next effects.
        """
        clock = read_clock(self._connection)
        is_over = sa.or_(outbox.c.claimed_until <= clock, outbox.c.claimed_by == ended)
        is_due = sa.and_(outbox.c.status == "pending", outbox.c.next_attempt_at <= now)
        first = (
            sa.select(outbox.c.key)
            .where(outbox.c.channel == channel, sa.or_(_CLAIMED, is_due))
            .order_by(sa.case((_CLAIMED, 0), else_=1), outbox.c.created_at, outbox.c.key)
            .limit(1)
            .scalar_subquery()
        )
        can_be_claimed = sa.or_(outbox.c.status == "pending", sa.and_(_CLAIMED, is_over))
        found = sa.select(outbox).where(outbox.c.key == first, can_be_claimed).with_for_update(skip_locked=True)
        row = self._connection.execute(found).one_or_none()
        if row is None:
            return None
        claim = {
            "status": "claimed",
            "claimed_by": by,
            "claimed_until": clock + lease,
            "tried_at": sa.func.coalesce(outbox.c.tried_at, sa.bindparam("tried", now, outbox.c.tried_at.type)),
        }
        update = sa.update(outbox).where(outbox.c.key == row.key, can_be_claimed).values(claim)
        return from_row(OutboxRow, row) if self._connection.execute(update).rowcount else None

    def renew_lease(self, key: str, *, by: str, lease: timedelta) -> bool:
        mine = sa.update(outbox).where(outbox.c.key == key, _CLAIMED, outbox.c.claimed_by == by)
        return self._connection.execute(mine.values(claimed_until=read_clock(self._connection) + lease)).rowcount > 0

    def mark_sent(self, key: str, *, at: datetime, external_ref: str, payload: Mapping[str, Any] | None = None) -> None:
        """Raises `KipflowError` for an unknown key."""
        self._change(
            key,
            status="sent",
            sent_at=sa.func.coalesce(outbox.c.sent_at, sa.bindparam("first", at, outbox.c.sent_at.type)),
            external_ref=external_ref,
            attempts=outbox.c.attempts + 1,
            last_error=None,
            **_SETTLED,
        )
        row = self._connection.execute(sa.select(outbox).where(outbox.c.key == key)).one()
        if payload is not None and CARD in row.payload and row.payload != payload:
            # the release was for the earlier text
            self._change(key, status="held" if row.released_at else "pending", next_attempt_at=at)
        if WARNS in row.payload and row.number is not None:
            silent_at = datetime.fromisoformat(row.payload[WARNS])
            warnings = self.part(Warnings)
            if warnings.save_delivery(row.number, silent_at=silent_at, at=at, key=key):
                self.mark_pending([row.number], at)

    def mark_failed(
        self, key: str, *, error: str, next_attempt_at: datetime | None, tried_at: datetime | None = None
    ) -> None:
        """Raises `KipflowError` for an unknown key."""
        changes: Row = {"attempts": outbox.c.attempts + 1, "last_error": error, **_SETTLED, "tried_at": tried_at}
        if next_attempt_at is None:
            changes["status"] = "failed" if tried_at is None else "unsure"
        else:
            changes |= {"status": "pending", "next_attempt_at": next_attempt_at}
        self._change(key, **changes)

    def rewrite(self, key: str, payload: Mapping[str, Any], *, now: datetime, approval: bool) -> None:
        """Raises `KipflowError` for an unknown key."""
        released = sa.and_(sa.literal(approval), outbox.c.status == "pending")
        again = sa.and_(outbox.c.status == "sent", outbox.c.external_ref != "")
        self._change(
            key,
            payload=dict(payload),
            status=sa.case((again, "held" if approval else "pending"), (released, "held"), else_=outbox.c.status),
            attempts=sa.case((again, 0), else_=outbox.c.attempts),
            next_attempt_at=sa.case(
                (again, sa.bindparam("again_at", now, outbox.c.next_attempt_at.type)), else_=outbox.c.next_attempt_at
            ),
        )

    # -- decisions of people -----------------------------------------------------------------------------

    def release(self, key: str, *, by: str, at: datetime) -> bool:
        """An unsure effect is sent without a search for an earlier copy."""
        changes = {"status": "pending", "next_attempt_at": at, "attempts": 0, "released_by": by, "released_at": at}
        return self._change_if(key, outbox.c.status.in_(STOPPED), changes | _SETTLED, at)

    def hold(self, key: str, *, why: str, at: datetime) -> bool:
        refused = sa.and_(outbox.c.status == "withdrawn", outbox.c.last_error.startswith(REFUSED_BY, autoescape=True))
        waits = sa.and_(sa.or_(outbox.c.status == "pending", refused), outbox.c.tried_at.is_(None))
        changes = {"status": "held", "released_by": None, "released_at": None, "last_error": why[:500]}
        return self._change_if(key, waits, changes, at)

    def note_act(self, key: str, word: EffectAct) -> None:
        """Only the newest ones are kept. Raises `KipflowError` for an unknown key."""
        # PostgreSQL: another operator's decision waits until this one is stored; SQLite has one writer at a time
        known = self._connection.scalar(sa.select(outbox.c.words).where(outbox.c.key == key).with_for_update()) or []
        self._change(key, words=[*known, to_plain(word)][-MOST_WORDS:])

    def confirm_sent(self, key: str, *, by: str, at: datetime) -> bool:
        unsure = sa.update(outbox).where(outbox.c.key == key, outbox.c.status == "unsure")
        if self._connection.execute(unsure.values(released_by=by, released_at=at)).rowcount == 0:
            return False
        self.mark_sent(key, at=at, external_ref="")
        return True

    def _change_if(self, key: str, where: sa.ColumnElement[bool], changes: Row, at: datetime) -> bool:
        """Change the effect if it meets `where`; False if not."""
        statement = sa.update(outbox).where(outbox.c.key == key, where).values(changes)
        row = self._connection.execute(statement.returning(outbox.c.number, outbox.c.payload)).one_or_none()
        # whether a retraction is released changes the messages of the proposal's votes
        if row is not None and RETRACTS in row.payload and row.number is not None:
            self.mark_pending([row.number], at)
        return row is not None

    def _change(self, key: str, **changes: Any) -> None:
        statement = sa.update(outbox).where(outbox.c.key == key).values(changes)
        if self._connection.execute(statement).rowcount == 0:
            raise KipflowError(f"the outbox holds no effect {key!r}")

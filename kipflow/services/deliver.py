"""Send the outbox's effects: each once, in order within its channel, later if a service asks for that.

An effect is claimed before it is sent, so that two deliveries never send the same one. After a crash or a lost answer
it is unknown whether it went out: before it is sent again, the service is asked whether it is there; if the service
can't say, a person is asked.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from kipflow.domain.errors import DeliveryUnclear, KipflowError, RateLimited, Refused
from kipflow.services.effect_kinds.kind import EffectKind
from kipflow.services.ports import OutboxRow, Report, Store

#: After so many attempts the effect is marked as failed; a person can release it again.
MAX_ATTEMPTS = 8
#: The most effects of one channel in one delivery.
MAX_PER_DELIVERY = 200
FIRST_DELAY = timedelta(minutes=1)
MAX_DELAY = timedelta(hours=6)
#: How long a lease on an effect lasts, in real time: longer than the slowest answer to a request.
LEASE = timedelta(minutes=10)
#: Seconds within which the request of a crashed delivery may still arrive.
SETTLE = 3.0


class Deliverer(Protocol):
    """A delivering process: its unique `name`, and whether another one is known to have ended."""

    @property
    def name(self) -> str: ...

    def is_gone(self, name: str) -> bool: ...


def deliver(
    store: Store,
    kinds: Mapping[str, EffectKind],
    *,
    now: datetime,
    by: Deliverer,
    wait: Callable[[float], None] = time.sleep,
) -> Report:
    """Send the due effects of the channels that `kinds` has.

    If one has to wait (`RateLimited`), the rest of its channel waits for the next run too.
    `now` is the community's time; leases run by the database's.
    """
    run = _Run(store, now, by, wait)
    for channel, kind in kinds.items():
        for _ in range(MAX_PER_DELIVERY):
            row = run.claim(channel)
            if row is None or not run.settle(row, kind):
                break
    return Report(counts=run.counts, warnings=tuple(run.warnings))


class _Run:
    """One delivery with its counts and warnings."""

    def __init__(self, store: Store, now: datetime, by: Deliverer, wait: Callable[[float], None]) -> None:
        self._store, self._now, self._by, self._wait = store, now, by, wait
        self.counts = {"sent": 0, "failed": 0, "postponed": 0}
        self.warnings: list[str] = []

    def claim(self, channel: str) -> OutboxRow | None:
        """Claim the next effect of a channel; None if there is none, or another delivery holds the channel."""
        with self._store.begin() as session:
            claim = session.outbox.find_lease(channel)
            ended = claim.by if claim is not None and self._by.is_gone(claim.by) else None
            if claim is None or ended is not None:
                return session.outbox.claim(channel, by=self._by.name, now=self._now, lease=LEASE, ended=ended)
        self.warnings.append(
            f"{channel}: another delivery is running and sends what is due; if it has crashed, "
            f"its effect is checked after {claim.until:%H:%M:%S} UTC"
        )
        return None

    def settle(self, row: OutboxRow, kind: EffectKind) -> bool:
        """Send a claimed effect, unless it is there already. Returns False if its channel must wait."""
        tried_at = row.tried_at
        sent: Mapping[str, Any] = row.payload
        try:
            reference = None
            if tried_at is not None:
                reference = self._look(row, kind)
                sent = {}  # what is there may be an earlier version
                if reference is None and not self._renew(row):
                    return False
            if reference is None:
                tried_at, sent = None, row.payload
                reference = self._send(row, kind)
        except RateLimited as error:
            self._requeue(row, error, self._now + timedelta(seconds=error.retry_after), tried_at)
            self.counts["postponed"] += 1
            return False
        except _DeliveryUnknown as error:
            self._fail(row, error.cause, self._now)
        except KipflowError as error:
            self._fail(row, error, tried_at)
        else:
            with self._store.begin() as session:
                session.outbox.mark_sent(row.key, at=self._now, external_ref=reference, payload=sent)
            self.counts["sent"] += 1
        return True

    def _look(self, row: OutboxRow, kind: EffectKind) -> str | None:
        """The result of an earlier attempt; looked for twice, as its request may still be under way."""
        found = kind.find(row)
        if found is None:
            self._wait(SETTLE)
            found = kind.find(row)
        return found

    def _renew(self, row: OutboxRow) -> bool:
        with self._store.begin() as session:
            return session.outbox.renew_lease(row.key, by=self._by.name, lease=LEASE)

    def _send(self, row: OutboxRow, kind: EffectKind) -> str:
        """Send it; after a lost answer, look for it at once.

        Raises:
            _FateOpen: it may have gone out.
        """
        try:
            return kind.send(row)
        except (RateLimited, Refused):
            raise
        except KipflowError as error:
            try:
                found = kind.find(replace(row, tried_at=self._now))
            except KipflowError:
                found = None
            if found is None:
                raise _DeliveryUnknown(error) from None
            return found

    def _fail(self, row: OutboxRow, error: KipflowError, tried_at: datetime | None) -> None:
        gives_up = row.attempts + 1 >= MAX_ATTEMPTS or isinstance(error, DeliveryUnclear)
        self._requeue(row, error, None if gives_up else self._now + _delay(row), tried_at)
        self.counts["failed"] += 1

    def _requeue(self, row: OutboxRow, error: KipflowError, at: datetime | None, tried_at: datetime | None) -> None:
        with self._store.begin() as session:
            session.outbox.mark_failed(row.key, error=str(error)[:500], next_attempt_at=at, tried_at=tried_at)
        self.warnings.append(f"{row.key}: {error}")


class _DeliveryUnknown(Exception):
    """An effect was handed to its service, and it is unknown whether it went out."""

    def __init__(self, cause: KipflowError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _delay(row: OutboxRow) -> timedelta:
    """Exponential backoff, with a spread derived from the row's key, so that many rows are not retried at once."""
    spread = random.Random(f"{row.key}/{row.attempts}").uniform(0.8, 1.2)  # noqa: S311 - not a secret
    delay: timedelta = FIRST_DELAY * (2.0**row.attempts * spread)
    return min(delay, MAX_DELAY)

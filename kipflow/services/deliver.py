"""Send what the outbox holds: at least once, each key once, later when a service says so."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from kipflow.domain.errors import KipflowError, RateLimited
from kipflow.services.ports import Chat, OutboxRow, Report, Store

#: After so many tries a person must look; the row stays, marked as failed, and can be released again.
MAX_ATTEMPTS = 8
FIRST_DELAY = timedelta(minutes=1)
MAX_DELAY = timedelta(hours=6)

Handler = Callable[[OutboxRow], str]


def deliver(store: Store, handlers: Mapping[str, Handler], *, now: datetime, limit: int = 200) -> Report:
    """Send the due effects of the channels that `handlers` know.

    A handler takes a row and returns a reference to what it made. When one is told to wait
    (`RateLimited`), the rest of its channel waits for the next run as well.
    """
    sent = failed = later = 0
    warnings: list[str] = []
    for channel, handle in handlers.items():
        with store.begin() as session:
            due = session.load_due_effects(now, channel=channel, limit=limit)
        for row in due:
            try:
                reference = handle(row)
            except RateLimited as error:
                _postpone(store, row, str(error), now + timedelta(seconds=error.retry_after))
                warnings.append(f"{channel}: {error}")
                later += 1
                break
            except KipflowError as error:
                gives_up = row.attempts + 1 >= MAX_ATTEMPTS
                _postpone(store, row, str(error), None if gives_up else now + _delay(row))
                warnings.append(f"{row.key}: {error}")
                failed += 1
                continue
            with store.begin() as session:
                session.mark_sent(row.key, at=now, external_ref=reference)
            sent += 1
    return Report(counts={"sent": sent, "failed": failed, "postponed": later}, warnings=tuple(warnings))


def slack_handler(chat: Chat, store: Store) -> Handler:
    """Post a row's payload to its Slack channel, below the first message on its proposal where it asks for that."""

    def post(row: OutboxRow) -> str:
        payload: Mapping[str, Any] = row.payload
        channel, thread = str(payload["channel"]), None
        if payload.get("in_thread") and row.number is not None:
            with store.begin() as session:
                thread = session.find_thread(row.number, channel)
        return chat.post(channel, str(payload["text"]), list(payload["blocks"]), key=row.key, thread=thread)

    return post


def _postpone(store: Store, row: OutboxRow, error: str, at: datetime | None) -> None:
    with store.begin() as session:
        session.mark_failed(row.key, error=error[:500], next_attempt_at=at)


def _delay(row: OutboxRow) -> timedelta:
    """Doubling, with a spread that the row's key fixes, so that a crowd does not come back at once."""
    spread = random.Random(f"{row.key}/{row.attempts}").uniform(0.8, 1.2)  # noqa: S311 - not a secret
    delay: timedelta = FIRST_DELAY * (2.0**row.attempts * spread)
    return min(delay, MAX_DELAY)

"""A person's word on an effect: let it go, have it wait again, say that it went out; and what was said of it so far."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.outbox import SETTLED, change_effect, mark_sent
from kipflow.adapters.store.statements import mark_pending
from kipflow.adapters.store.tables.decisions import outbox
from kipflow.domain.records import to_plain
from kipflow.services.ports import REFUSED_BY, RETRACTS, STOPPED, EffectWord

#: Words of people that are kept with an effect.
MOST_WORDS = 50


def release_effect(connection: sa.Connection, key: str, *, by: str, at: datetime) -> bool:
    """An unsure one is sent without being looked for."""
    statement = (
        sa.update(outbox)
        .where(outbox.c.key == key, outbox.c.status.in_(STOPPED))
        .values(status="pending", next_attempt_at=at, attempts=0, released_by=by, released_at=at, **SETTLED)
    )
    if connection.execute(statement).rowcount == 0:
        return False
    _mark_after_retraction(connection, key, at)
    return True


def hold_effect(connection: sa.Connection, key: str, *, why: str, at: datetime) -> bool:
    refused = sa.and_(outbox.c.status == "withdrawn", outbox.c.last_error.startswith(REFUSED_BY, autoescape=True))
    statement = (
        sa.update(outbox)
        .where(outbox.c.key == key, sa.or_(outbox.c.status == "pending", refused), outbox.c.tried_at.is_(None))
        .values(status="held", released_by=None, released_at=None, last_error=why[:500])
    )
    if connection.execute(statement).rowcount == 0:
        return False
    _mark_after_retraction(connection, key, at)
    return True


def note_word(connection: sa.Connection, key: str, word: EffectWord) -> None:
    """Keep what a person did with an effect, of many words the newest. Raises `KipflowError` for an unknown key."""
    # on PostgreSQL another operator's word waits until this one is kept; on SQLite there is one writer at a time
    known = connection.scalar(sa.select(outbox.c.words).where(outbox.c.key == key).with_for_update()) or []
    change_effect(connection, key, words=[*known, to_plain(word)][-MOST_WORDS:])


def _mark_after_retraction(connection: sa.Connection, key: str, at: datetime) -> None:
    """Whether a retraction may be known changes what the messages of its votes say."""
    row = connection.execute(sa.select(outbox.c.number, outbox.c.payload).where(outbox.c.key == key)).one()
    if RETRACTS in row.payload and row.number is not None:
        mark_pending(connection, [row.number], at)


def confirm_sent(connection: sa.Connection, key: str, *, by: str, at: datetime) -> bool:
    unsure = sa.update(outbox).where(outbox.c.key == key, outbox.c.status == "unsure")
    if connection.execute(unsure.values(released_by=by, released_at=at)).rowcount == 0:
        return False
    mark_sent(connection, key, at=at, external_ref="")
    return True

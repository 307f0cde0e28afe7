"""Rulings: a person's word, kept for good; revoking one is noted beside it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.statements import Row, add_proposals, mark_pending
from kipflow.adapters.store.tables import message_proposal, ruling
from kipflow.domain.errors import KipflowError
from kipflow.domain.facts import Ruling


def save_ruling(connection: sa.Connection, found: Ruling) -> int:
    """Store a ruling and give its id. The same word of the same person at the same moment is stored once."""
    same = sa.select(ruling.c.id).where(
        ruling.c.target == found.target,
        ruling.c.kind == found.kind,
        ruling.c.number.is_(None) if found.number is None else ruling.c.number == found.number,
        ruling.c.author == found.author,
        ruling.c.made_at == found.made_at,
    )
    known = connection.scalar(same)
    if known is not None:
        return int(known)
    numbers = _find_numbers(connection, found.number, found.target)
    add_proposals(connection, numbers)
    row: Row = {
        "number": found.number,
        "kind": found.kind,
        "target": found.target,
        "value": found.value,
        "author": found.author,
        "reason": found.reason,
        "made_at": found.made_at,
    }
    new = connection.execute(sa.insert(ruling).values(row).returning(ruling.c.id)).scalar_one()
    mark_pending(connection, numbers, found.made_at)
    return int(new)


def revoke_ruling(connection: sa.Connection, ruling_id: int, *, at: datetime, by: str) -> None:
    """Let a ruling stop counting from `at`. One that is revoked already stays as it is.

    Raises:
        KipflowError: there is no such ruling.
    """
    held = connection.execute(sa.select(ruling).where(ruling.c.id == ruling_id)).one_or_none()
    if held is None:
        raise KipflowError(f"no ruling {ruling_id} is known; the board shows those of a proposal")
    if held.revoked_at is not None:
        return
    statement = sa.update(ruling).where(ruling.c.id == ruling_id).values(revoked_at=at, revoked_by=by)
    connection.execute(statement)
    mark_pending(connection, _find_numbers(connection, held.number, held.target), at)


def load_rulings(connection: sa.Connection, number: int) -> tuple[Ruling, ...]:
    """The rulings on the proposal, and on ballots in its mails where they name no proposal; by time."""
    its_mails = sa.select(message_proposal.c.message_id).where(message_proposal.c.number == number)
    unnamed = sa.and_(ruling.c.number.is_(None), ruling.c.kind == "ballot", ruling.c.target.in_(its_mails))
    statement = (
        sa.select(ruling).where(sa.or_(ruling.c.number == number, unnamed)).order_by(ruling.c.made_at, ruling.c.id)
    )
    return tuple(_ruling(row) for row in connection.execute(statement))


def _find_numbers(connection: sa.Connection, number: int | None, target: str) -> set[int]:
    """The proposals that a ruling bears on: the one it names, else those of the mail it is about."""
    if number is not None:
        return {number}
    statement = sa.select(message_proposal.c.number).where(message_proposal.c.message_id == target)
    return set(connection.scalars(statement))


def _ruling(row: sa.Row[Any]) -> Ruling:
    values = dict(row._mapping)
    del values["revoked_by"]
    return Ruling(**values)

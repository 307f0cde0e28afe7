"""Rulings: a person's word, kept for good; revoking one is noted beside it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store.numbering import mark_followers
from kipflow.adapters.store.statements import (
    RULING_LOCK,
    add_proposals,
    as_row,
    iter_matching,
    load_records,
    lock,
    mark_pending,
)
from kipflow.adapters.store.tables.decisions import ballot
from kipflow.adapters.store.tables.facts import message, message_proposal, ruling
from kipflow.domain.errors import KipflowError
from kipflow.domain.facts import Ruling
from kipflow.domain.identity_rulings import IDENTITY, find_keys
from kipflow.domain.people import Mailbox, clean_address, fold_name


def save_ruling(connection: sa.Connection, found: Ruling) -> int:
    """Store a ruling and give its id. The same word of the same person at the same moment is stored once.

    Another word at that moment is another ruling (people date rulings by the day), and so is one that was revoked.
    """
    lock(connection, RULING_LOCK)
    same = sa.select(ruling.c.id, ruling.c.value).where(
        ruling.c.target == found.target,
        ruling.c.kind == found.kind,
        ruling.c.number.is_(None) if found.number is None else ruling.c.number == found.number,
        ruling.c.author == found.author,
        ruling.c.made_at == found.made_at,
        ruling.c.revoked_at.is_(None),
    )
    known = next((row.id for row in connection.execute(same) if row.value == found.value), None)
    if known is not None:
        return int(known)
    row = as_row(found, without={"id", "revoked_at", "revoked_by", "revoked_reason"})
    numbers = _find_numbers(connection, found)
    add_proposals(connection, numbers)
    new = connection.execute(sa.insert(ruling).values(row).returning(ruling.c.id)).scalar_one()
    _mark_affected(connection, found, numbers, found.made_at)
    return int(new)


def revoke_ruling(connection: sa.Connection, ruling_id: int, *, at: datetime, by: str, reason: str = "") -> None:
    """Let a ruling stop counting from `at`. One that is revoked already stays as it is.

    Raises:
        KipflowError: there is no such ruling.
    """
    lock(connection, RULING_LOCK)
    held = next(iter(_load(connection, ruling.c.id == ruling_id)), None)
    if held is None:
        raise KipflowError(f"no ruling {ruling_id} is known; `kipflow review rulings` lists them")
    if held.revoked_at is not None:
        return
    values = {"revoked_at": at, "revoked_by": by, "revoked_reason": reason}
    connection.execute(sa.update(ruling).where(ruling.c.id == ruling_id).values(values))
    _mark_affected(connection, held, _find_numbers(connection, held), at)


def _mark_affected(connection: sa.Connection, found: Ruling, numbers: Collection[int], at: datetime) -> None:
    mark_pending(connection, numbers, at)
    if found.kind == "number":
        mark_followers(connection, numbers, at)


def load_rulings(connection: sa.Connection, number: int) -> tuple[Ruling, ...]:
    """The rulings on the proposal, and on ballots in its mails where they name no proposal; by time.

    Those on who is who are not among them: `find_concerned` picks the ones that its votes have to do with.
    """
    its_mails = sa.select(message_proposal.c.message_id).where(message_proposal.c.number == number)
    unnamed = sa.and_(ruling.c.number.is_(None), ruling.c.kind == "ballot", ruling.c.target.in_(its_mails))
    return _load(connection, sa.or_(ruling.c.number == number, unnamed))


def load_all(connection: sa.Connection) -> tuple[Ruling, ...]:
    """Every ruling there is, by time; none is made or revoked until this transaction ends."""
    lock(connection, RULING_LOCK)
    return _load(connection)


# -- who is who --------------------------------------------------------------------------------------


def load_identities(connection: sa.Connection) -> tuple[Ruling, ...]:
    """The rulings on who is who, by time; revoked ones too."""
    return _load(connection, ruling.c.kind.in_(IDENTITY))


def load_standing_identities(connection: sa.Connection) -> tuple[Ruling, ...]:
    """Those that were not revoked, the newest first."""
    return tuple(r for r in reversed(load_identities(connection)) if r.revoked_at is None)


def find_voter_keys(connection: sa.Connection, number: int) -> set[str]:
    """Ids, addresses and folded names of those whose ballots the newest decision on the proposal saw."""
    columns = sa.select(ballot.c.voter, ballot.c.address, ballot.c.name).distinct()
    rows = connection.execute(columns.where(ballot.c.number == number))
    return {key for row in rows for key in (row.voter, clean_address(row.address), fold_name(row.name))}


def find_mailbox(connection: sa.Connection, key: str) -> Mailbox | None:
    """A mailbox as the newest mail from it shows it: by address, by a mail's id, or by name without one."""
    single = sa.select(message.c.author_name, message.c.author_address).where(message.c.message_id == key)
    mail = connection.execute(single).one_or_none() if key.startswith("<") else None
    if mail is not None:
        return Mailbox(key=key, name=mail.author_name, address=mail.author_address)
    columns = sa.select(message.c.author_name)
    newest = message.c.arrived_at.desc().nulls_last()
    name = connection.scalar(columns.where(message.c.author_address == key).order_by(newest).limit(1))
    if name is not None:
        return Mailbox(key=key, name=name)
    nameless = columns.where(message.c.author_address == "").distinct()
    shown = next((n for n in connection.scalars(nameless) if fold_name(n) == key), None)
    return None if shown is None else Mailbox(key=key, name=shown)


def find_first_mail(connection: sa.Connection, address: str) -> datetime | None:
    first = sa.select(sa.func.min(message.c.arrived_at)).where(message.c.author_address == address)
    found: datetime | None = connection.scalar(first)
    return found


def _find_numbers(connection: sa.Connection, found: Ruling) -> set[int]:
    """The proposals that a ruling affects: the one it names, those of the mail it is about, those of two people."""
    if found.number is not None:
        return {found.number}
    columns = sa.select(message_proposal.c.number).distinct()
    if found.kind not in IDENTITY:
        return set(connection.scalars(columns.where(message_proposal.c.message_id == found.target)))
    wanted = find_keys(found.value)
    joined = columns.join(message, message.c.message_id == message_proposal.c.message_id)
    numbers = {
        row.number
        for column in (message.c.author_address, message.c.message_id)
        for row in iter_matching(connection, joined, column, wanted)
    }
    voters = sa.select(ballot.c.number, ballot.c.voter, ballot.c.name).distinct()
    numbers.update(
        row.number for row in connection.execute(voters) if row.voter in wanted or fold_name(row.name) in wanted
    )
    return numbers


def _load(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> tuple[Ruling, ...]:
    return load_records(connection, Ruling, sa.select(ruling).where(*where).order_by(ruling.c.made_at, ruling.c.id))

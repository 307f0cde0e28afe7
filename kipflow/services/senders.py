"""Senders who claim to be somebody known: what speaks for them, and a person's word that they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from kipflow.domain.people import clean_address
from kipflow.domain.roster import Roster
from kipflow.services.board import SenderRow
from kipflow.services.desk import Word
from kipflow.services.ports import Store
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.rulings import Recorded
from kipflow.services.who_is_who import rule_identity


def accept_sender(
    store: Store,
    roster: Roster,
    address: str,
    person: str,
    word: Word,
    *,
    since: datetime | None = None,
) -> Recorded:
    """Record that an address, or a single mail by its id, is a roster person's, who is named by id or address.

    `since`: from when on; None: from the first mail that is held of the address.

    Raises:
        BadRuling: nobody of the roster, nothing that came from there, or a contradiction to a standing ruling.
    """
    known = roster.by_id.get(roster.node(person)) or roster.by_id.get(roster.node(clean_address(person)))
    if known is None:
        raise BadRuling(f"{person!r} is nobody of the roster; `kipflow roster show` lists who is")
    if since is None and not address.startswith("<"):
        with store.read() as session:
            since = session.mail.find_first_mail(clean_address(address))
    return rule_identity(store, roster, address, known.id, same=True, word=word, since=since)


def pick_lines(rows: Sequence[SenderRow], lines: str) -> list[SenderRow]:
    """The rows that "1,3-5" names, counted from 1.

    Raises:
        BadRuling: it names none, or one that is not there.
    """
    picked: dict[int, SenderRow] = {}
    for part in lines.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,6})(?:\s*-\s*([0-9]{1,6}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match is not None else (0, 0)
        if not 1 <= first <= last <= len(rows):
            raise BadRuling(f"{part.strip()!r} is no line of the list, which has {len(rows)}")
        picked.update((number, rows[number - 1]) for number in range(first, last + 1))
    return list(picked.values())


def pick_domain(rows: Sequence[SenderRow], domain: str) -> list[SenderRow]:
    """The rows of addresses at a domain. Single mails are left out: there the address itself is in question."""
    wanted = domain.strip().lower().removeprefix("@")
    return [r for r in rows if not r.sender.startswith("<") and r.sender.partition("@")[2] == wanted]


def check_pick(rows: Sequence[SenderRow]) -> None:
    """Refuse to give one sender to two people.

    Raises:
        BadRuling: nobody is picked, or somebody for two people.
    """
    if not rows:
        raise BadRuling("nobody is asked about who fits that; `kipflow review senders` lists them")
    taken: dict[str, str] = {}
    for row in rows:
        if taken.setdefault(row.sender, row.person) != row.person:
            raise BadRuling(f"{row.sender} may be {taken[row.sender]} or {row.person}: accept one of the lines")

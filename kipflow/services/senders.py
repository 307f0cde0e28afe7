"""Senders who claim to be somebody known: what speaks for them, and a person's word that they are."""

from __future__ import annotations

from datetime import datetime

from kipflow.domain.roster import Roster, clean_address
from kipflow.services.ports import Store
from kipflow.services.rulings import BadRuling, Recorded
from kipflow.services.who_is_who import rule_identity


def accept_sender(
    store: Store,
    roster: Roster,
    address: str,
    person: str,
    *,
    author: str,
    reason: str,
    at: datetime,
    since: datetime | None = None,
) -> Recorded:
    """Record that an address, or a single mail, is a roster person's.

    Args:
        store: where mails and rulings are.
        roster: who is who by the roster file.
        address: the address, or the id of a mail where only that mail is meant.
        person: an id or an address of the roster.
        author, reason: who says so, and why.
        at: the present.
        since: from when on; None: from the first mail that is held of the address.

    Raises:
        BadRuling: nobody of the roster, nothing that came from there, or a contradiction to a standing ruling.
    """
    known = roster.by_id.get(roster.node(person)) or roster.by_id.get(roster.node(clean_address(person)))
    if known is None:
        raise BadRuling(f"{person!r} is nobody of the roster; `kipflow roster show` lists who is")
    if since is None and not address.startswith("<"):
        with store.read() as session:
            since = session.find_first_mail(clean_address(address))
    return rule_identity(store, roster, address, known.id, same=True, author=author, reason=reason, at=at, since=since)

"""Rulings on who is who: as verdicts for the roster, and which of them concern given votes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from kipflow.domain.facts import Ruling
from kipflow.domain.people import IdentityVerdict, Mailbox, clean_address, fold_name
from kipflow.domain.votes import Vote

#: Kinds of ruling on who is who: they name no proposal and apply to all.
IDENTITY = ("merge", "split")


def as_verdicts(found: Iterable[Ruling]) -> tuple[IdentityVerdict, ...]:
    """The rulings that are not revoked, as verdicts for the roster.

    They apply to all mail, whenever they were made, or from the day that they name on: like an address in the roster.
    """
    return tuple(
        IdentityVerdict(
            same=r.kind == "merge",
            one=_mailbox(r.value, "one"),
            other=_mailbox(r.value, "other"),
            by=r.author,
            reason=r.reason,
            at=r.made_at,
            ruling=r.id,
            since=datetime.fromisoformat(r.value["since"]) if r.value.get("since") else None,
        )
        for r in found
        if r.revoked_at is None
    )


def find_concerned(found: Iterable[Ruling], votes: Iterable[Vote]) -> tuple[Ruling, ...]:
    """The rulings that name somebody who voted in these votes, called one or announced an end."""
    rulings = tuple(found)
    if not rulings:
        return ()
    seen = {key for vote in votes for key in _find_writers(vote)}
    return tuple(r for r in rulings if concerns(r.value, seen))


def concerns(value: Mapping[str, Any], seen: Collection[str]) -> bool:
    """Whether a ruling on who is who names one of these voters, by id, address or folded name."""
    return any(key in seen for key in find_ruled_keys(value))


def find_ruled_keys(value: Mapping[str, Any]) -> set[str]:
    """The keys and names by which a ruling is found: those of the strangers among the two, else of both."""
    boxes = [_mailbox(value, side) for side in ("one", "other")]
    # the side that is not in the roster wrote the mail
    strangers = [box for box in boxes if "@" in box.key or " " in box.key]
    names = {key for box in strangers for key in (box.key, fold_name(box.name)) if key}
    return names or {box.key for box in boxes}


def _find_writers(vote: Vote) -> Iterator[str]:
    """The keys that rulings may use for authors of a vote's mails."""
    yield clean_address(vote.opened_by_address)
    yield vote.root_message_id
    for cast in vote.ballots:
        yield from (clean_address(cast.address), cast.voter, fold_name(cast.name), cast.message_id)
    for end in vote.claimed_ends:
        yield from (clean_address(end.address), fold_name(end.by), end.message_id)


def _mailbox(value: Mapping[str, Any], side: str) -> Mailbox:
    raw = value.get(side) or {}
    return Mailbox(key=str(raw.get("key", "")), name=str(raw.get("name", "")))

"""A person's word on what the rules leave open: a fact with author, reason and time, revocable.

A ruling that makes no sense is refused before anything is written. The same word twice is stored once: whoever
comes second gets the id of the first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from kipflow.domain.policy import Policy
from kipflow.domain.times import say_moment
from kipflow.services.assembly import load_facts
from kipflow.services.desk import ActContext
from kipflow.services.ports import Store
from kipflow.services.ruling_checks import CHECKS, BadRuling, RulingRequest, check_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The ruling that now says so; `is_new` is False where it was said before."""

    id: int
    is_new: bool


def settle(
    store: Store,
    *,
    number: int,
    kind: str,
    target: str,
    value: dict[str, Any],
    context: ActContext,
    asked: Collection[str] | None = None,
    policy: Policy | None = None,
) -> Recorded:
    """Record a ruling on proposal `number`, of one of the kinds that `CHECKS` has.

    `asked` are the kinds of the questions that are open on it; None: nobody looked. `policy` says whether it requires
    a reviewer; None: whoever looked at it is noted in any case.

    Raises:
        BadRuling: no reason or author, a value that the kind does not know, or nothing that it could be about.
    """
    said = context.checked()
    if kind not in CHECKS:
        raise BadRuling(f"{kind!r} is no kind of ruling on a proposal")
    with store.begin() as session:
        facts = load_facts(session, number)  # raises UnknownProposal before anything is written
        rulings = session.rulings.load_all()
        standing = [r for r in rulings if r.revoked_at is None and r.number == number and r.kind == kind]
        request = RulingRequest(
            session=session,
            facts=facts,
            target=target,
            value=value,
            standing=standing,
            asked=asked,
            policy=policy,
            at=said.at,
        )
        check_time(request)
        target, value = CHECKS[kind](request)
        same = [r.id for r in standing if r.target == target and r.value == value and r.id is not None]
        if same and kind not in {"stage", "care"}:
            return Recorded(id=same[0], is_new=False)
        if kind == "page" and asked is not None and "page" not in asked:
            raise BadRuling(f"nothing is asked about the page of {facts.key}: its votes hold as they are")
        ruling = said.as_ruling(kind, target, value, number=number)
        return Recorded(id=session.rulings.save(ruling), is_new=True)


def revoke(store: Store, ruling_id: int, context: ActContext) -> None:
    """Take a ruling back: it stays stored and stops counting from then on.

    Raises:
        BadRuling: nobody says so or says why, or the ruling is unknown or revoked already.
    """
    said = context.checked()
    with store.begin() as session:
        found = session.rulings.load_all()
        ruling = next((r for r in found if r.id == ruling_id), None)
        if ruling is None:
            raise BadRuling(f"no ruling {ruling_id} is known; `kipflow review rulings` lists them")
        if ruling.revoked_at is not None:
            raise BadRuling(
                f"ruling {ruling_id} was revoked by {ruling.revoked_by} on {say_moment(ruling.revoked_at)} already"
            )
        if said.at < ruling.made_at:
            raise BadRuling(
                f"ruling {ruling_id} was made on {say_moment(ruling.made_at)}: it cannot end before it began"
            )
        session.rulings.revoke(ruling_id, at=said.at, by=said.author, reason=said.reason)

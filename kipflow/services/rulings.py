"""A person's word on what the rules leave open: a fact with author, reason and time, revocable."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling
from kipflow.services.ports import Store

CHOICES = ("+1", "0", "-1", "none")


class BadRuling(KipflowError):
    """A ruling that says nothing the rules can use."""


def rule(
    store: Store,
    *,
    number: int,
    kind: str,
    target: str,
    value: dict[str, Any],
    author: str,
    reason: str,
    at: datetime,
) -> int:
    """Record a ruling on proposal `number` and return its id.

    Raises:
        BadRuling: no reason or author, a value that the kind does not know, or a ballot that no vote has.
    """
    if not author.strip() or not reason.strip():
        raise BadRuling("a ruling needs its author and a reason: --by NAME --reason TEXT")
    if kind == "ballot" and value.get("choice") not in CHOICES:
        raise BadRuling(f"a ballot is settled as one of {', '.join(CHOICES)}, not {value.get('choice')!r}")
    if kind == "stage" and value.get("stage") not in set(Stage):
        raise BadRuling(f"a stage is one of {', '.join(Stage)}, not {value.get('stage')!r}")
    if kind == "snooze":
        _check_time(value.get("until"))
    ruling = Ruling(
        id=None,
        number=number,
        kind=kind,
        target=target,
        value=value,
        author=author.strip(),
        reason=reason.strip(),
        made_at=at,
    )
    with store.begin() as session:
        facts = session.load_facts(number)  # raises UnknownProposal before anything is written
        if kind == "ballot" and not any(b.message_id == target for v in facts.votes for b in v.ballots):
            raise BadRuling(f"{target!r} is no ballot of {facts.key}; `kipflow status {number}` lists them by message")
        return session.save_ruling(ruling)


def revoke(store: Store, ruling_id: int, *, by: str, at: datetime) -> None:
    """Take a ruling back: it stays stored and stops counting from `at`."""
    if not by.strip():
        raise BadRuling("a revocation needs its author: --by NAME")
    with store.begin() as session:
        session.revoke_ruling(ruling_id, at=at, by=by.strip())


def _check_time(text: object) -> None:
    try:
        parsed = datetime.fromisoformat(str(text))
    except ValueError:
        raise BadRuling(f"a snooze ends at an ISO time, not {text!r}") from None
    if parsed.tzinfo is None:
        raise BadRuling("a snooze ends at a time with its zone, such as 2026-03-02T00:00:00+00:00")

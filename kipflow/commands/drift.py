"""`status --drift`: every disagreement with the facts, and the edit that settles it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from kipflow.commands.coverage import say_empty
from kipflow.commands.opening import find_now
from kipflow.commands.output import console, print_rows
from kipflow.domain.decisions import Decision, Drift
from kipflow.domain.events import Stage
from kipflow.domain.records import pick_fields
from kipflow.services.advance import look_back
from kipflow.services.board import RowQuery
from kipflow.wiring import Parts

_COLUMNS = ("proposal", "stage", "side", "says", "facts_say", "settle", "evidence")


def print_drift(
    parts: Parts, form: str, *, stages: Collection[Stage], number: int | None, as_of: datetime | None
) -> int:
    """Print a line for each disagreement of proposals in these stages, or of one, highest number first. Returns 1 if
    there is any, else 0. `as_of`: by the facts of that time; None: by the newest decisions.

    Raises:
        UnknownProposal: there is no proposal `number`.
    """
    if number is not None:
        parts.store.proposal(number, find_now(parts, as_of))  # raises UnknownProposal
    decided = (_as_row(row.key, row.number, row.title, row.stage, row.drift) for row in parts.store.drift())
    found = decided if as_of is None else _find_as_of(parts, as_of)
    rows = [row for row in found if row["stage"] in stages and number in {None, row["number"]}]
    if rows or form != "table":
        print_rows(rows, form, columns=_COLUMNS)
    elif parts.store.rows(RowQuery(limit=1)).total:
        console().print("page, index, announcements, tickets and releases agree with the facts")
    else:
        console().print(say_empty(parts.community, parts.store.overview(find_now(parts))))
    return 1 if rows else 0


def look_back_at_all(parts: Parts, as_of: datetime) -> Iterator[tuple[int, Decision]]:
    """The decision at `as_of` on every proposal that existed then, highest number first."""
    with parts.store.read() as session:
        numbers = session.history.load_numbers()
    for number in sorted(numbers, reverse=True):
        decision = look_back(parts.store, number, policy=parts.policy, as_of=as_of)
        if decision is not None:
            yield number, decision


def _find_as_of(parts: Parts, as_of: datetime) -> Iterator[dict[str, Any]]:
    for number, decision in look_back_at_all(parts, as_of):
        if decision.drift:
            view = parts.store.proposal(number, as_of)
            for drift in decision.drift:
                yield _as_row(view.key, number, view.proposal.title, decision.stage, drift)


def _as_row(key: str, number: int, title: str, stage: Stage, drift: Drift) -> dict[str, Any]:
    return {
        "proposal": key,
        "number": number,
        "title": title,
        "stage": stage,
        **pick_fields(drift, "side", "says"),
        "facts_say": drift.derived,
        "settle": drift.fix,
        "evidence": drift.evidence,
    }

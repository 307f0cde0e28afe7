"""Releases and "(WIP)" follow the ticket, until a person writes something else behind kipflow."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kipflow.domain.events import Stage
from kipflow.domain.pages import IndexEntry
from kipflow.services.indexrows import Mark, choose_marks
from kipflow.services.ports import IndexRow
from kipflow.services.ports.effects import MARKS, Effect, OutboxRow
from tests.memory_store import as_row

SEEN = datetime(2026, 3, 2, tzinfo=UTC)


def stands(release: str | None, wip: bool = False, number: int = 7) -> IndexEntry:
    return IndexEntry(
        number=number, title="Names", section="accepted", seen_at=SEEN, origin="page", release=release, in_progress=wip
    )


def ticket(release: str | None, wip: bool = False, stage: Stage = Stage.ACCEPTED) -> IndexRow:
    return IndexRow(number=7, title="Names", stage=stage, release=release, in_progress=wip)


def saved(*marks: Mark, status: str = "sent") -> OutboxRow:
    payload = {MARKS: [list(m) for m in marks]}
    return as_row(Effect(key="index/5/1/x", number=None, channel="index", payload=payload), status, SEEN)


def choose(row: IndexRow, entry: IndexEntry, *edits: OutboxRow) -> tuple[tuple[str | None, bool], list[Mark]]:
    [chosen], marks = choose_marks([row], [entry], edits)
    return (chosen.release, chosen.in_progress), marks


@pytest.mark.parametrize(
    ("row", "entry", "marks"),
    [
        (ticket("3.1.0", wip=True), stands(None), [(7, "3.1.0", True)]),
        (ticket("3.1.0"), stands(None, wip=True), [(7, "3.1.0", False)]),
        (ticket("3.2.0"), stands("3.1.0"), [(7, "3.2.0", False)]),
        (ticket("3.1.0"), stands("3.1"), []),
        (ticket("3.1.0, 3.2.0"), stands("3.2/3.1"), []),
        (ticket(None), stands("3.1"), []),
        (ticket("4.0.0", wip=True, stage=Stage.DISCUSSION), stands(None), []),
    ],
)
def test_what_a_ticket_says_is_written_where_a_row_says_something_else(
    row: IndexRow, entry: IndexEntry, marks: list[Mark]
) -> None:
    said, found = choose(row, entry)
    assert found == marks
    assert said == ((marks[0][1], marks[0][2]) if marks else (entry.release, entry.in_progress))


def test_what_somebody_wrote_after_kipflow_stays() -> None:
    edit = saved((7, "3.1.0", True))
    assert choose(ticket("3.1.0", wip=True), stands("3.1.0"), edit) == (("3.1.0", False), [])
    assert choose(ticket("3.2.0"), stands("trunk"), edit) == (("trunk", False), [])


def test_what_kipflow_wrote_itself_follows_the_ticket_on() -> None:
    edits = (saved((7, "3.0.0", True)), saved((7, "3.1.0", True)))
    assert choose(ticket("3.1.0"), stands("3.1.0", wip=True), *edits) == (("3.1.0", False), [(7, "3.1.0", False)])
    assert choose(ticket("3.1.0"), stands("3.0.0"), saved((7, "9", False), status="withdrawn"))[1] != []


def test_of_a_number_that_stands_twice_neither_row_is_written() -> None:
    chosen, marks = choose_marks([ticket("3.1.0")], [stands(None), stands("2.0", wip=True)], ())
    assert (chosen, marks) == ([ticket("3.1.0")], [])

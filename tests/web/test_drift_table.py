"""What is out of step: what a side is compared with, not the stage alone, and whether kipflow's own edit waits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi.testclient import TestClient
from lxml import html

from kipflow.domain.decisions import Drift
from kipflow.domain.events import Stage
from kipflow.services.board import DriftRow
from kipflow.services.ports import Effect, OutboxRow
from kipflow.web.app import create_app
from tests.memory_store import as_row
from tests.web.community import NOW
from tests.web.memory import MemoryBoard


class CountedBoard(MemoryBoard):
    """A board on which one announcement counts otherwise."""

    def drift(self) -> tuple[DriftRow, ...]:
        found = Drift(
            side="result", says="binding +1: 4", derived="counted +1: 3; Ivo <Lind> is announced", evidence="", fix=""
        )
        return (DriftRow(number=7, key="KIP-7", title="Fences", stage=Stage.ACCEPTED, drift=found),)


def test_a_count_is_held_against_the_count() -> None:
    board = CountedBoard(())
    page = html.fromstring(TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/review").text)
    [cell] = page.xpath("//section[@aria-labelledby = 'drift']//td[@data-label = 'Facts say']")
    assert cell.text_content() == "counted +1: 3; Ivo <Lind> is announced"


class EditedBoard(MemoryBoard):
    """A board with two proposals that are out of step, and an edit of the wiki for one of them."""

    def drift(self) -> tuple[DriftRow, ...]:
        found = Drift(side="page", says="Voting", derived=Stage.ACCEPTED, evidence="", fix="set it by hand")
        at_index = replace(found, side="index")
        rows = ((7, found), (7, at_index), (8, found), (8, at_index))
        return tuple(DriftRow(number=n, key=f"KIP-{n}", title="", stage=Stage.ACCEPTED, drift=d) for n, d in rows)

    def edits(self) -> tuple[OutboxRow, ...]:
        page = waiting("page/1", "held", number=7, payload={"sets": {"state": "Accepted"}})
        ticket = waiting("page/2", "held", number=8, payload={"sets": {"jira": "SHED-1"}})
        index = waiting("index/1", "pending", payload={"moves": [{"number": 8, "from": "vote", "to": "adopted"}]})
        return (page, ticket, index)


def waiting(key: str, status: str, *, payload: dict[str, Any], number: int | None = None) -> OutboxRow:
    return as_row(Effect(key=key, number=number, channel=key.partition("/")[0], payload=payload), status, NOW)


def test_what_kipflow_edits_itself_is_left_to_it() -> None:
    """A person is told to edit by hand only what no edit in the outbox will set."""
    page = html.fromstring(TestClient(create_app(lambda: EditedBoard(()), clock=lambda: NOW)).get("/review").text)
    cells = page.xpath("//section[@aria-labelledby = 'drift']//td[@data-label = 'To fix it']")
    awaits, waits = "awaiting a person's approval", "waiting to be sent"
    assert [" ".join(cell.text_content().split()) for cell in cells] == [
        f"kipflow's own edit of it is {awaits}.",
        "set it by hand",
        "set it by hand",
        f"kipflow's own edit of it is {waits}.",
    ]
    assert [link.get("href") for cell in cells for link in cell.xpath(".//a")] == [
        "./outbox?status=held",
        "./outbox?status=pending",
    ]

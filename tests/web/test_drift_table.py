"""The table of what is out of step shows what a side is compared with, not the stage alone."""

from __future__ import annotations

from fastapi.testclient import TestClient
from lxml import html

from kipflow.domain.decisions import Drift
from kipflow.domain.events import Stage
from kipflow.services.board import DriftRow
from kipflow.web.app import create_app
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

"""Planning every kind of effect: one whose service is away holds up no other."""

from __future__ import annotations

from dataclasses import dataclass

from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.effect_kinds.kind import plan_all
from kipflow.services.ports import OutboxRow, Report


@dataclass
class Counting:
    """A kind that counts its plans; `away`: its service does not answer."""

    away: bool = False
    plans: int = 0

    def plan(self) -> Report:
        self.plans += 1
        if self.away:
            raise ServiceUnavailable(service="Confluence", url="https://wiki.x.example", why="refuses connections")
        return Report()

    def preview(self) -> list[str]:
        return []

    def send(self, row: OutboxRow) -> str:
        return row.key

    def find(self, _row: OutboxRow) -> str | None:
        return None


def test_a_kind_whose_service_is_away_is_one_line_and_holds_up_no_other() -> None:
    kinds = {"index": Counting(away=True), "page": Counting()}
    assert plan_all(kinds).warnings == (
        "index: nothing new is planned: Confluence: https://wiki.x.example: refuses connections",
    )
    assert [kind.plans for kind in kinds.values()] == [1, 1]

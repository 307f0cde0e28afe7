"""The stage table holds together, and the page that shows it is written from it."""

from __future__ import annotations

import pytest

from kipflow.domain.errors import IllegalTransition
from kipflow.domain.events import Stage
from kipflow.domain.moments import Event
from kipflow.domain.stages.replaying import move
from kipflow.domain.stages.state import begin
from kipflow.domain.stages.table import BY_PERSON, ROWS, ROWS_OF, TABLE, StageRule
from tests.unit.domain.building import POLICY, at, facts, mail


def test_every_event_has_rows() -> None:
    assert all(ROWS_OF[event] for event in Event)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.rule or row.effect.__name__}-{row.events[0].name}")
def test_a_row_names_its_rule_if_it_moves_and_chooses_among_several_targets(row: StageRule) -> None:
    assert bool(row.rule) == bool(row.targets)
    assert (row.choose is not None) == (len(row.targets) > 1)


def test_a_rule_is_a_persons_or_in_the_law() -> None:
    assert {row.rule for row in ROWS if row.rule} == TABLE.keys() | BY_PERSON


def test_a_move_that_the_table_does_not_have_is_refused() -> None:
    state = begin(facts(), POLICY, at(1))._replace(stage=Stage.ACCEPTED)
    row = next(row for row in ROWS if row.rule == "discuss-thread")
    with pytest.raises(IllegalTransition) as caught:
        move(state, row, Event.MESSAGE, mail(1))
    assert (caught.value.source, caught.value.target) == (Stage.ACCEPTED, Stage.DISCUSSION)

"""How the proposals of one run are shared out among tasks."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.services.advance import MOST_TOGETHER, PARTS, split_candidates
from kipflow.services.recording import Advance, say_advance

NUMBERS = st.lists(st.integers(1, 10**6), unique=True, max_size=5_000).map(sorted)


@given(NUMBERS)
def test_each_proposal_is_in_one_part_in_order(numbers: list[int]) -> None:
    parts = list(split_candidates(numbers, "KIP").values())
    assert [number for part in parts for number in part] == numbers
    assert all(1 <= len(part) <= MOST_TOGETHER for part in parts)


@given(NUMBERS)
def test_few_are_decided_alone_and_many_together(numbers: list[int]) -> None:
    parts = list(split_candidates(numbers, "KIP").values())
    if len(numbers) <= PARTS:
        assert len(parts) == len(numbers)
    elif len(numbers) <= PARTS * MOST_TOGETHER:
        assert len(parts) <= PARTS


def test_a_part_is_named_by_its_proposals() -> None:
    assert list(split_candidates([7, 12], "KIP")) == ["KIP-7", "KIP-12"]
    assert next(iter(split_candidates(range(1, 41), "KIP"))) == "KIP-1 to KIP-10"


def test_the_log_says_of_a_move_what_it_rests_on() -> None:
    line = "silent for 90 days, warned 2026-11-08"
    move = Transition(
        number=31,
        source=Stage.DISCUSSION,
        target=Stage.DORMANT,
        at=datetime(2026, 11, 22, tzinfo=UTC),
        rule="silence",
        actor=Actor.CLOCK,
        policy_version="p",
        evidence=(Evidence(kind="clock", ref="x", line=line),),
    )
    said = say_advance(Advance(number=31, stage=Stage.DORMANT, appended=(move,)), "KIP")
    assert said == f"KIP-31: Discussion → Dormant: nobody wrote for longer than the policy allows ({line})"

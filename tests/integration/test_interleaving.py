"""In whatever order mail comes, and whenever it is decided on: the history that stands is the same."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kipflow.domain.events import effective
from kipflow.services import replay
from tests.examples import examples
from tests.integration.late import AMARO, DAY, MONDAY, TITLE, Mail, Village, found, late_objections, story

pytestmark = pytest.mark.integration

WEEK = MONDAY + 12 * DAY
CANCEL = Mail(
    name="cancel",
    at=MONDAY + 4.5 * DAY,
    author=AMARO,
    subject=f"[CANCELLED] [VOTE] {TITLE}",
    body="I cancel this vote.",
    answers="vote",
)
MAILS = (*story().values(), *late_objections()[:2], CANCEL)
_folders = itertools.count()


def plain_ids(village: Village) -> list[str]:
    """Ids of what stands, but for how often an entry was retracted before it followed again."""
    with village.parts.store.read() as session:
        return [replace(t, repeat=0).id for t in effective(session.history.load(77))]


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What stands where all mail is there before the first decision."""
    village = found(tmp_path_factory.mktemp("at-once"))
    village.receive(MAILS, WEEK)
    village.decide(WEEK + DAY)
    ids = plain_ids(village)
    village.parts.store.close()
    return ids


@examples(12, HealthCheck.function_scoped_fixture)
@given(order=st.permutations(range(len(MAILS))), cuts=st.sets(st.integers(1, len(MAILS) - 1), max_size=5))
def test_any_order_of_arrival_and_any_moments_of_decision_come_to_the_same_history(
    tmp_path: Path, at_once: list[str], order: list[int], cuts: set[int]
) -> None:
    village = found(tmp_path / str(next(_folders)))
    edges = [0, *sorted(cuts), len(MAILS)]
    for step, (first, last) in enumerate(itertools.pairwise(edges)):
        now = WEEK + step * DAY / 24
        village.receive([MAILS[i] for i in order[first:last]], now)
        village.decide(now)
    village.decide(WEEK + DAY)

    assert plain_ids(village) == at_once
    report = replay.replay(village.parts.store, policy=village.parts.policy, start=None, end=WEEK + DAY)
    assert report.differences == ()
    assert len(village.channel.posted) == len(set(village.channel.posted)), "nothing is said twice"
    village.parts.store.close()

"""A correction names what came since the last decision, and nothing that was known by then."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.integration.late import DAY, MONDAY, found, story

pytestmark = pytest.mark.integration


def test_a_ruling_that_is_dated_back_is_the_only_cause_of_what_it_corrects(tmp_path: Path) -> None:
    village = found(tmp_path)
    evening = MONDAY + 6 * DAY
    village.receive(list(story().values()), evening)
    village.decide(evening + timedelta(hours=1))
    village.discard(MONDAY + 2 * DAY)
    village.decide(evening + DAY)
    notes = village.corrections(evening + DAY)
    history = village.parts.store.proposal(77, evening + DAY).history
    village.parts.store.close()
    assert notes == ["later evidence retracts 1 entry: a person ruled or took a ruling back"]
    [correction] = [r.transition for r in history if r.transition.retracts]
    assert {e.kind for e in correction.evidence} == {"history", "ruling"}

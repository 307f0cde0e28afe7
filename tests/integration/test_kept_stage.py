"""A ruling that keeps the stage answers "reopen it?" with no: the question goes, the history stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from kipflow.services import replay
from tests.integration.late import AMARO, DAY, MONDAY, TITLE, Mail, found, story

pytestmark = pytest.mark.integration


def test_a_discarded_proposal_stays_discarded_where_a_person_says_so(tmp_path: Path) -> None:
    village = found(tmp_path)
    store, evening = village.parts.store, MONDAY + 6 * DAY
    village.receive(list(story().values()), evening)
    village.decide(evening)
    village.discard(evening + DAY)
    again = Mail(name="again", at=MONDAY + 8 * DAY, author=AMARO, subject=f"[DISCUSS] {TITLE}", body="Once more?")
    village.receive([again], MONDAY + 9 * DAY)
    village.decide(MONDAY + 9 * DAY)
    assert [item.kind for item in store.proposal(77, MONDAY + 9 * DAY).review] == ["reopening"]

    village.discard(MONDAY + 10 * DAY, "reopening")
    village.decide(MONDAY + 10 * DAY)
    view = store.proposal(77, MONDAY + 10 * DAY)
    report = replay.replay(store, policy=village.parts.policy, start=None, end=MONDAY + 10 * DAY)
    store.close()
    assert (view.stage, view.review) == ("Discarded", ())
    assert report.differences == ()

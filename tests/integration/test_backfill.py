"""Past dates made up for give the history that runs at the time gave, and are no news."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from kipflow.domain.events import effective
from kipflow.services import advance
from kipflow.services.slack_news import NEWS_AGE
from kipflow.wiring import Parts, effect_rules
from tests.integration.conftest import connect_to
from tests.integration.late import DAY, MONDAY, found, late_objections, story
from tests.integration.rounds import gather

pytestmark = pytest.mark.integration

STEPS, STEP = 10, timedelta(hours=18)


def decide(parts: Parts, as_of: datetime, now: datetime | None = None) -> int:
    rules = effect_rules(parts)
    done = advance.advance_all(parts.store, policy=parts.policy, effects=rules, as_of=as_of, now=now)
    return sum(len(one.appended) for one in done)


def ids(parts: Parts) -> dict[int, list[str]]:
    """Standing histories that begin with mail or a page; a row of the wiki's index has the time it was first seen."""
    with parts.store.begin() as session:
        histories = {n: effective(session.history.load(n)) for n in session.history.load_numbers()}
    return {
        n: [t.id for t in history] for n, history in histories.items() if history and history[0].rule != "index-row"
    }


def test_a_backfill_gives_the_history_ids_included_that_runs_at_the_time_gave(tmp_path: Path, own_sandbox: str) -> None:
    live = connect_to(own_sandbox, tmp_path / "live", KIPFLOW_SANDBOX_SINCE="2026-09")
    moments: list[datetime] = []
    for _ in range(STEPS):
        gather(live, live.clock())
        moments.append(live.clock())
        decide(live, moments[-1])
        httpx.post(
            f"{own_sandbox}/clock", json={"advance": f"{STEP.total_seconds() / 3600:g} hours"}
        ).raise_for_status()
    later = connect_to(own_sandbox, tmp_path / "later", KIPFLOW_SANDBOX_SINCE="2026-09")
    gather(later, later.clock())
    now = later.clock()

    moved = [decide(later, moment, now) for moment in moments]

    assert sum(n > 0 for n in moved) > STEPS / 2, "history grew date by date"
    assert ids(later) == ids(live)
    assert [decide(later, moment, now) for moment in moments] == [0] * STEPS, "a backfill that is repeated adds nothing"
    live.store.close()
    later.store.close()


def test_what_a_backfill_finds_is_no_news_and_its_time_of_record_is_today(tmp_path: Path) -> None:
    village, today = found(tmp_path), MONDAY + 20 * DAY
    village.receive(list(story().values()), today)
    for day in range(1, 20):
        village.decide(MONDAY + day * DAY, now=today)

    view = village.parts.store.proposal(77, today)
    assert view.stage == "Accepted"
    assert {r.recorded_at for r in view.history} == {today}
    assert village.channel.posted == []
    assert village.parts.store.effects(limit=100).total == 0


def test_only_what_is_news_today_is_reported_by_a_backfill_that_comes_up_to_today(tmp_path: Path) -> None:
    village, today = found(tmp_path), MONDAY + 5 * DAY + NEWS_AGE / 2
    village.receive(list(story().values()), today)
    for hours in range(int((today - MONDAY) / timedelta(hours=12))):
        village.decide(MONDAY + hours * timedelta(hours=12), now=today)

    assert [text.partition("\n")[0] for _, text in village.channel.posted] == ["KIP-77: Vote → Accepted"]


def test_a_proposal_decided_as_of_a_past_date_is_looked_at_again_when_its_next_mail_comes_in(tmp_path: Path) -> None:
    village, today = found(tmp_path), MONDAY + 20 * DAY
    village.receive(list(story().values()), today)
    village.decide(MONDAY + DAY / 2, now=today)
    assert village.stage(today) == "Discussion"
    assert village.parts.store.proposal(77, today).next_deadline == MONDAY + DAY
    village.decide(MONDAY + 1.1 * DAY, now=today)
    assert village.stage(today) == "Vote"


def test_past_dates_leave_alone_what_was_decided_later(tmp_path: Path) -> None:
    village, today = found(tmp_path), MONDAY + 20 * DAY
    village.receive(list(story().values()), today)
    village.decide(today)
    before = village.ids()
    village.receive(late_objections(), today)
    village.decide(MONDAY + 3 * DAY, now=today)
    assert village.ids() == before
    assert village.stage(today) == "Accepted", "the run for today corrects it"
    village.decide(today + DAY)
    assert village.stage(today + DAY) != "Accepted"


def test_a_time_that_has_not_come_is_refused(tmp_path: Path) -> None:
    village = found(tmp_path)
    village.receive(list(story().values()), MONDAY + 6 * DAY)
    with pytest.raises(advance.FutureDecision, match="has not come yet"):
        village.decide(MONDAY + 9 * DAY, now=MONDAY + 6 * DAY)

"""The sandbox's whole story through the real clients, the store and the rules, against its answer sheet."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from kipflow.adapters.patience import Patience
from kipflow.domain.events import Stage
from kipflow.sandbox.plans import EXPECTED, Expected
from kipflow.services import replay
from kipflow.services.board import ProposalView, RowQuery
from kipflow.wiring import Parts
from tests.integration.conftest import connect_to, resume
from tests.integration.rounds import run_once

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def story(first_round: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    with resume(first_round, tmp_path_factory.mktemp("story")) as (_, parts):
        yield parts


def view(parts: Parts, number: int) -> ProposalView:
    return parts.store.proposal(number, parts.clock())


@pytest.mark.parametrize("number", sorted(EXPECTED))
def test_a_proposal_comes_to_what_the_story_says(story: Parts, number: int) -> None:
    answer: Expected = EXPECTED[number]
    seen = view(story, number)
    assert seen.stage is answer.stage, f"{answer.note}: {[r.transition.rule for r in seen.history]} {seen.missing}"
    assert len(seen.votes) == answer.rounds, answer.note
    if answer.binding is not None:
        counts = seen.votes[-1].tally.binding
        assert (counts.plus, counts.zero, counts.minus) == answer.binding, _ballots(seen, answer)
    if answer.other is not None:
        counts = seen.votes[-1].tally.non_binding
        assert (counts.plus, counts.zero, counts.minus) == answer.other, _ballots(seen, answer)
    if answer.outcome is not None:
        assert seen.votes[-1].outcome is answer.outcome, answer.note
        assert seen.votes[-1].depends_on_review is answer.depends_on_review, answer.note
    assert bool([d for d in seen.drift if d.side == "page"]) is answer.page_drift, answer.note


def _ballots(seen: ProposalView, answer: Expected) -> str:
    lines = [f"{b.voter} {b.value} {b.status} {b.binding} {b.rule}: {b.line}" for b in seen.votes[-1].vote.ballots]
    return "\n".join([answer.note, *lines])


def test_every_stage_is_on_the_board(story: Parts) -> None:
    counts = story.store.overview(story.clock()).stages
    assert all(counts[stage] > 0 for stage in Stage)
    assert story.store.rows(RowQuery(limit=500)).total == sum(counts.values())


def test_what_could_not_be_read_is_kept_with_its_reason(story: Parts) -> None:
    page = story.store.unreadable(limit=50)
    assert page.total > 0
    assert all(row.why and row.source for row in page.rows)


def test_history_rebuilt_from_facts_is_what_is_stored(story: Parts) -> None:
    report = replay.replay(story.store, policy=story.policy, start=None, end=story.clock())
    assert report.differences == ()
    assert report.transitions > 60


def test_a_second_run_changes_nothing(own_sandbox: str, parts_of: Callable[[str], Parts]) -> None:
    parts = parts_of(own_sandbox)
    first = run_once(parts)
    assert first["transitions"] > 60
    assert first["sent"] > 0
    assert first["edits"] == 1
    drifts = [d for d in parts.store.drift() if d.drift.side == "index"]
    assert drifts, "the story's index is behind at first"
    second = run_once(parts)
    assert not [d for d in parts.store.drift() if d.drift.side == "index"], "what was saved is known at once"
    quiet = {"new", "transitions", "versions_new", "edits", "sent", "failed", "tickets_changed", "months_wanted"}
    assert {name: second[name] for name in quiet} == dict.fromkeys(quiet, 0)


def test_as_time_passes_votes_fill_and_close_and_people_are_informed(played: tuple[str, Parts]) -> None:
    url, parts = played
    before = parts.store.overview(parts.clock()).stages
    transitions = 0
    for _ in range(8):
        httpx.post(f"{url}/clock", json={"advance": "1 days"}).raise_for_status()
        transitions += run_once(parts)["transitions"]
    after = parts.store.overview(parts.clock()).stages
    assert transitions > 0
    assert after[Stage.ACCEPTED] > before[Stage.ACCEPTED]
    report = replay.replay(parts.store, policy=parts.policy, start=None, end=parts.clock())
    assert report.differences == ()
    transcript = httpx.get(f"{url}/slack").text
    assert "Accepted" in transcript


def test_running_late_gives_the_same_history_as_running_every_other_day(
    first_round: Path, played: tuple[str, Parts], tmp_path: Path
) -> None:
    url, daily = played
    shutil.copytree(first_round / "home", tmp_path / "seldom")
    seldom = connect_to(url, tmp_path / "seldom")
    for _ in range(4):
        httpx.post(f"{url}/clock", json={"advance": "2 days"}).raise_for_status()
        run_once(daily)
    run_once(seldom)
    assert from_mail_and_pages(seldom) == from_mail_and_pages(daily)
    late = connect_to(url, tmp_path / "late")
    run_once(late)
    first, warned = from_mail_and_pages(late), from_mail_and_pages(daily)
    # dormancy that fell due before a first run is history; who was there in time warned of it and still waits
    assert {n for n in first if first[n] != warned[n]} == {107}
    assert (view(late, 107).stage, view(daily, 107).stage) == (Stage.DORMANT, Stage.DISCUSSION)


def test_a_silent_proposal_is_warned_of_at_the_first_run_and_dormant_when_the_grace_is_over(
    played: tuple[str, Parts],
) -> None:
    url, parts = played
    [warning] = view(parts, 107).warnings
    assert warning.due_at is not None
    assert abs(warning.due_at - warning.recorded_at - parts.policy.grace) < timedelta(minutes=15)
    promised = f"dormant on <time>{warning.due_at:%Y-%m-%d %H:%M} UTC</time> at the earliest unless somebody writes"
    assert promised in httpx.get(f"{url}/slack").text
    for days, stage in ((13, Stage.DISCUSSION), (2, Stage.DORMANT)):
        httpx.post(f"{url}/clock", json={"advance": f"{days} days"}).raise_for_status()
        run_once(parts)
        assert view(parts, 107).stage is stage
    assert view(parts, 107).since == warning.due_at
    asleep = {n for n in EXPECTED if view(parts, n).history[-1].transition.rule == "silence"}
    assert {n for n in asleep if view(parts, n).since > warning.recorded_at} == {107}
    report = replay.replay(parts.store, policy=parts.policy, start=None, end=parts.clock())
    assert report.differences == ()


def from_mail_and_pages(parts: Parts) -> dict[int, list[str]]:
    """Histories that do not begin with a row of the wiki's index, whose time is when it was first seen."""
    return {n: lines for n, lines in history(parts).items() if not lines[0].endswith("(index-row)")}


def history(parts: Parts) -> dict[int, list[str]]:
    from kipflow.domain.events import effective

    with parts.store.begin() as session:
        return {n: [replay.say(t) for t in effective(session.history.load(n))] for n in session.history.load_numbers()}


def test_a_truncated_month_is_partial_accepts_nothing_and_is_read_again(own_sandbox: str, tmp_path: Path) -> None:
    since = "2026-10"  # each month that is cut is asked for several times, with pauses between
    quick = Patience(first_wait=0.02, longest_wait=0.2)
    parts = connect_to(own_sandbox, tmp_path / "cut", patience=quick, KIPFLOW_SANDBOX_SINCE=since)
    httpx.post(f"{own_sandbox}/faults", json={"rule": "cut /api/mbox.lua x100"}).raise_for_status()
    run_once(parts)
    months = parts.store.overview(parts.clock()).months
    assert any(m.month.status != "complete" for m in months)
    voted = [line for lines in history(parts).values() for line in lines if "Vote → " in line]
    assert not [line for line in voted if "Accepted" in line or "Rejected" in line]
    httpx.delete(f"{own_sandbox}/faults").raise_for_status()
    run_once(parts)
    assert all(m.month.status == "complete" for m in parts.store.overview(parts.clock()).months)
    fresh = connect_to(own_sandbox, tmp_path / "fresh", KIPFLOW_SANDBOX_SINCE=since)
    run_once(fresh)
    assert parts.store.overview(parts.clock()).stages == fresh.store.overview(parts.clock()).stages
    assert parts.clock() - timedelta(days=1) < fresh.clock()

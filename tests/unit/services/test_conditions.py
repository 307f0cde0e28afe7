"""What keeps the whole from working: each condition with its cause, what still works and what to do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import Coverage
from kipflow.services.away import SERVICES, Outage, load_outages, note_recovery, noting_outages
from kipflow.services.conditions import Situation, find_conditions, report_conditions
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Runs
from tests.unit.services.stores import open_memory

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
WELL = Situation(now=NOW, coverage=Coverage(complete_through=NOW - HOUR))
REFUSED = Outage(since=NOW - 3 * HOUR, why="connection refused")
RULES = EffectRules(
    prefix="KIP", sends=True, slack="send", channel="#kips", operators="#kips-ops", program="kipflow -C kafka"
)


def test_where_all_is_well_nothing_is_said() -> None:
    assert find_conditions(WELL) == ()


@pytest.mark.parametrize(
    ("situation", "says", "fix"),
    [
        (replace(WELL, has_clock=False), "The sandbox is not running, and this machine's time is used", "`make run`"),
        (replace(WELL, pause=5 * HOUR), "No scheduled run has begun for 5 hours", "`make run` starts"),
        (replace(WELL, runs=Runs(paused=("kip_poll_threads",))), "Switched off in Airflow: kip_poll", "Switch them on"),
        (
            replace(WELL, away={"archive": REFUSED}),
            "The mail archive is unreachable since Thu 2026-03-12 06:00 UTC: connection refused",
            "`kipflow ingest FILE --complete-through TIME`",
        ),
        (
            replace(WELL, away={"slack": Outage(since=NOW, why="not_in_channel: invite it")}),
            "The Slack workspace refuses everything since Thu 2026-03-12 09:00 UTC: not_in_channel: invite it",
            "Do that; the next delivery sends",
        ),
        (replace(WELL, away={"wiki": REFUSED}), "The wiki is unreachable since", "asked again every hour"),
        (replace(WELL, runs=Runs(failed={"kip_site": NOW})), "The newest run of kip_site failed at", "clear the task"),
        (
            replace(WELL, coverage=Coverage(complete_through=NOW - 50 * HOUR, gaps=(("2026-03", "dev 2026-03: cut"),))),
            "Mail is held only up to Tue 2026-03-10 07:00 UTC: dev 2026-03: cut",
            "`kipflow poll`",
        ),
        (
            replace(WELL, coverage=Coverage(gaps=(("2026-03", "users 2026-03: answered 404"),))),
            "Not all mail is held: users 2026-03: answered 404",
            "`kipflow poll`",
        ),
        (replace(WELL, coverage=Coverage()), "No mail is held yet", "`kipflow poll` asks the archive now"),
        (
            replace(WELL, has_archive=False),
            "Mail is held up to Thu 2026-03-12 08:00 UTC; it comes from files",
            "`kipflow ingest FILE --complete-through 2026-03-12`",
        ),
        (
            replace(WELL, has_archive=False, coverage=Coverage(gaps=(("2026-03", "dev 2026-03: from files"),))),
            "Nothing says up to when its mail is held; it comes from files",
            "ingest FILE",
        ),
        (replace(WELL, has_archive=False, coverage=Coverage()), "No mail is held yet; it comes from", "ingest FILE"),
        (replace(WELL, has_roster=False), "The roster is empty", "Name a `roster`"),
        (replace(WELL, has_roster=False, roster="config/x.yaml"), "The roster is empty", "Fill config/x.yaml"),
    ],
)
def test_each_condition_says_its_cause_and_what_to_do(situation: Situation, says: str, fix: str) -> None:
    [found] = find_conditions(situation)
    assert found.says.startswith(says)
    assert fix in found.fix
    assert found.works


def test_a_run_that_fails_because_a_service_is_away_is_not_named_besides() -> None:
    runs = Runs(failed={"kip_poll_threads": NOW, "kip_sync_wiki": NOW})
    found = find_conditions(replace(WELL, away={"archive": REFUSED}, runs=runs))
    assert [c.name for c in found] == ["archive", "failed/kip_sync_wiki"]


def test_a_service_is_away_since_its_first_failure_until_it_answers() -> None:
    store = open_memory()
    for hour in (0, 1):
        with (
            pytest.raises(ServiceUnavailable),
            noting_outages(store, "wiki", NOW + hour * HOUR),
        ):
            raise ServiceUnavailable(service="wiki", url="https://wiki.x.example/", why=f"no answer {hour}")
    with store.read() as session:
        assert load_outages(session.marks) == {"wiki": Outage(since=NOW, why="no answer 1")}
    with noting_outages(store, "wiki", NOW):
        pass
    note_recovery(store, "archive")
    with store.read() as session:
        assert load_outages(session.marks) == {}


def test_operators_hear_of_each_fault_once_until_it_begins_anew() -> None:
    store = open_memory()

    def report(since: datetime) -> int:
        away = {"archive": Outage(since=since, why="down <!channel>")}
        found = find_conditions(replace(WELL, away=away))
        return report_conditions(store, found, RULES, now=NOW)

    assert [report(NOW), report(NOW), report(NOW + HOUR)] == [1, 0, 1]
    [row, _] = store.effects().rows
    assert row.payload["channel"] == "#kips-ops"
    said = row.payload["blocks"][0]["text"]["text"]
    assert "down &lt;!channel&gt;" in said
    assert "`kipflow -C kafka ingest FILE" in said


def test_operators_hear_again_of_a_fault_that_ended_and_came_back() -> None:
    store = open_memory()

    def report(hour: int, *, has_roster: bool) -> int:
        found = find_conditions(replace(WELL, has_roster=has_roster))
        return report_conditions(store, found, RULES, now=NOW + hour * HOUR)

    emptied = [report(hour, has_roster=hour == 2) for hour in range(5)]
    assert emptied == [1, 0, 0, 1, 0], "empty, empty, filled, emptied again, still empty"


def test_what_is_no_fault_is_in_no_message() -> None:
    found = find_conditions(replace(WELL, has_archive=False))
    assert report_conditions(open_memory(), found, RULES, now=NOW) == 0
    assert set(SERVICES) == {"archive", "wiki", "tickets", "slack"}

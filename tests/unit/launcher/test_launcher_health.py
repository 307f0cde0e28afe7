"""A start that finds programs running asks Airflow whether they work, and begins anew where one has given up."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import Console

from kipflow.config.settings import REPOSITORY, Settings, read_settings
from kipflow.domain.errors import LaunchFailed
from kipflow.launcher import launch, services
from kipflow.launcher.api import AirflowApi
from kipflow.launcher.instance import Running
from kipflow.launcher.layout import Layout
from kipflow.launcher.progress import Progress

WELL = dict.fromkeys(services.COMPONENTS, "healthy")
DEAD_SCHEDULER = {**WELL, "scheduler": "unhealthy"}


class Asked(AirflowApi):
    """A server that reports one health after the other, the last one for good."""

    def __init__(self, *answers: dict[str, str]) -> None:
        super().__init__("http://127.0.0.1:9", user="", password="")
        self._answers = list(answers)

    def find_health(self) -> dict[str, str]:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


@pytest.mark.parametrize(
    ("answers", "ill"),
    [
        ((WELL,), []),
        ((DEAD_SCHEDULER,), ["scheduler"]),
        (({},), ["API server"]),
        (({"metadatabase": "healthy"},), ["dag processor", "scheduler", "triggerer"]),
    ],
    ids=["well", "dead scheduler", "no answer", "half an answer"],
)
def test_what_airflow_does_not_call_healthy_is_named(answers: Sequence[dict[str, str]], ill: list[str]) -> None:
    assert services.find_ill(Asked(*answers), patience=0, pause=0) == ill


def test_a_heartbeat_that_comes_late_is_waited_for() -> None:
    assert services.find_ill(Asked(DEAD_SCHEDULER, {}, WELL), patience=60, pause=0) == []


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"KIPFLOW_HOME": str(tmp_path), "KIPFLOW_COMMUNITY": "sandbox"})


def start_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, *, ill: list[str]
) -> tuple[Running, str, list[str]]:
    """What `up` gives, prints and does where programs run already."""
    done: list[str] = []
    fresh = Running(community="sandbox", ui_url="http://127.0.0.1:9", passwords={"admin": "secret"})

    def stop(_: Settings) -> int:
        done.append("stop")
        return 4

    def start(_: Settings, __: Layout, ___: Progress) -> tuple[Running, None]:
        done.append("start")
        return fresh, None

    monkeypatch.setattr(launch, "find_running", lambda _: replace(fresh, was_running=True))
    monkeypatch.setattr(services, "find_ill", lambda _: ill)
    monkeypatch.setattr(launch, "down", stop)
    monkeypatch.setattr(launch, "_start", start)
    out = io.StringIO()
    running = launch.up(settings, console=Console(file=out, width=300), wait=False)
    return running, out.getvalue(), done


def test_programs_that_are_well_are_left_alone(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    running, said, done = start_again(settings, monkeypatch, ill=[])
    assert (running.was_running, said, done) == (True, "", [])


def test_a_scheduler_that_gave_up_is_reported_in_one_line_and_everything_is_started_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, said, done = start_again(settings, monkeypatch, ill=["scheduler"])
    assert (running.was_running, done) == (False, ["stop", "start"])
    assert said.splitlines() == ["Airflow runs, but nothing is done: scheduler unhealthy. Everything is started again"]


def test_a_program_that_ended_by_itself_is_named_with_its_log(tmp_path: Path) -> None:
    layout = Layout(home=tmp_path, community="sandbox")
    layout.run.mkdir()
    log = tmp_path / "logs" / "scheduler.log"
    (layout.run / "scheduler.pid").write_text(json.dumps({"pid": 2**22 + 1, "log": str(log)}))
    out = io.StringIO()
    launch._report_ended(layout, Progress(Console(file=out, width=300)))
    kept = tmp_path / "logs" / "scheduler.previous.log"
    assert out.getvalue().splitlines() == [
        f"scheduler had ended by itself (its log: {kept}). Everything is started again"
    ]


@pytest.mark.parametrize(("alive", "kept"), [(True, True), (False, False)])
def test_what_works_is_kept_where_the_first_runs_cannot_be_waited_for(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, alive: bool, kept: bool
) -> None:
    """Airflow's database stayed locked, say: its programs live, and there is where to look."""
    stopped: list[str] = []

    class Program:
        is_alive = alive

    def run(*_: object) -> list[str]:
        raise LaunchFailed(what="Airflow PATCH /api/v2/dags/kip_backfill", why="answered 500: Database error")

    monkeypatch.setattr(launch, "find_running", lambda _: None)
    monkeypatch.setattr(launch, "_start", lambda *_: (Running(community="sandbox", ui_url="http://127.0.0.1:9"), None))
    monkeypatch.setattr(launch, "_run", run)
    monkeypatch.setattr(launch, "load_services", lambda _: [Program()])
    monkeypatch.setattr(launch, "_stop_again", lambda *_: stopped.append("stopped"))
    if kept:
        running = launch.up(settings, console=Console(file=io.StringIO()))
        assert running.failed == ("Airflow PATCH /api/v2/dags/kip_backfill: answered 500: Database error",)
    else:
        with pytest.raises(LaunchFailed, match="Database error"):
            launch.up(settings, console=Console(file=io.StringIO()))
    assert stopped == ([] if kept else ["stopped"])


def test_in_airflows_database_a_commit_waits_for_no_reader(tmp_path: Path) -> None:
    """A scheduler that reads, and then wants to write, would wait for that commit: both until one gives up and ends."""
    layout = Layout(home=tmp_path, community="sandbox")
    layout.airflow.mkdir(parents=True)
    (layout.airflow / "migrated").write_text(version("apache-airflow"))
    file = layout.airflow / "airflow.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("CREATE TABLE run (state); INSERT INTO run VALUES ('queued'), ('queued')")
    settings = Settings(
        home=tmp_path, config=REPOSITORY / "config", community="sandbox", database_url="sqlite://", sends=False
    )

    with Progress(Console(file=io.StringIO())).step("Databases") as step:
        services.prepare_databases(settings, layout, {}, step)

    with closing(sqlite3.connect(file)) as reader, closing(sqlite3.connect(file, timeout=0)) as writer:
        reading = reader.execute("SELECT state FROM run")
        assert reading.fetchone() == ("queued",), "and it is not through yet"
        writer.execute("UPDATE run SET state = 'running'")
        writer.commit()
        assert reading.fetchone() == ("queued",)

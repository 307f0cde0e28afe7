"""A running kipflow as the system tests see it: its command, its ports, its databases."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from kipflow.launcher.api import AirflowApi, DagRun
from kipflow.launcher.layout import Layout

KIPFLOW = Path(sys.executable).with_name("kipflow")
_HOUR = (datetime.now(UTC).hour + 6) % 12
#: Every twelve hours, and next in six: only what a test starts is at work.
EVERY = f"0 {_HOUR},{_HOUR + 12} * * *"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A home with its ports. `first` is what the first `kipflow up` gave."""

    home: Path
    ui_port: int
    sandbox_port: int
    first: subprocess.CompletedProcess[str]

    @property
    def layout(self) -> Layout:
        return Layout(home=self.home, community="sandbox")

    @property
    def ui(self) -> str:
        return f"http://127.0.0.1:{self.ui_port}"

    @property
    def sandbox(self) -> str:
        return f"http://127.0.0.1:{self.sandbox_port}"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run_kipflow(self.home, self.ui_port, self.sandbox_port, *arguments)

    def api(self) -> AirflowApi:
        password = json.loads(self.layout.secrets.read_text())["admin_password"]
        api = AirflowApi(self.ui, user="admin", password=password)
        api.login()
        return api

    def ask_airflow(self, sql: str, *values: str) -> list[Any]:
        """Airflow's own database, read only: for what its API does not show."""
        return ask(self.layout.airflow / "airflow.db", sql, *values)

    def ask(self, sql: str, *values: str | int) -> list[Any]:
        """The application's database, read only."""
        return ask(self.home / "sandbox.db", sql, *values)

    def stages(self) -> dict[int, str]:
        done = self.run("status", "--format", "json")
        return {row["number"]: row["stage"] for row in json.loads(done.stdout)}

    def push_time(self, step: str) -> None:
        httpx.post(f"{self.sandbox}/clock", json={"advance": step}, timeout=10).raise_for_status()

    def run_dag(self, dag_id: str, *, seconds: float = 600) -> DagRun:
        """Trigger a run and wait for its end and for everything that it started."""
        with self.api() as api:
            before = {run.run_id for run in api.fetch_runs(dag_id)}
            api.trigger(dag_id)
            self.wait_quiet(api, seconds)
            started = (run for run in api.fetch_runs(dag_id) if run.run_id not in before)
            return next(run for run in started if run.run_id.startswith("kipflow__"))  # none that the timetable started

    def wait_quiet(self, api: AirflowApi, seconds: float) -> None:
        """Until no run is active and no asset event waits, seen twice in a row."""
        deadline, seen = time.monotonic() + seconds, 0
        while seen < 2:
            assert time.monotonic() < deadline, "Airflow does not come to rest"
            busy = api.fetch_active() or any(api.is_awaited(dag_id) for dag_id in api.fetch_dags())
            seen = 0 if busy else seen + 1
            if seen < 2:
                time.sleep(1.5)


def ask(database: Path, sql: str, *values: str | int) -> list[Any]:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30) as connection:
        return connection.execute(sql, values).fetchall()


def run_kipflow(home: Path, ui_port: int, sandbox_port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KIPFLOW_", "AIRFLOW_"))}
    scratch = home / "scratch"  # what a JVM that a test kills leaves behind
    scratch.mkdir(parents=True, exist_ok=True)
    environment = {
        **kept,
        "SPARK_SUBMIT_OPTS": f"-Djava.io.tmpdir={scratch}",
        "KIPFLOW_HOME": str(home),
        "KIPFLOW_UI_PORT": str(ui_port),
        "KIPFLOW_SANDBOX_PORT": str(sandbox_port),
        "KIPFLOW_SANDBOX_URL": f"http://127.0.0.1:{sandbox_port}",
        "KIPFLOW_EVERY": EVERY,
        "COLUMNS": "200",
    }
    return subprocess.run(
        [str(KIPFLOW), *arguments], capture_output=True, text=True, env=environment, check=False, timeout=1500
    )


def find_differing(stages: dict[int, str], wanted: Iterable[tuple[int, str]]) -> dict[int, tuple[str, str | None]]:
    """The proposals that are not in the stage wanted: number → (wanted, found)."""
    return {number: (stage, stages.get(number)) for number, stage in wanted if stages.get(number) != stage}


def assert_replay_agrees(instance: Instance) -> None:
    """History rebuilt from the facts is the history that is stored."""
    done = instance.run("replay")
    assert done.returncode == 0, done.stdout + done.stderr

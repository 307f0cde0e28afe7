"""The programs of a local kipflow, started in the order of their dependencies."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from importlib.metadata import version

import httpx

from kipflow.adapters.private import open_private
from kipflow.adapters.store.engine import use_wal
from kipflow.config.settings import Settings
from kipflow.domain.errors import LaunchFailed
from kipflow.launcher import keep
from kipflow.launcher.api import AirflowApi
from kipflow.launcher.layout import Layout
from kipflow.launcher.processes import Service, find_last_error, open_process, start
from kipflow.launcher.progress import Step
from kipflow.launcher.sandbox import Sandbox
from kipflow.wiring import connect, prepare_database

HEALTH_SECONDS = 240.0
SANDBOX_SECONDS = 60.0
AIRFLOW = (sys.executable, "-m", "airflow")
#: By its path, and isolated: as a module of the launcher it would import all of kipflow, four times.
KEPT = (sys.executable, "-I", keep.__file__)
#: The components that must be healthy.
COMPONENTS = ("dag_processor", "metadatabase", "scheduler", "triggerer")
#: A component must be unhealthy for so long: on a busy machine heartbeats come late.
PATIENCE_SECONDS = 20.0


def prepare_databases(settings: Settings, layout: Layout, environment: Mapping[str, str], step: Step) -> None:
    """Bring Airflow's database and the application's to their newest schema, at the same time.

    Raises LaunchFailed if Airflow's migration fails; the application's raises what its database says.
    """
    layout.airflow.mkdir(parents=True, exist_ok=True)
    layout.logs.mkdir(parents=True, exist_ok=True)
    stamp = layout.airflow / "migrated"
    wanted = version("apache-airflow")
    # asking Airflow whether a migration is due takes seven seconds; reading the stamp takes none
    is_current = (layout.airflow / "airflow.db").is_file() and stamp.is_file() and stamp.read_text() == wanted
    log = layout.logs / "airflow-migrate.log"
    with open_private(log) as output:
        migrate = [*AIRFLOW, "db", "migrate"]
        migration = None if is_current else open_process(migrate, environment, output, layout)
        step.say("the application's")
        parts = connect(settings)
        with closing(parts.store):
            prepare_database(parts)
        if migration is not None:
            step.say("Airflow's")
            if migration.wait() != 0:
                raise LaunchFailed(what="airflow db migrate", why=find_last_error(log), log=str(log))
            stamp.write_text(wanted)
    # without WAL a commit waits for a reader that itself waits to write, and the timeout ends the scheduler too
    with closing(sqlite3.connect(layout.airflow / "airflow.db")) as connection:
        use_wal(connection)


def start_sandbox(layout: Layout, environment: Mapping[str, str], sandbox: Sandbox) -> None:
    """Start the sandbox and wait until it answers. Raises LaunchFailed if it ends, or does not in time."""
    service = start("sandbox", sandbox.command, environment=environment, layout=layout)

    def answers() -> bool:
        try:
            return httpx.get(f"{sandbox.url}/health", timeout=5.0, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    _wait(answers, [service], SANDBOX_SECONDS)


def start_slack_app(layout: Layout, environment: Mapping[str, str]) -> None:
    """Start the program for Slack's buttons. Nothing depends on it: messages have links too."""
    command = [sys.executable, "-m", "kipflow.launcher.slackapp"]
    start("slack-app", command, environment=environment, layout=layout)


def start_airflow(layout: Layout, environment: Mapping[str, str], api: AirflowApi, step: Step) -> None:
    """Start Airflow's four programs and wait until each is healthy. Raises LaunchFailed if one ends, or is not in time.

    The scheduler starts after the API server, to which tasks report.
    """

    def run(name: str, *arguments: str) -> Service:
        return start(name, [*KEPT, *AIRFLOW, *arguments], environment=environment, layout=layout)

    services = [run("api-server", "api-server"), run("dag-processor", "dag-processor")]
    step.say("API server")
    _wait(lambda: api.find_health().get("metadatabase") == "healthy", services, HEALTH_SECONDS)
    # log servers would need two more ports; the API server reads the files instead
    services += [run("scheduler", "scheduler", "--skip-serve-logs"), run("triggerer", "triggerer", "--skip-serve-logs")]

    def is_healthy() -> bool:
        waiting = _name_ill(api.find_health())
        step.say(", ".join(waiting))
        return not waiting

    _wait(is_healthy, services, HEALTH_SECONDS)


def find_ill(api: AirflowApi, *, patience: float = PATIENCE_SECONDS, pause: float = 1.0) -> list[str]:
    """The programs of a running Airflow that are unhealthy for `patience` seconds."""
    deadline = time.monotonic() + patience
    while True:
        health = api.find_health()
        ill = _name_ill(health) if health else ["API server"]
        if not ill or time.monotonic() >= deadline:
            return ill
        time.sleep(pause)


def _name_ill(health: Mapping[str, str]) -> list[str]:
    return [name.replace("_", " ") for name in COMPONENTS if health.get(name) != "healthy"]


def check_alive(services: Sequence[Service]) -> None:
    """Raise LaunchFailed, with its last logged error, if one of the programs has ended."""
    for service in services:
        if not service.is_alive:
            raise LaunchFailed(what=f"{service.name} ended", why=find_last_error(service.log), log=str(service.log))


def _wait(is_ready: Callable[[], bool], services: Sequence[Service], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not is_ready():
        check_alive(services)
        if time.monotonic() > deadline:
            late = services[-1]
            raise LaunchFailed(what=late.name, why=f"not ready after {seconds:.0f} s", log=str(late.log))
        time.sleep(0.5)

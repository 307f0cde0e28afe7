"""Start and stop a local kipflow. Both can be called at any time, also after a crash."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console

from kipflow.adapters.private import keep_private
from kipflow.adapters.store.engine import find_file, make_database_url
from kipflow.config.loading import find_roster, load_community
from kipflow.config.settings import Settings
from kipflow.domain.errors import LaunchFailed
from kipflow.launcher import services
from kipflow.launcher.api import AirflowApi
from kipflow.launcher.checks import check_port_free, check_room, find_free_port, read_port
from kipflow.launcher.environment import LOCAL, build_environment
from kipflow.launcher.instance import Running, find_running, save_running
from kipflow.launcher.layout import ADMIN, SANDBOX, Layout, find_layout, load_credentials, write_passwords
from kipflow.launcher.processes import find_marked, load_services, stop_all
from kipflow.launcher.progress import Progress
from kipflow.launcher.runs import WaitContext, run_dags
from kipflow.launcher.sandbox import Sandbox, continue_after, plan_sandbox, save_reached_time, set_speed

UI_PORT = 8080
SANDBOX_PORT = 8765
RUN_SECONDS = 1_200.0


def up(settings: Settings, *, console: Console | None = None, wait: bool = True) -> Running:
    """Start everything, run the DAGs and wait until they have ended. Does nothing if it runs already.

    Reads `KIPFLOW_UI_PORT`, `KIPFLOW_SANDBOX_PORT`, `KIPFLOW_SANDBOX_SPEED`, `KIPFLOW_SPARK_MASTER` and the
    services' tokens from the process's environment, and adds the sandbox's variables to it. With `wait` off it returns
    when the programs are healthy.

    A failed DAG run does not raise, nor do runs that cannot be started or waited for: they are in `Running.failed`, and
    the UI stays up.

    Raises:
        LaunchFailed: something could not start, or ended; everything is stopped again.
        ConfigError: a configuration file is wrong; nothing was started.
    """
    layout = find_layout(settings)
    progress = Progress(console or Console())
    check_room(layout.home)
    opened = keep_private(layout.home, find_file(make_database_url(settings.database_url)))
    if opened:
        progress.say(opened)
    with _alone(layout):
        running = find_running(settings)
        if running is not None:
            if running.community != layout.community:
                raise LaunchFailed(
                    what="up", why=f"community {running.community} runs here already; stop it first (make stop)"
                )
            os.environ.update(running.variables)
            if _is_well(running, progress):
                return running
            down(settings)  # stores the sandbox's time, which would be lost after a crash
        try:
            running, sandbox = _start(settings, layout, progress)
        except BaseException:
            _stop_again(layout, progress)
            raise
    try:
        failed = _run(running, layout, progress) if wait else ()
        if sandbox is not None:
            set_speed(sandbox)
    except LaunchFailed as error:
        if all(service.is_alive for service in load_services(layout)):
            return replace(running, failed=(str(error),))  # the programs run: their UI shows what failed
        _stop_again(layout, progress)
        raise
    except BaseException:
        _stop_again(layout, progress)
        raise
    return replace(running, failed=tuple(failed))


def down(settings: Settings) -> int:
    """End every process of this home, also those left by a crash. Returns how many there were; raises as `stop_all`."""
    layout, running = find_layout(settings), find_running(settings)
    if running is not None and running.sandbox_url is not None:
        save_reached_time(layout, running.sandbox_url)
    return stop_all(layout)


def _is_well(running: Running, progress: Progress) -> bool:
    """Whether Airflow reports all its programs as healthy: one can be alive without working."""
    with _api(running) as api:
        ill = services.find_ill(api)
    if ill:
        progress.say(f"Airflow runs, but nothing is done: {', '.join(ill)} unhealthy. Everything is started again")
    return not ill


def _start(settings: Settings, layout: Layout, progress: Progress) -> tuple[Running, Sandbox | None]:
    environment = os.environ
    if next(find_marked(layout), None) is not None:
        _report_ended(layout, progress)
        with progress.step("Processes of an earlier start are stopped"):
            stop_all(layout)
    ui_port = read_port(environment, "KIPFLOW_UI_PORT", UI_PORT)
    check_port_free(ui_port, variable="KIPFLOW_UI_PORT", purpose="the UI")
    sandbox = _plan_sandbox(layout, ui_port) if layout.community == SANDBOX else None
    ui_url = f"http://{LOCAL}:{ui_port}"
    # commands in a shell write the same messages as Airflow's tasks
    variables = {"KIPFLOW_BOARD_URL": f"{ui_url}/kipflow", **(sandbox.variables if sandbox else {})}
    environment.update(variables)
    community = load_community(settings.community, settings.config)
    find_roster(community, settings.config)  # a wrong roster is refused here, not by every task
    credentials = load_credentials(layout.secrets)
    write_passwords(layout.passwords, credentials)
    running = Running(
        community=layout.community,
        ui_url=ui_url,
        sandbox_url=sandbox.url if sandbox else None,
        variables=variables,
        passwords=credentials.passwords,
    )
    with progress.step("Java for Spark is found or prepared"):
        programs = build_environment(settings, community, layout, credentials, base=environment, port=ui_port)
    with progress.step("Databases are created or brought up to date") as step:
        services.prepare_databases(settings, layout, programs, step)
    if sandbox is not None:
        with progress.step(f"The sandbox community starts at {sandbox.url}"):
            services.start_sandbox(layout, programs, continue_after(sandbox, settings))
    with progress.step(f"Airflow starts at {running.ui_url}") as step, _api(running) as api:
        services.start_airflow(layout, programs, api, step)
    if community.slack is not None and community.slack.buttons and programs.get("KIPFLOW_SLACK_APP_TOKEN"):
        services.start_slack_app(layout, programs)
    save_running(layout, running)
    return running, sandbox


def _report_ended(layout: Layout, progress: Progress) -> None:
    """Report which programs of an earlier start ended by themselves while others went on."""
    for service in load_services(layout):
        if not service.is_alive:
            kept = service.log.with_suffix(".previous.log")  # the next start renames it to this
            progress.say(f"{service.name} had ended by itself (its log: {kept}). Everything is started again")


def _plan_sandbox(layout: Layout, ui_port: int) -> Sandbox:
    port = read_port(os.environ, "KIPFLOW_SANDBOX_PORT", SANDBOX_PORT)
    if port == ui_port:
        raise LaunchFailed(what="KIPFLOW_SANDBOX_PORT", why=f"is the UI's port too ({ui_port}); choose another")
    check_port_free(port, variable="KIPFLOW_SANDBOX_PORT", purpose="the sandbox")
    return plan_sandbox(layout, port=port, mail_port=find_free_port(), environment=os.environ, now=datetime.now(UTC))


def _run(running: Running, layout: Layout, progress: Progress) -> list[str]:
    with _api(running) as api:
        api.login()
        return run_dags(
            WaitContext(
                api=api,
                progress=progress,
                seconds=RUN_SECONDS,
                task_logs=layout.logs / "airflow",
                check_alive=lambda: services.check_alive(load_services(layout)),
            )
        )


def _api(running: Running) -> AirflowApi:
    return AirflowApi(running.ui_url, user=ADMIN, password=running.passwords[ADMIN])


def _stop_again(layout: Layout, progress: Progress) -> None:
    """After a failure, stop everything; a second failure or Ctrl-C must not hide the first."""
    try:
        with _uninterrupted(), progress.step("What was started is stopped again"):
            stop_all(layout)
    except LaunchFailed as error:
        progress.say(str(error))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C: stopping takes some seconds, and a second Ctrl-C would leave processes behind."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is interrupted and may set signal handlers
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _alone(layout: Layout) -> Iterator[None]:
    """Hold the home's lock. Raises LaunchFailed if another start is under way: the two would interfere."""
    with open(layout.home / "start.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LaunchFailed(what="up", why=f"another start is under way in {layout.home}") from None
        yield

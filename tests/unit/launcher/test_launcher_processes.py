"""Programs are started apart from us, and nothing of them is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from kipflow.domain.errors import LaunchFailed
from kipflow.launcher import processes
from kipflow.launcher.environment import MARKER
from kipflow.launcher.layout import Layout
from kipflow.launcher.services import check_alive
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

SLEEP = [sys.executable, "-c", "import time; time.sleep(120)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(120)",
]


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Layout]:
    monkeypatch.setattr(processes, "LEAD_SECONDS", 0.5)
    layout = Layout(home=tmp_path, community="sandbox")
    yield layout
    processes.stop_all(layout)


@pytest.fixture
def marked(layout: Layout) -> dict[str, str]:
    return {**os.environ, MARKER: layout.marker}


def is_gone(pid: int) -> bool:
    """Whether a process ends: one that was killed takes a moment."""
    return wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


def test_a_service_leads_a_session_of_its_own(layout: Layout, marked: dict[str, str]) -> None:
    service = processes.start("sleeper", SLEEP, environment=marked, layout=layout)

    assert os.getsid(service.pid) == service.pid != os.getsid(0)
    assert service.is_alive
    assert processes.load_services(layout) == [service]


def test_stopping_ends_children_that_left_the_session(layout: Layout, marked: dict[str, str], tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time; from pathlib import Path;"
        f"child = subprocess.Popen({SLEEP!r}, start_new_session=True);"
        f"Path({str(tmp_path / 'child')!r}).write_text(str(child.pid)); time.sleep(120)"
    )
    service = processes.start("parent", [sys.executable, "-c", code], environment=marked, layout=layout)
    assert wait_until(lambda: (tmp_path / "child").is_file() and bool((tmp_path / "child").read_text()))
    child = int((tmp_path / "child").read_text())

    assert processes.stop_all(layout) == 2
    assert is_gone(service.pid)
    assert is_gone(child)
    assert processes.load_services(layout) == []


def test_an_orphan_of_a_crashed_start_is_found_by_its_marker(layout: Layout, marked: dict[str, str]) -> None:
    orphan = subprocess.Popen(SLEEP, env=marked, start_new_session=True)  # no pid file tells of it
    # a process shows its environment only once its program has begun
    assert wait_until(lambda: [p.pid for p in processes.find_marked(layout)] == [orphan.pid])
    assert processes.stop_all(layout) == 1
    assert is_gone(orphan.pid)


def test_a_process_that_ignores_term_is_killed(
    layout: Layout, marked: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.2)
    service = processes.start("stubborn", STUBBORN, environment=marked, layout=layout)
    assert wait_until(lambda: "deaf" in service.log.read_text())

    processes.stop_all(layout)

    assert is_gone(service.pid)


def test_another_homes_processes_are_left_alone(layout: Layout, marked: dict[str, str], tmp_path: Path) -> None:
    other = Layout(home=tmp_path / "other", community="sandbox")
    theirs = subprocess.Popen(SLEEP, env={**marked, MARKER: other.marker}, start_new_session=True)
    try:
        assert processes.stop_all(layout) == 0
        assert theirs.poll() is None
    finally:
        theirs.kill()
        theirs.wait()


def test_stopping_twice_is_harmless(layout: Layout) -> None:
    assert processes.stop_all(layout) == 0
    assert processes.stop_all(layout) == 0


def test_a_process_id_that_went_to_another_program_is_not_ours(layout: Layout, marked: dict[str, str]) -> None:
    unmarked = {name: value for name, value in marked.items() if name != MARKER}
    stranger = subprocess.Popen(SLEEP, env=unmarked, start_new_session=True)
    try:
        # in the instant of its start a program shows no environment yet
        assert wait_until(lambda: bool(psutil.Process(stranger.pid).environ()))
        service = processes.Service(name="x", pid=stranger.pid, log=Path("x.log"), marker=layout.marker)
        assert not service.is_alive
    finally:
        stranger.kill()
        stranger.wait()


def test_a_program_that_ended_is_reported_with_its_last_error(layout: Layout, marked: dict[str, str]) -> None:
    failing = [sys.executable, "-c", "print('starting'); raise OSError('no room in the inn')"]
    service = processes.start("failing", failing, environment=marked, layout=layout)
    assert wait_until(lambda: not service.is_alive)

    with pytest.raises(LaunchFailed, match=r"failing ended: OSError: no room in the inn \(log: .*failing\.log\)"):
        check_alive([service])


def test_a_program_that_does_not_exist_is_one_clear_line(layout: Layout, marked: dict[str, str]) -> None:
    with pytest.raises(LaunchFailed, match="absent: cannot be started"):
        processes.start("absent", ["/no/such/program"], environment=marked, layout=layout)


def test_the_log_of_the_last_start_is_kept_beside_the_new_one(layout: Layout, marked: dict[str, str]) -> None:
    for word in ("first", "second"):
        service = processes.start(
            "teller", [sys.executable, "-c", f"print({word!r})"], environment=marked, layout=layout
        )
        assert wait_until(lambda: not service.is_alive)  # noqa: B023

    assert (layout.logs / "teller.log").read_text() == "second\n"
    assert (layout.logs / "teller.previous.log").read_text() == "first\n"


def test_what_a_task_raised_is_reported_in_plain_words(tmp_path: Path) -> None:
    log = tmp_path / "attempt=1.log"
    log.write_text(
        '{"level":"info","event":"an Error in a subject"}\n'
        '{"level":"error","event":"Task failed with exception","error_detail":'
        '[{"exc_type":"ServiceUnavailable","exc_value":"Confluence: https://wiki.example: no answer"}]}\n'
        '{"level":"info","event":"::endgroup::"}\n'
    )

    assert processes.find_last_error(log) == "ServiceUnavailable: Confluence: https://wiki.example: no answer"

"""Background programs: started in sessions of their own, and reliably found and ended again.

Each has the home's marker in its environment, and so have its children, so that nothing is left behind: neither after a
crash of the launcher, nor by programs in new sessions.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from kipflow.adapters.private import PRIVATE, open_private
from kipflow.domain.errors import LaunchFailed
from kipflow.launcher.environment import MARKER
from kipflow.launcher.layout import Layout

LEAD_SECONDS = 6.0
GRACE_SECONDS = 15.0
KILL_SECONDS = 10.0
_ERROR = re.compile(r"Error|ERROR|error:|\"level\":\s?\"(?:error|critical)\"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A started program: its name, process id and log file."""

    name: str
    pid: int
    log: Path
    marker: str

    @property
    def is_alive(self) -> bool:
        """Whether the program runs; its process id may belong to another program by now."""
        try:
            process = psutil.Process(self.pid)
            seen = process.environ()
            # at the moment of its start a program shows no environment yet
            return process.status() != psutil.STATUS_ZOMBIE and (not seen or seen.get(MARKER) == self.marker)
        except (psutil.Error, OSError):
            return False


def start(name: str, command: Sequence[str], *, environment: Mapping[str, str], layout: Layout) -> Service:
    """Start `command` in a session of its own, writing to `logs/NAME.log`. Raises LaunchFailed if it cannot start."""
    layout.logs.mkdir(parents=True, exist_ok=True)
    layout.run.mkdir(parents=True, exist_ok=True)
    log = layout.logs / f"{name}.log"
    # keep the log of one earlier start; more would fill the disk
    if log.is_file():
        log.replace(log.with_suffix(".previous.log"))
    try:
        with open_private(log) as output:
            process = open_process(command, environment, output, layout)
    except OSError as error:
        raise LaunchFailed(what=name, why=f"cannot be started: {error}", log=str(log)) from None
    (layout.run / f"{name}.pid").write_text(json.dumps({"pid": process.pid, "log": str(log)}), encoding="utf-8")
    return Service(name=name, pid=process.pid, log=log, marker=layout.marker)


def open_process(
    command: Sequence[str], environment: Mapping[str, str], output: IO[bytes], layout: Layout
) -> subprocess.Popen[bytes]:
    """A program of this home, in a session of its own."""
    return subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        cwd=layout.home,
        start_new_session=True,
        umask=PRIVATE,
    )


def load_services(layout: Layout) -> list[Service]:
    """The services whose pid files exist, alive or not."""
    services = []
    for path in sorted(layout.run.glob("*.pid")):
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            log = Path(raw["log"])
            services.append(Service(name=path.stem, pid=int(raw["pid"]), log=log, marker=layout.marker))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a half-written file after a crash; the process is found by its marker
    return services


def find_marked(layout: Layout) -> Iterator[psutil.Process]:
    """All processes of this home, also without a living parent.

    Zombies have no environment and are left out.
    """
    ours = {os.getpid(), *(p.pid for p in psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            if process.pid not in ours and process.environ().get(MARKER) == layout.marker:
                yield process
        except (psutil.Error, OSError):
            continue  # ended meanwhile, or another user's


def stop_all(layout: Layout) -> int:
    """End every process of this home and remove the pid files. Returns how many there were.

    Raises LaunchFailed if one does not end even if killed.
    """
    found = list(find_marked(layout))
    left = found
    # The programs first: a scheduler waits in vain for workers that were ended. What does not end with them (a task, a
    # JVM, an orphan) is stopped next, and finally killed.
    services = {service.pid for service in load_services(layout)}
    for seconds, number, which in (
        (LEAD_SECONDS, signal.SIGTERM, services),
        (GRACE_SECONDS, signal.SIGTERM, None),
        (KILL_SECONDS, signal.SIGKILL, None),
    ):
        chosen = [process for process in left if which is None or process.pid in which]
        for process in chosen:
            _signal(process, number)
        left = _wait_gone(layout, seconds) if chosen else left
    if left:
        names = ", ".join(str(p.pid) for p in left)
        raise LaunchFailed(what="stop", why=f"processes do not end even when killed: {names}")
    for path in layout.run.glob("*"):
        path.unlink(missing_ok=True)
    return len(found)


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.Error:
        return  # gone already


def _wait_gone(layout: Layout, seconds: float) -> list[psutil.Process]:
    """The processes of this home that are left after at most `seconds`, including new children."""
    deadline = time.monotonic() + seconds
    while True:
        left = list(find_marked(layout))
        if not left or time.monotonic() >= deadline:
            return left
        time.sleep(0.2)


def find_last_error(log: Path) -> str:
    """The last line of a log that names an error, else its last line.

    Airflow's tasks write one JSON object per line, with the exception in `error_detail`.
    """
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in deque(file, maxlen=400) if line.strip()]
    except OSError:
        return "it wrote no log"
    errors = [line for line in lines if _ERROR.search(line)]
    chosen = (errors or lines or ["it ended without a word"])[-1]
    return _plain(chosen)[:300]


def has_raised(log: Path) -> bool:
    """Whether a task's log has an exception: not if the task was killed, or has no log."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return any('"error_detail"' in line for line in file)
    except OSError:
        return False


def _plain(line: str) -> str:
    try:
        entry = json.loads(line)
        raised = entry.get("error_detail") or []
        return f"{raised[0]['exc_type']}: {raised[0]['exc_value']}" if raised else str(entry["event"])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return line

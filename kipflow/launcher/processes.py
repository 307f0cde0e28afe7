"""Programs that run in the background: started in groups of their own, found and ended again surely.

Every one carries the home's marker in its environment and so do its children, so that nothing can be
left behind: not by a crash of the launcher, not by a program that starts others in new sessions.
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
    """A program that was started: what we call it, its process id and where it writes."""

    name: str
    pid: int
    log: Path
    marker: str

    @property
    def is_alive(self) -> bool:
        """True while the program runs; a process id that went to some other program does not count."""
        try:
            process = psutil.Process(self.pid)
            seen = process.environ()
            # in the instant of its start a program shows no environment yet
            return process.status() != psutil.STATUS_ZOMBIE and (not seen or seen.get(MARKER) == self.marker)
        except (psutil.Error, OSError):
            return False


def start(name: str, command: Sequence[str], *, environment: Mapping[str, str], layout: Layout) -> Service:
    """Start `command` as the leader of a session of its own, writing to `logs/NAME.log`.

    Raises:
        LaunchFailed: the program could not be started at all.
    """
    layout.logs.mkdir(parents=True, exist_ok=True)
    layout.run.mkdir(parents=True, exist_ok=True)
    log = layout.logs / f"{name}.log"
    # one start's worth is kept beside the current one; more only fills the disk
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
            continue  # a half-written file of a start that crashed; the marker finds its process
    return services


def find_marked(layout: Layout) -> Iterator[psutil.Process]:
    """All processes of this home, whoever started them and whatever became of their parents.

    Ended ones that nobody collected yet have no environment any more and are left out.
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

    Raises:
        LaunchFailed: processes are left even after they were killed.
    """
    found = list(find_marked(layout))
    left = found
    # The programs first: a scheduler whose workers are ended under it waits for them in vain. What does
    # not follow (a task at work, a JVM, an orphan) is stopped itself, and killed in the end.
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
    """What is left of this home's processes after at most `seconds`. Looks anew each time: children may come."""
    deadline = time.monotonic() + seconds
    while True:
        left = list(find_marked(layout))
        if not left or time.monotonic() >= deadline:
            return left
        time.sleep(0.2)


def find_last_error(log: Path) -> str:
    """The last line of a log that names an error, or its last line at all, in plain words.

    Airflow's tasks write one JSON object a line; what was raised stands in its `error_detail`.
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
    """True where a task's log holds what ended it: none where it was killed, and none without a log."""
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

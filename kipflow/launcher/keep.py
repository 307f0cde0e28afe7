"""Run a program, and restart it after a crash: `python -I …/keep.py PROGRAM …`.

Airflow's scheduler ends if its SQLite database was locked for too long, and nothing is decided until it runs again. A
program that ends soon after its start is not restarted: it would end again.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

#: After this time a program counts as started successfully.
WORKED_SECONDS = 30.0
#: The pause before a restart: `stop_all`, which kills every program of a home, must not miss a new one.
PAUSE_SECONDS = 2.0


def keep(command: Sequence[str], *, worked: float = WORKED_SECONDS, pause: float = PAUSE_SECONDS) -> int:
    """Run a command until it ends successfully, soon after a start, or after a signal to this process.

    Returns:
        The command's last exit code.
    """
    code, is_stopped, running = 0, False, list[subprocess.Popen[bytes]]()

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal is_stopped
        is_stopped = True
        for child in running:
            child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    while not is_stopped:
        began = time.monotonic()
        running[:] = [subprocess.Popen(list(command))]
        if is_stopped:  # a signal came just before the start
            running[0].terminate()
        code = running[0].wait()
        if code == 0 or is_stopped or time.monotonic() - began < worked:
            break
        print(f"ended with {code}: started again", flush=True)
        time.sleep(pause)
    return code


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))

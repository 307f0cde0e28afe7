"""Start and stop a local kipflow many times, while somebody else keeps Airflow's database locked now and then.

    KIPFLOW_HOME=/tmp/again python -m tools.restarts [--times 30]

Exit code 1 if a start failed or left something behind; `KIPFLOW_UI_PORT` and `KIPFLOW_SANDBOX_PORT` as for `make run`.
"""

from __future__ import annotations

import argparse
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kipflow.config.settings import read_settings
from kipflow.launcher.layout import find_layout

#: Longer than the 5 seconds that SQLite waits for another's write unless set otherwise.
LOCKED_SECONDS = 7.0
#: Airflow kills a task whose heartbeat found no gap for a minute: that would try Airflow, not the start.
FREE_SECONDS = 20.0
_KIPFLOW = str(Path(sys.executable).with_name("kipflow"))


@contextmanager
def locked_now_and_then(database: Path) -> Iterator[list[int]]:
    """Hold the write lock of a database for some seconds, again and again; counts how often."""
    done, held = threading.Event(), [0]

    def hold() -> None:
        while not done.wait(FREE_SECONDS):
            if not database.is_file():
                continue
            connection = sqlite3.connect(database, timeout=60, isolation_level=None)
            try:
                connection.execute("BEGIN IMMEDIATE")
                held[0] += 1
                done.wait(LOCKED_SECONDS)
                connection.execute("ROLLBACK")
            except sqlite3.OperationalError:
                continue  # others held it all the time
            finally:
                connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        yield held
    finally:
        done.set()
        thread.join()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30)
    times: int = parser.parse_args(arguments).times
    database = find_layout(read_settings()).airflow / "airflow.db"
    failed = 0
    for number in range(1, times + 1):
        started = time.monotonic()
        with locked_now_and_then(database) as held:
            up = subprocess.run([_KIPFLOW, "up"], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
        down = subprocess.run([_KIPFLOW, "down"], capture_output=True, text=True, check=False)
        good = up.returncode == 0 and down.returncode == 0
        failed += not good
        print(
            f"{number} of {times}: {'well' if good else 'FAILED'} after {seconds:.0f} s, locked {held[0]} times",
            flush=True,
        )
        if not good:
            print(*(up.stdout + up.stderr + down.stderr).splitlines()[-20:], sep="\n", flush=True)
    print(f"{times - failed} of {times} starts went well")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

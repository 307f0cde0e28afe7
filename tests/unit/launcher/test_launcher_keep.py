"""A program that had worked and ended by a fault is started again, and stopped for good when its keeper is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from kipflow.launcher.keep import keep
from kipflow.launcher.services import KEPT

pytestmark = pytest.mark.slow

#: Ends with 3 until it was started for the third time.
FAULTY = """
import pathlib, sys
starts = pathlib.Path(sys.argv[1])
starts.write_text(starts.read_text() + "x" if starts.exists() else "x")
sys.exit(0 if len(starts.read_text()) == 3 else 3)
"""


@pytest.fixture(autouse=True)
def handlers() -> object:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_ends_by_a_fault_runs_again_until_it_ends_well(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    starts = tmp_path / "starts"

    assert keep([sys.executable, "-c", FAULTY, str(starts)], worked=0, pause=0) == 0

    assert starts.read_text() == "xxx"
    assert capfd.readouterr().out.splitlines() == ["ended with 3: started again"] * 2


def test_what_ends_soon_after_its_start_is_not_started_again(tmp_path: Path) -> None:
    starts = tmp_path / "starts"

    assert keep([sys.executable, "-c", FAULTY, str(starts)], pause=0) == 3

    assert starts.read_text() == "x"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_program_and_its_keeper(number: signal.Signals) -> None:
    sleeper = [sys.executable, "-c", "import time; print('at work', flush=True); time.sleep(120)"]
    with subprocess.Popen([*KEPT, *sleeper], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == "at work\n"
        [child] = psutil.Process(keeper.pid).children()

        os.kill(keeper.pid, number)

        assert keeper.wait(20) != 0
        assert not child.is_running()


def test_a_program_that_is_killed_while_it_works_runs_again() -> None:
    sleeper = [sys.executable, "-c", "import time; print('at work', flush=True); time.sleep(120)"]
    code = f"from kipflow.launcher.keep import keep; keep({sleeper!r}, worked=0, pause=0)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == "at work\n"
        [first] = psutil.Process(keeper.pid).children()

        first.kill()

        assert sorted([keeper.stdout.readline(), keeper.stdout.readline()]) == [
            "at work\n",
            "ended with -9: started again\n",
        ]
        assert [child.pid for child in psutil.Process(keeper.pid).children()] != [first.pid]
        keeper.terminate()

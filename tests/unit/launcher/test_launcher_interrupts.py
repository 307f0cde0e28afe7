"""What was started is stopped again after a failure, however often Ctrl-C is pressed meanwhile."""

from __future__ import annotations

import io
import os
import signal
from pathlib import Path

import pytest
from rich.console import Console

from kipflow.launcher import launch
from kipflow.launcher.layout import Layout
from kipflow.launcher.progress import Progress


def test_a_second_interrupt_does_not_break_off_the_stopping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[Layout] = []

    def stop_all(layout: Layout) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        stopped.append(layout)
        return 0

    monkeypatch.setattr(launch, "stop_all", stop_all)
    before = signal.getsignal(signal.SIGINT)
    layout = Layout(home=tmp_path, community="sandbox")
    launch._stop_again(layout, Progress(Console(file=io.StringIO())))
    assert stopped == [layout]
    assert signal.getsignal(signal.SIGINT) is before

"""Progress of steps: a spinner on a terminal, else plain lines."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.status import Status

QUIET_SECONDS = 10.0


class Step:
    """One running step. `say` shows its present detail, and can be called at any rate.

    With a reason in `failed` it ends marked as failed, and the next steps go on.
    """

    def __init__(self, title: str, console: Console, status: Status | None) -> None:
        self._title = title
        self._console = console
        self._status = status
        self._started = time.monotonic()
        self._detail = ""
        self.failed = ""
        self.done = threading.Event()

    def say(self, detail: str) -> None:
        """Show `detail` after the step's title."""
        self._detail = detail
        if self._status is not None:
            self._status.update(f"{self._title}: {escape(detail)}")

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def report(self) -> None:
        """Print a line now and then if there is no terminal, so that a long step does not look stuck."""
        while not self.done.wait(QUIET_SECONDS):
            detail = self._detail or "at work"
            self._console.print(f"  {self.seconds:3.0f} s  {detail}", highlight=False, markup=False, soft_wrap=True)


class Progress:
    """Prints steps to `console`, each with the seconds it took."""

    def __init__(self, console: Console) -> None:
        self.console = console

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:
        """Run the block as one step; one that raises is marked as failed."""
        live = self.console.is_terminal
        status = self.console.status(title) if live else None
        step = Step(title, self.console, status)
        reporter = threading.Thread(target=step.report, daemon=True)
        if status is not None:
            status.start()
        else:
            self.say(f"… {title}")
            reporter.start()
        try:
            yield step
        except BaseException:
            self.say(f"✗ {title} ({step.seconds:.0f} s)")
            raise
        else:
            mark, why = ("✗", f": {step.failed}") if step.failed else ("✓", "")
            self.say(f"{mark} {title}{why} ({step.seconds:.0f} s)")
        finally:
            step.done.set()
            if status is not None:
                status.stop()

    def say(self, line: str) -> None:
        """Print one line between steps."""
        self.console.print(line, highlight=False, markup=False, soft_wrap=True)

"""Waits for another process or thread."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(is_so: Callable[[], object], seconds: float = 20, *, every: float = 0.05) -> bool:
    """Whether it becomes so, within a time that only a stuck machine needs."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True

"""The name of this process as a deliverer. Other processes on the same machine can see from it whether it still runs.

Without that, the effects claimed by a killed process would wait for the end of its lease, even if the next process
starts at once. On another machine, or without /proc, nothing is known, and the lease decides.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_PROC = Path("/proc")


class ThisProcess:
    """A deliverer named PLACE/PID/START/NONCE, because process ids are reused and each container has its own."""

    def __init__(self) -> None:
        place, start = _find_place(), _find_start(os.getpid())
        self.name = f"{place or 'somewhere'}/{os.getpid()}/{start or '-'}/{secrets.token_hex(4)}"

    def is_gone(self, name: str) -> bool:
        """Whether that process certainly ended."""
        place, _, rest = name.partition("/")
        if place == "somewhere" or place != _find_place():
            return False
        pid, _, start = rest.partition("/")
        return pid.isdecimal() and _find_start(int(pid)) != start.partition("/")[0]


def _find_place() -> str | None:
    """Identifies one boot of one machine and one namespace of process ids; None without /proc."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}-{os.readlink(_PROC / 'self/ns/pid').strip('pid:[]')}"
    except OSError:
        return None


def _find_start(pid: int) -> str | None:
    """When a process started, in clock ticks since boot; None if it ended."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # the process name, in brackets, can contain anything
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in {"Z", "X"} else fields[19]

"""This process as a deliverer, by a name from which others on the same machine see whether it still lives.

Without that, what a process had in hand when it was killed would wait for the end of its lease, however soon the next
one came. On another machine, or where there is no /proc, nothing is known, and the lease decides.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_PROC = Path("/proc")


class ThisProcess:
    """A deliverer named PLACE/PID/START/NONCE: process ids are used again, and a container has its own."""

    def __init__(self) -> None:
        place, start = _find_place(), _find_start(os.getpid())
        self.name = f"{place or 'somewhere'}/{os.getpid()}/{start or '-'}/{secrets.token_hex(4)}"

    def is_gone(self, name: str) -> bool:
        """True only if that process certainly ended."""
        place, _, rest = name.partition("/")
        if place == "somewhere" or place != _find_place():
            return False
        pid, _, start = rest.partition("/")
        return pid.isdecimal() and _find_start(int(pid)) != start.partition("/")[0]


def _find_place() -> str | None:
    """One run of one machine, and the process ids that are seen there."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}-{os.readlink(_PROC / 'self/ns/pid').strip('pid:[]')}"
    except OSError:
        return None


def _find_start(pid: int) -> str | None:
    """When a process started, in ticks since the machine did; None for one that ended."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # the name before it, in brackets, can hold anything
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in {"Z", "X"} else fields[19]

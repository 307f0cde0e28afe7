"""Keeps what a run makes from other users of the machine: mail, decisions, tokens in logs."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

#: The umask of every process of kipflow: what it makes is its owner's alone.
PRIVATE = 0o077
#: Below the home: what holds data or secrets. A database's -wal and -shm hold what it does.
_KEPT = ("*.db*", "*.json", "logs/*.log", "run/*", "airflow/*/airflow.db*", "airflow/*/passwords.json")


def keep_private(home: Path, database: Path | None = None) -> str:
    """Make the home if it is not there, and close it and its databases, logs and secrets to others.

    Returns:
        What had been open to others until now, in one line; "" if nothing was.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = [home, *(path for pattern in _KEPT for path in home.glob(pattern)), *find_database_files(database)]
    closed = [path for path in dict.fromkeys(found) if _close(path)]
    if not closed:
        return ""
    more = f" and {len(closed) - 1} more" if len(closed) > 1 else ""
    return f"{closed[0]}{more} could be read by others on this machine; now only by you"


def make_private_file(path: Path) -> None:
    """Make an empty file that only its owner can read, if there is none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def open_private(path: Path) -> IO[bytes]:
    """An empty file to write that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def write_private(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file of its owner's so that no reader ever sees half of it; an equal one is left alone."""
    if path.is_file() and path.stat().st_mode & 0o777 == mode and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def find_database_files(database: Path | None) -> Iterator[Path]:
    """The files of a SQLite database that are there."""
    if database is not None:
        named = (database.with_name(database.name + end) for end in ("", "-wal", "-shm"))
        yield from (path for path in named if path.is_file())


def _close(path: Path) -> bool:
    """Take everybody else's rights; False if they had none, or it is not ours to say."""
    try:
        seen = path.stat()
        if seen.st_uid != os.geteuid() or not stat.S_IMODE(seen.st_mode) & 0o077:
            return False
        path.chmod(stat.S_IMODE(seen.st_mode) & 0o700)
    except OSError:
        return False
    return True

"""Protects files from other users of the machine: they hold mail, decisions, and tokens in logs."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

#: The umask of every process of kipflow: only the owner can read its files.
PRIVATE = 0o077
#: Files with data or secrets below the home. A database's -wal and -shm files contain its data too.
_KEPT = ("*.db*", "*.json", "logs/*.log", "run/*", "airflow/*/airflow.db*", "airflow/*/passwords.json")


def keep_private(home: Path, database: Path | None) -> str:
    """Create the home if it is missing, and make it and its databases, logs and secrets private.

    Returns:
        One line that says what others could read until now; "" if nothing.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = [home, *(path for pattern in _KEPT for path in home.glob(pattern)), *find_database_files(database)]
    closed = [path for path in dict.fromkeys(found) if _close(path)]
    if not closed:
        return ""
    more = f" and {len(closed) - 1} more" if len(closed) > 1 else ""
    return f"{closed[0]}{more} could be read by others on this machine; now only by you"


def make_private_file(path: Path) -> None:
    """Create an empty file that only its owner can read, unless it exists."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def open_private(path: Path) -> IO[bytes]:
    """Open an empty file for writing that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def write_private(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a private file atomically. An equal file is left alone."""
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
    """The existing files of a SQLite database."""
    if database is not None:
        named = (database.with_name(database.name + end) for end in ("", "-wal", "-shm"))
        yield from (path for path in named if path.is_file())


def _close(path: Path) -> bool:
    """Remove the rights of others; False if they had none, or if the file belongs to another user."""
    try:
        seen = path.stat()
        if seen.st_uid != os.geteuid() or not stat.S_IMODE(seen.st_mode) & 0o077:
            return False
        path.chmod(stat.S_IMODE(seen.st_mode) & 0o700)
    except OSError:
        return False
    return True

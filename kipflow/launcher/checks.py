"""Checks before anything is started; each failure is one line that says what to do."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Mapping
from pathlib import Path

from kipflow.domain.errors import LaunchFailed
from kipflow.launcher.environment import LOCAL

NEEDED_BYTES = 300_000_000


def read_port(environment: Mapping[str, str], variable: str, default: int) -> int:
    """The port that `variable` names, or `default`. Raises LaunchFailed if it holds no port."""
    text = environment.get(variable) or str(default)
    if not text.isdigit() or not 1024 <= int(text) <= 65_535:
        raise LaunchFailed(what=variable, why=f"expected a port from 1024 to 65535, got {text!r}")
    return int(text)


def check_port_free(port: int, *, variable: str, purpose: str) -> None:
    """Raise LaunchFailed if something listens on the port: a stale server would answer our health probes."""
    with socket.socket() as probe:
        # as the servers do: a port whose last connections are only timing out is free
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOCAL, port))
        except OSError:
            raise LaunchFailed(
                what=f"port {port}", why=f"is in use; free it, or set {variable} to another port for {purpose}"
            ) from None


def find_free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((LOCAL, 0))
        return int(probe.getsockname()[1])


def check_room(home: Path) -> None:
    """Raise LaunchFailed if the folder cannot be written, or has no room for databases and logs."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        free = shutil.disk_usage(home).free
    except OSError as error:
        raise LaunchFailed(what=str(home), why=f"cannot be written ({error.strerror}); set KIPFLOW_HOME") from None
    if free < NEEDED_BYTES:
        raise LaunchFailed(
            what=str(home), why=f"its disk has {free // 1_000_000} MB free and {NEEDED_BYTES // 1_000_000} are needed"
        )

"""Measured figures, and running measurements in separate processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).resolve().parent
ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measured figure. `ratio` is the speed relative to `peer` (higher is better); `reach` the least wanted ratio."""

    what: str
    seconds: float
    per_second: float
    unit: str
    peak_mb: float | None = None
    peer: str | None = None
    ratio: float | None = None
    reach: float | None = None

    @property
    def is_reached(self) -> bool:
        return self.ratio is None or self.reach is None or self.ratio >= self.reach

    @classmethod
    def of(cls, what: str, seconds: float, count: float, unit: str, *, other: float = 0.0, **more: Any) -> Figure:
        """So many units in so many seconds; `other` is the peer's seconds for the same, or its budget."""
        if other:
            more["ratio"] = other / seconds
        return cls(what=what, seconds=seconds, per_second=count / seconds, unit=unit, **more)

    def render(self) -> str:
        text = f"{self.what:<52}{self.seconds:8.2f} s{self.per_second:12,.0f} {self.unit}/s"
        if self.peak_mb is not None:
            text += f"{self.peak_mb:7.0f} MB"
        if self.ratio is not None:
            text += f"   {self.ratio:6.2f} x {self.peer}"
        if self.reach is not None:
            text += f" (reach {self.reach:g}: {'yes' if self.is_reached else 'NO'})"
        return text

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "is_reached": self.is_reached}


def run_apart(script: str, name: str, *arguments: str) -> dict[str, Any]:
    """Run the measurement `name` of `bench/SCRIPT.py` in a new process; returns its result with `peak_mb`."""
    command = [sys.executable, str(HERE / f"{script}.py"), name, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"the measurement {name} failed:\n{run.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return answer


@contextmanager
def serving(script: str) -> Iterator[str]:
    """Start the archive of `bench/SCRIPT.py` in a separate process; yields its address."""
    command = [sys.executable, str(HERE / f"{script}.py"), "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()


def serve(respond: Callable[[str, dict[str, str], Callable[..., None]], None]) -> dict[str, Any]:
    """The server side of `serving`: calls `respond` with path, query, and a function that sends the response (at a
    `rate` in bytes per second)."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            respond(url.path, {key: values[0] for key, values in parse_qs(url.query).items()}, self.send)

        def send(self, body: bytes, *, rate: float = float("inf")) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for start in range(0, len(body), 1 << 16):
                chunk = body[start : start + (1 << 16)]
                self.wfile.write(chunk)
                time.sleep(len(chunk) / rate)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
    return {}


def run_in_turns(script: str, calls: Mapping[str, str], *arguments: str) -> dict[str, dict[str, Any]]:
    """Run several measurements in turns, round after round; returns for each the round with the least `seconds`.

    Other load on the machine varies: taking turns spreads it evenly, and the fastest round is the least
    disturbed one. `calls` maps each figure's name to the measurement's name; all have the same arguments.
    """
    best: dict[str, dict[str, Any]] = {}
    for _ in range(ROUNDS):
        for name, measurement in calls.items():
            found = run_apart(script, measurement, *arguments)
            if name not in best or found["seconds"] < best[name]["seconds"]:
                best[name] = found
    return best


def answer(measurements: dict[str, Callable[..., dict[str, Any]]]) -> None:
    """The process side of `run_apart`: run the measurement named on the command line and print its result as JSON."""
    result = measurements[sys.argv[1]](*sys.argv[2:])
    print(json.dumps({"peak_mb": _find_peak(), **result}))


def _find_peak() -> float | None:
    """The peak memory of this process in MB; None if the system does not report it."""
    try:
        # not `getrusage`: its value includes the memory of the parent process before exec
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    return int(status.split("VmHWM:")[1].split()[0]) / 1024

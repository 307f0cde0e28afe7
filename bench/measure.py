"""One measured figure, and running a measurement in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What was measured. `ratio` is the speed against `peer` (higher is better); `reach` the least wanted."""

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
    """Run the measurement `name` of `bench/SCRIPT.py` in a new process; what it answers, with `peak_mb`."""
    command = [sys.executable, str(HERE / f"{script}.py"), name, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"the measurement {name} failed:\n{run.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return answer


@contextmanager
def serving(script: str) -> Iterator[str]:
    """The archive that `bench/SCRIPT.py` serves, in a process of its own; gives its address."""
    command = [sys.executable, str(HERE / f"{script}.py"), "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()


def serve(respond: Callable[[str, dict[str, str], Callable[..., None]], None]) -> dict[str, Any]:
    """The other end of `serving`: an HTTP server that calls `respond` with path, query, and what sends the answer, all
    at once or at a `rate` of bytes in a second."""

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


def run_in_turns(script: str, calls: Mapping[str, Sequence[str]], *, rounds: int) -> dict[str, dict[str, Any]]:
    """Run several measurements one after the other, round after round; of each the round with least `seconds`.

    What else a machine does comes and goes: taking turns lets it fall on all of them alike, and the
    quickest round is the one least disturbed. `calls` gives each figure's name the measurement's name and
    arguments.
    """
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for name, (measurement, *arguments) in calls.items():
            found = run_apart(script, measurement, *arguments)
            if name not in best or found["seconds"] < best[name]["seconds"]:
                best[name] = found
    return best


def answer(measurements: dict[str, Callable[..., dict[str, Any]]]) -> None:
    """The other end of `run_apart`: measure what the command line names and print the answer as JSON."""
    result = measurements[sys.argv[1]](*sys.argv[2:])
    print(json.dumps({"peak_mb": _find_peak(), **result}))


def _find_peak() -> float | None:
    """The most memory that this process held, in MB; None where the system does not say."""
    try:
        # not `getrusage`: what it gives begins with the memory of the process that started this one
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    return int(status.split("VmHWM:")[1].split()[0]) / 1024

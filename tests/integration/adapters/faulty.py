"""A small HTTP server that misbehaves on demand, on a thread of its own."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from kipflow.adapters.patience import Patience

Step = Callable[[BaseHTTPRequestHandler], None]

MAIL = b"From kim@x.example Mon Jan  1 10:00:00 2024\nMessage-ID: <%d@x.example>\nSubject: hello\n\nwords\n\n"
QUICK = Patience(attempts=4, total=5, first_wait=0.01, longest_wait=0.3, connect=2, read=0.4, download=1.0)


def mails(count: int) -> bytes:
    return b"".join(MAIL % n for n in range(count))


def answer(body: bytes = b"", status: int = 200, **headers: str) -> Step:
    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return step


def as_json(value: Any, status: int = 200, **headers: str) -> Step:
    return answer(json.dumps(value).encode(), status, Content_Type="application/json", **headers)


def packed(body: bytes, **headers: str) -> Step:
    return answer(gzip.compress(body), 200, Content_Encoding="gzip", **headers)


def reset_in_body(body: bytes, sent: int) -> Step:
    """Promise all of `body`, send a part, and break the connection with a reset."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:sent])
        handler.wfile.flush()
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.close_connection = True

    return step


def truncated(body: bytes, sent: int) -> Step:
    """Promise all of `body`, send a part, and close in good order."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:sent])
        handler.close_connection = True

    return step


def silence(seconds: float, stop: threading.Event) -> Step:
    def step(handler: BaseHTTPRequestHandler) -> None:
        stop.wait(seconds)
        handler.close_connection = True

    return step


def drip(body: bytes, every: float, stop: threading.Event) -> Step:
    """One byte at a time, each in time for the read timeout, for ever in all."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        for position in range(len(body)):
            if stop.wait(every):
                break
            try:
                handler.wfile.write(body[position : position + 1])
                handler.wfile.flush()
            except OSError:
                break
        handler.close_connection = True

    return step


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """Answers each request with the next step; the last step repeats. `by_path` goes first, by prefix."""

    url: str = ""
    steps: list[Step] = field(default_factory=list)
    by_path: dict[str, list[Step]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    busy: int = 0
    most_busy: int = 0

    def next_step(self, path: str) -> Step:
        with self.lock:
            steps = next((s for prefix, s in self.by_path.items() if path.startswith(prefix)), self.steps)
            return steps.pop(0) if len(steps) > 1 else steps[0]

    def play(self, *steps: Step) -> None:
        self.steps[:] = steps

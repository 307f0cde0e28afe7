"""A server that misbehaves, on a thread of its own, for each test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.integration.adapters.faulty import Seen, Server


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with state.lock:
                state.busy += 1
                state.most_busy = max(state.busy, state.most_busy)
                state.seen.append(Seen(self.command, self.path, dict(self.headers.items()), body))
            try:
                state.next_step(self.path)(self)
            finally:
                with state.lock:
                    state.busy -= 1

        do_PUT = do_POST = do_PATCH = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a client that gave up is part of the play

    http = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield state
    state.stop.set()
    http.shutdown()
    http.server_close()
    thread.join(5)

"""A server that misbehaves, on a thread of its own, for each test."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any

import pytest

from tests.httpservers import QuietHandler, running
from tests.integration.adapters.faulty import Seen, Server


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(QuietHandler):
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

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a client that gave up is part of the play

    with running(Quiet(("127.0.0.1", 0), Handler)) as address:
        state.url = f"http://{address}"
        yield state
        state.stop.set()

"""Ports for the servers that tests start."""

from __future__ import annotations

import random
import socket

#: Below the ports that Linux, macOS and Windows give to outgoing connections: between the choice of a port and
#: the server's start, no connection of another test can take it.
FIRST, LAST = 20_000, 32_000
_chance = random.SystemRandom()  # hypothesis makes the common generator repeat itself


def find_free_port() -> int:
    """A port of this machine that nothing listens at; another process that chooses too will hardly choose the same."""
    while True:
        port = _chance.randint(FIRST, LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port

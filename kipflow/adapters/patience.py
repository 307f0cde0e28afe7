"""Limits for requests to outside services: timeouts, retries, and pauses between requests."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import stamina

from kipflow.adapters.httpfaults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Timeouts and retries. All times are in seconds.

    `total` bounds all attempts of one request together; `longest_wait` caps a `Retry-After`; `download` bounds one
    answer from its first byte to its last. After `outage_after` failed requests in a row, each further request is tried
    only once, until one succeeds.
    """

    attempts: int = 5
    outage_after: int = 3
    total: float = 180.0
    first_wait: float = 0.5
    longest_wait: float = 60.0
    connect: float = 10.0
    read: float = 60.0
    download: float = 600.0


class Pace:
    """Keeps requests at least `pause` seconds apart, over all threads."""

    def __init__(self, pause: float) -> None:
        self._pause, self._next, self._lock = pause, 0.0, threading.Lock()

    def wait(self) -> None:
        if self._pause <= 0:
            return
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self._pause
        time.sleep(start - now)


class Outage:
    """Detects that a service is down, so that a run over many months or pages does not retry each of them for long.

    Each is still tried once: one broken month of an archive does not mean that the next one is broken too.
    """

    def __init__(self, after: int) -> None:
        self._after, self._failed, self._lock = after, 0, threading.Lock()

    def note(self, fault: Fault) -> None:
        """Count a request that failed for good. One that got any answer shows that the service is up."""
        with self._lock:
            self._failed = self._failed + 1 if fault.away else 0

    def end(self) -> None:
        with self._lock:
            self._failed = 0

    def is_likely(self) -> bool:
        return self._failed >= self._after


def silence_retries() -> None:
    """Turn off stamina's own log line for each retry: `HttpService.retry` logs every fault with its reason."""
    stamina.instrumentation.set_on_retry_hooks([])

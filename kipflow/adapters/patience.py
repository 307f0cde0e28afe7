"""How long and how often an outside service is asked, and how politely."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import stamina

from kipflow.adapters.httpfaults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a service is waited for. All times are in seconds.

    `total` bounds all attempts of one request together; `longest_wait` caps what a `Retry-After` may
    ask; `download` bounds one answer from its first byte to its last, however slowly they come. After so many
    requests `in_vain`, one after the other, each further one is tried once, until one is answered.
    """

    attempts: int = 5
    in_vain: int = 3
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


class Absence:
    """Whether a service seems to be away: a run over many months or pages then waits for none of them for long.

    Each is still tried: what one month of an archive always breaks on says nothing of the next.
    """

    def __init__(self, in_vain: int) -> None:
        self._in_vain, self._failed, self._lock = in_vain, 0, threading.Lock()

    def note(self, fault: Fault) -> None:
        """A request was given up. One that was answered somehow says that the service is there."""
        with self._lock:
            self._failed = self._failed + 1 if fault.away else 0

    def end(self) -> None:
        with self._lock:
            self._failed = 0

    def is_likely(self) -> bool:
        return self._failed >= self._in_vain


_hooked = threading.Event()


def silence_retries() -> None:
    """Silence stamina's own line per retry of a `Fault`: `HttpService.retry` logs each once, with its reason.

    What others in this process retry is left as it was.
    """
    if _hooked.is_set():
        return
    _hooked.set()
    others = stamina.instrumentation.get_on_retry_hooks()

    def pass_on(details: stamina.instrumentation.RetryDetails) -> None:
        if not isinstance(details.caused_by, Fault):
            for hook in others:
                hook(details)

    stamina.instrumentation.set_on_retry_hooks([pass_on])

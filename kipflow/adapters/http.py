"""The HTTP client for every outside service: with bounded retries, and without secrets in its messages.

Temporary faults are retried (429, 5xx, broken connections, answers of the wrong form), a bounded number of times within
a bounded time. `Retry-After` is honoured. Every fault is one line in the log. After the last attempt,
`ServiceUnavailable` is raised.
"""

from __future__ import annotations

import functools
import itertools
import logging
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx
import stamina

from kipflow import __version__
from kipflow.adapters.httpfaults import Answer, Fault, as_fault, refuse
from kipflow.adapters.patience import Outage, Pace, Patience, silence_retries
from kipflow.domain.errors import ServiceUnavailable

log = logging.getLogger(__name__)
T = TypeVar("T")

#: The longest answer that is read into memory, in bytes. A page with all its text is far smaller.
MAX_ANSWER = 32 * 1024 * 1024
#: Simultaneous connections to one service.
_CONNECTIONS = 2
_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})


@functools.cache
def _load_authorities() -> ssl.SSLContext:
    """The trusted certificate authorities. Loading takes longer than most requests, so it is done once per process."""
    return httpx.create_ssl_context()


class HttpService:
    """One outside service. Safe to use from several threads; opens its connections when first used."""

    def __init__(
        self,
        name: str,
        url: str,
        *,
        token: str | None = None,
        contact: str = "",
        patience: Patience | None = None,
        pause: float = 0.0,
    ) -> None:
        """`url` is the service's root; `pause` the shortest time between two requests, in seconds.

        A user and password in `url` are used, but never shown.
        """
        parsed = httpx.URL(url.rstrip("/"))
        self.name = name
        self.url = str(parsed.copy_with(userinfo=b""))
        self.patience = patience or Patience()
        self._auth = (parsed.username, parsed.password) if parsed.username else None
        self._headers = {"User-Agent": f"kipflow/{__version__}" + (f" (+{contact})" if contact else "")}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._pace = Pace(pause)
        self._outage = Outage(self.patience.outage_after)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    @property
    def client(self) -> httpx.Client:
        """The client, created at first use because forked workers must not share sockets."""
        with self._lock:
            if self._client is None:
                silence_retries()
                patience = self.patience
                self._client = httpx.Client(
                    headers=self._headers,
                    auth=self._auth,
                    verify=_load_authorities(),
                    # no timeout for a free connection of our own: the service is not at fault
                    timeout=httpx.Timeout(patience.read, connect=patience.connect, pool=None),
                    limits=httpx.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS),
                    follow_redirects=True,
                    max_redirects=5,
                )
            return self._client

    def fetch_json(
        self,
        path: str,
        *,
        read: Callable[[Any], T],
        params: Mapping[str, str],
        instead: Mapping[int, T] | None = None,
        about: str = "",
    ) -> T:
        """GET `path` below the root, and pass the JSON to `read`. `instead` maps a status to the value returned for it.

        `about` describes the request in the log, if the path does not.
        `read` may raise KeyError, TypeError, ValueError or AttributeError for JSON of another shape. That is retried
        like any fault: a temporary error must not be stored as a fact.

        Raises:
            ServiceUnavailable: no usable answer within the bounds, or a refusal (401, 403, 404 …).
        """

        def attempt() -> T:
            answer = self.fetch_once("GET", path, params=params)
            if instead is not None and answer.status in instead:
                return instead[answer.status]
            refuse(answer.status, answer.body)
            raw = answer.json()
            try:
                return read(raw)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise Fault(f"answered JSON of another shape ({type(error).__name__}: {error})"[:200]) from None

        return self.retry(f"GET {path}" + (f" ({about})" if about else ""), attempt)

    def fetch_once(
        self, method: str, path: str, *, params: Mapping[str, str] | None = None, content: Any = None
    ) -> Answer:
        """One attempt with its whole body. Raises `Fault` for temporary faults; any other status is an answer."""
        with self.stream_once(method, path, params=params, content=content) as response:
            body = bytearray()
            for chunk in self.read_bounded(response.iter_bytes()):
                body += chunk
                if len(body) > MAX_ANSWER:
                    raise Fault(f"answered more than {MAX_ANSWER:,} bytes", final=True)
            return Answer(status=response.status_code, headers=response.headers, body=bytes(body))

    @contextmanager
    def stream_once(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        content: Any = None,
    ) -> Iterator[httpx.Response]:
        """One attempt, with the body still unread. Raises `Fault` for temporary faults."""
        self._pace.wait()
        is_answered = False
        try:
            with self.client.stream(method, self.url + path, params=params, headers=headers, json=content) as response:
                if response.status_code in _RETRYABLE:
                    wait = self.read_retry_after(response.headers)
                    why = f"answered {response.status_code} {response.reason_phrase}".rstrip()
                    # one that says when to come back is there
                    raise Fault(why, wait=wait, away=wait is None)
                is_answered = True
                yield response
        except (httpx.TransportError, httpx.TooManyRedirects, httpx.DecodingError) as error:
            raise as_fault(error, away=not is_answered) from None
        except httpx.InvalidURL as error:
            raise Fault(f"not an address: {error}", final=True) from None

    def read_bounded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The chunks of an answer. Raises `Fault` if they take longer than `patience.download`."""
        end = time.monotonic() + self.patience.download
        for chunk in chunks:
            if time.monotonic() > end:
                raise Fault(f"too slow: not done within {self.patience.download:g} s")
            yield chunk

    def read_retry_after(self, headers: httpx.Headers) -> float | None:
        """The seconds that a `Retry-After` asks for (a number or a date), capped; None if there is none."""
        raw = headers.get("retry-after", "").strip()
        if not raw:
            return None
        if raw.isdecimal():
            seconds = float(raw[:9])
        else:
            try:
                # relative to the service's own clock if it sends one
                date = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
                seconds = (parsedate_to_datetime(raw) - date).total_seconds()
            except (ValueError, TypeError):
                return None
        return min(max(seconds, 0.0), self.patience.longest_wait)

    def retry(self, what: str, attempt: Callable[[], T]) -> T:
        """Call `attempt` until it succeeds, within this service's patience.

        Raises:
            ServiceUnavailable: the last fault, after the last attempt.
        """
        patience = self.patience
        attempts = 1 if self._outage.is_likely() else patience.attempts
        numbers = itertools.count(1)

        # stamina asks this after each failed attempt, the last one too; its hooks hear only of those that are retried
        def on(error: Exception) -> bool | float:
            if not isinstance(error, Fault):
                return False
            tries = "not tried again" if error.final else f"attempt {next(numbers)} of at most {attempts}"
            asks = "" if error.wait is None else f"; it asks to wait {error.wait:g} s"
            log.warning("%s: %s: %s (%s)%s", self.name, what, error.why, tries, asks)
            return not error.final and (error.wait is None or error.wait)

        caller = stamina.RetryingCaller(
            attempts=attempts,
            timeout=patience.total,
            wait_initial=patience.first_wait,
            wait_max=patience.longest_wait / 2,
            wait_jitter=patience.first_wait,
        )
        try:
            found = caller(on, attempt)
        except Fault as fault:
            self._outage.note(fault)
            raise self.unavailable(f"{what}: {fault.why}") from None
        self._outage.end()
        return found

    def unavailable(self, why: str) -> ServiceUnavailable:
        """The error that this service gives no usable answer."""
        return ServiceUnavailable(service=self.name, url=self.url, why=why)

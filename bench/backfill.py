"""A first run over ten years of a list: how much of its time is spent waiting for the archive.

The archive is a separate process with latency and a limited rate, like a shared one on the internet. The peer makes the
same requests over two connections and discards the responses, so it only waits for the archive. The run itself measures
the share of its time in which the archive was busy, and its politeness: concurrent connections, requests per second.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from corpus import make_mails
from measure import Figure, answer, run_apart, serve, serving
from replay import open_bench_store

from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.services import poll
from kipflow.services.landing import wanted_range

LIST = "dev@list.example"
FIRST, LAST, MONTHS = "2016-01", "2025-12", 120
NOW = datetime(2026, 1, 15, tzinfo=UTC)
MAILS = 40
#: The archive's latency in seconds, and its rate in bytes per second for each connection.
LATENCY, RATE = 0.15, 1_500_000
#: The most concurrent connections, and requests in any one second: ten, and one that reached the archive late.
CONNECTIONS, REQUESTS = 2, 11
#: The least share of a first run in which the archive must be busy, and the least speed compared with the peer.
SHARE, LONGER = 0.9, 0.7


def compare(folder: Path) -> list[Figure]:
    with serving("backfill") as url:
        peer = run_apart("backfill", "fetch", url)
    with serving("backfill") as url:
        ours = run_apart("backfill", "run", str(folder / "backfill.db"), url)
    mails, megabytes = MONTHS * MAILS, peer["bytes"] / 1e6
    what = f"a backfill of {MONTHS} months, {mails:,} mails, {megabytes:.0f} MB"

    connections = f"its most connections at once: {ours['busy']}"
    requests = f"its most requests in one second: {ours['rate']}"
    wall, work = ours["wall"], ours["work"]
    rows = [
        (what, wall, "an archive that is always at work", ours["at_work"] / wall, SHARE),
        ("the same, by the clock", wall, "waiting for the archive", peer["wall"] / wall, LONGER),
        ("its own work (processor time)", work, "the archive's time", peer["wall"] / work, 2.0),
        (connections, wall, "the two that are polite", CONNECTIONS / ours["busy"], 1.0),
        (requests, wall, "the ten that are polite", REQUESTS / ours["rate"], 1.0),
    ]
    return [
        Figure.of(row, seconds, mails, "mails", peak_mb=ours["peak_mb"], peer=against, ratio=ratio, reach=reach)
        for row, seconds, against, ratio, reach in rows
    ]


def fetch(url: str) -> dict[str, Any]:
    """The peer: fetch every month and its count over two connections, and discard them."""
    with httpx.Client(timeout=60, limits=httpx.Limits(max_connections=CONNECTIONS)) as client:

        def get(month: str) -> int:
            query = {"list": "dev", "d": month}
            client.get(f"{url}/api/stats.lua", params=query)
            return len(client.get(f"{url}/api/mbox.lua", params=query).content)

        start = time.perf_counter()
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            size = sum(pool.map(get, [one.month for one in wanted_range([LIST], FIRST, LAST)]))
        return {"wall": time.perf_counter() - start, "bytes": size}


def run(path: str, url: str) -> dict[str, Any]:
    """A first run of `kipflow poll` with an empty store: months are fetched, read and stored."""
    store = open_bench_store(path)
    store.migrate()
    archive = PonyMailArchive(f"{url}/api")
    with tempfile.TemporaryDirectory() as raw:
        start, work = time.perf_counter(), time.process_time()
        wanted = wanted_range([LIST], FIRST, LAST)
        report = poll.poll_months(store, archive, wanted, Path(raw), NOW, prefix="KIP")
        wall, work = time.perf_counter() - start, time.process_time() - work
    store.close()
    if report.counts["new"] != MONTHS * MAILS or report.warnings:
        sys.exit(f"the backfill stored {report.counts}: {report.warnings}")
    return {"wall": wall, "work": work, **httpx.get(f"{url}/asked").json()}


class _Asked:
    """The archive's view of its client: most concurrent connections, and the time of each request."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.since = self.at_work = 0.0
        self.times: list[float] = []
        self.lock = threading.Lock()

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self.lock:
            self.times.append(time.monotonic())
            self.since = self.since if self.now else self.times[-1]
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            yield
        finally:
            with self.lock:
                self.now -= 1
                self.at_work += 0.0 if self.now else time.monotonic() - self.since

    def measure(self) -> dict[str, float]:
        rate = max(sum(at <= other < at + 1 for other in self.times) for at in self.times)
        return {"busy": self.most, "rate": rate, "at_work": self.at_work}


def serve_slowly() -> dict[str, Any]:
    """Serve months of mail at a limited rate."""
    months = [one.month for one in wanted_range([LIST], FIRST, LAST)]
    boxes = {month: b"".join(make_mails(MAILS, seed=n, first=n * MAILS)) for n, month in enumerate(months)}
    asked = _Asked()

    def respond(path: str, query: dict[str, str], send: Callable[..., None]) -> None:
        if path == "/asked":
            send(json.dumps(asked.measure()).encode())
            return
        month = query["d"]
        with asked.counted():
            time.sleep(LATENCY)
            stats = {"hits": MAILS, "active_months": {month: MAILS}, "emails": []}
            send(boxes[month] if path.endswith("mbox.lua") else json.dumps(stats).encode(), rate=RATE)

    return serve(respond)


if __name__ == "__main__":
    answer({"run": run, "fetch": fetch, "serve": serve_slowly})

"""An hourly poll of an archive over HTTP: with nothing new, and with ten new mails in a month of 3,000.

The archive is a separate process that counts requests; seconds are processor time of the polling process. The peer
fetches the whole month and parses it with `mailbox`, like a script without any state. A poll must cost the same,
however much is stored.
"""

from __future__ import annotations

import hashlib
import json
import mailbox
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from statistics import median_high
from typing import Any

import httpx
from corpus import make_mails
from hourly import make_messages
from measure import Figure, answer, run_apart, serve, serving
from replay import open_bench_store

from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.adapters.store import SqlStore
from kipflow.services import poll
from kipflow.services.landing import find_wanted_months
from kipflow.services.storing import ingest_items

LISTS = ("dev@list.example", "users@list.example")
MONTH = "2026-03"
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
MAILS = 3_000
TEN = 10
RUNS = 5
FEWEST = 1_000
#: The most requests for each list, and the most seconds.
REQUESTS, NOTHING_NEW, TEN_NEW = 3, 1.0, 2.0


def compare(folder: Path, most: int) -> list[Figure]:
    sizes = [FEWEST, *([100 * FEWEST] if most >= 100 * FEWEST else [])]
    found = {}
    for size in sizes:
        with serving("polling") as url:
            found[size] = run_apart("polling", "run", str(folder / f"poll-{size}.db"), str(size), url)
    return [figure for what in ("nothing", "ten") for figure in _figures(what, sizes, found)]


def _figures(key: str, sizes: list[int], found: dict[int, dict[str, Any]]) -> Iterator[Figure]:
    what, budget = ("a poll, nothing new", NOTHING_NEW) if key == "nothing" else ("a poll, ten new of 3,010", TEN_NEW)
    for size in sizes:
        seconds, requests = found[size][key], found[size][f"{key}_requests"]
        peers = [("fetch and parse the month", found[size]["peer"], 1.0)]
        if size == FEWEST:
            peers += [(f"the budget of {budget:g} s", budget, 1.0), ("three requests a list", None, 1.0)]
        else:
            peers.append((f"the same with {FEWEST:,} held", found[FEWEST][key], 0.5))
        for peer, other, reach in peers:
            ratio = other / seconds if other is not None else REQUESTS / max(requests, 0.5)
            row, peak_mb = f"{what}, {size:,} held, {requests:g} requests a list", found[size]["peak_mb"]
            yield Figure.of(row, seconds, 1, "runs", peak_mb=peak_mb, peer=peer, ratio=ratio, reach=reach)


def run(path: str, held: str, url: str) -> dict[str, Any]:
    """Seconds and requests of polls over a store with so many mails; the median of several."""
    store = open_bench_store(path)
    store.migrate()
    ingest_items(store, make_messages(int(held)), seen_at=NOW - timedelta(days=40))
    with tempfile.TemporaryDirectory() as raw:
        _poll(store, url, Path(raw), 0)
        peer = median_high([_peer(url, Path(raw)) for _ in range(RUNS)])
        nothing = [_poll(store, url, Path(raw), hour) for hour in range(1, RUNS + 1)]
        ten = []
        for hour in range(RUNS):
            httpx.get(f"{url}/grow", params={"by": TEN})
            ten.append(_poll(store, url, Path(raw), RUNS + 1 + hour))
    store.close()
    return {
        "nothing": median_high([seconds for seconds, _, _ in nothing]),
        "nothing_requests": max(requests for _, requests, _ in nothing),
        "ten": median_high([seconds for seconds, _, _ in ten]),
        "ten_requests": max(requests for _, requests, _ in ten),
        "new": sum(new for _, _, new in ten),
        "peer": peer,
    }


def _poll(store: SqlStore, url: str, raw: Path, hour: int) -> tuple[float, float, int]:
    """Processor seconds, requests per list, and new mails of one `kipflow poll`."""
    now = NOW + timedelta(hours=hour)
    httpx.get(f"{url}/asked")
    start = time.process_time()
    archive = PonyMailArchive(f"{url}/api", pause=0)
    wanted, _ = find_wanted_months(store, archive, LISTS, now, since=MONTH)
    landed = list(poll.fetch_months(archive, wanted, raw, now))
    report = poll.read_months(store, landed, prefix="KIP", seen_at=now)
    seconds = time.process_time() - start
    asked: dict[str, int] = httpx.get(f"{url}/asked").json()
    return seconds, max(asked.values(), default=0), report.counts["new"]


def _peer(url: str, folder: Path) -> float:
    start = time.process_time()
    path = folder / "peer.mbox"
    name, _, domain = LISTS[0].partition("@")
    query = {"list": name, "domain": domain, "d": MONTH}
    path.write_bytes(httpx.get(f"{url}/api/mbox.lua", params=query, timeout=60).content)
    parsed = [(mail["message-id"], mail["subject"], mail.get_payload()) for mail in mailbox.mbox(path)]
    if len(parsed) < MAILS:
        sys.exit(f"the peer read {len(parsed)} mails")
    return time.process_time() - start


def serve_month() -> dict[str, Any]:
    """Serve a month of each list that grows on request, and report and reset the number of requests per list."""
    mails = [_dated(mail, n) for n, mail in enumerate(make_mails(MAILS + TEN * RUNS))]
    ids = [hashlib.sha256(mail).hexdigest()[:20] for mail in mails]
    count = MAILS
    asked: Counter[str] = Counter()

    def respond(path: str, query: dict[str, str], send: Callable[..., None]) -> None:
        nonlocal count
        if path == "/asked":
            answer = json.dumps(asked).encode()
            asked.clear()  # before the answer: the next request may come with it
            send(answer)
        elif path == "/grow":
            count += int(query["by"])
            send(b"{}")
        else:
            asked[query["list"]] += 1
            held = count if query["list"] == "dev" and query["d"] == MONTH else 0
            rows = [{"id": name, "epoch": n} for n, name in enumerate(ids[:held][-300:])]
            stats = {"hits": len(rows), "active_months": {MONTH: held}, "emails": rows}
            send(b"".join(mails[:held]) if path.endswith("mbox.lua") else json.dumps(stats).encode())

    return serve(respond)


def _dated(mail: bytes, number: int) -> bytes:
    """The mail with a date in this month; the corpus begins years ago."""
    at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=number)
    head, blank, body = mail.partition(b"\n\n")
    lines = [f"Date: {format_datetime(at)}".encode() if x.startswith(b"Date: ") else x for x in head.split(b"\n")]
    return b"\n".join(lines) + blank + body


if __name__ == "__main__":
    answer({"run": run, "serve": serve_month})

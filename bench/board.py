"""The board's first page with many proposals: processor time of a request, and latency for eight concurrent readers."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import chain, count, repeat
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient
from measure import Figure, answer, run_apart
from replay import AS_OF, decide, fill, open_bench_store

from kipflow.domain.pages import IndexEntry
from kipflow.web.app import create_app

#: Proposals on the board: those of the replayed history, the others from an index.
PROPOSALS = 1_500
REQUESTS, READERS = 50, 8
#: Seconds: processor time to read and render it once; 95th percentile of the latency.
BUDGETS = {"processor": 0.020, "p95": 0.100}
WORDS = {"processor": "one rendering, processor time", "p95": f"{READERS} readers at once, 95 of 100 within"}


def compare(folder: Path, proposals: int) -> list[Figure]:
    path = str(folder / "board.db")
    run_apart("board", "fill", path, str(proposals))
    found = run_apart("board", "read", path)
    rows = {f"first page of {PROPOSALS:,}: {WORDS[name]}": (found[name], budget) for name, budget in BUDGETS.items()}
    return [
        Figure.of(row, seconds, 1, "requests", peer=f"{budget * 1000:.0f} ms", other=budget, reach=1.0)
        for row, (seconds, budget) in rows.items()
    ]


def fill_board(path: str, proposals: str) -> dict[str, Any]:
    fill(path, proposals)
    store = open_bench_store(path)
    sections = ("accepted", "discussion", "dormant", "discarded")
    with store.begin() as session:
        session.pages.save_index_entries(
            IndexEntry(
                number=10_000 + n,
                title=f"Imported proposal {n}",
                section=sections[n % 4],
                seen_at=AS_OF,
                origin="import",
                created_at=AS_OF - timedelta(days=n),
                changed_at=AS_OF - timedelta(days=n / 2),
            )
            for n in range(PROPOSALS - int(proposals))
        )
    decide(store)
    store.close()
    return {}


def read(path: str) -> dict[str, Any]:
    """Processor seconds per request, without the client's; 95th percentile of the latency for eight readers."""
    store = open_bench_store(path)
    minutes = count()
    # pages are cached for a minute: each request here is in another minute, so that each is rendered
    ticking = create_app(lambda: store, clock=lambda: AS_OF + timedelta(minutes=next(minutes)))
    client = TestClient(ticking)
    client.get("/").raise_for_status()
    own = _spend(client, "/static/icon.svg")
    processor = _spend(client, "/") - own
    waits = sorted(_wait_with_others(create_app(lambda: store, clock=lambda: AS_OF)))
    store.close()
    return {"processor": processor, "p95": waits[len(waits) * 95 // 100]}


def _spend(client: TestClient, path: str) -> float:
    start = time.process_time()
    for _ in range(REQUESTS):
        client.get(path)
    return (time.process_time() - start) / REQUESTS


def _wait_with_others(app: FastAPI) -> list[float]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    with ThreadPoolExecutor(READERS) as pool:
        found = list(chain.from_iterable(pool.map(_read_often, repeat(address, READERS))))
    server.should_exit = True
    thread.join(timeout=10)
    return found


def _read_often(address: str) -> list[float]:
    waits = []
    with httpx.Client() as client:
        for _ in range(REQUESTS):
            start = time.perf_counter()
            client.get(address).raise_for_status()
            waits.append(time.perf_counter() - start)
    return waits


if __name__ == "__main__":
    answer({"fill": fill_board, "read": read})

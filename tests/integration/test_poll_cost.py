"""What an hourly poll asks of the archive: little when nothing is new, the changed month alone when something is."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.adapters.store import SqlStore
from kipflow.services import poll
from tests.integration.conftest import connect_to

LISTS = ("dev@x.example", "users@x.example")
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


class CountingArchive:
    """Pony Mail's two endpoints over mails held in memory; counts what is asked."""

    def __init__(self) -> None:
        self.mails: dict[tuple[str, str], list[bytes]] = {}
        self.asked: Counter[str] = Counter()
        self.url = ""

    def add(self, list_id: str, month: str, count: int) -> None:
        held = self.mails.setdefault((list_id, month), [])
        for _ in range(count):
            n = len(held)
            at = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC) + timedelta(minutes=n)
            subject = f"[DISCUSS] KIP-{n % 50 + 1}: x"
            held.append(
                f"From a@x.example {at:%a %b %d %H:%M:%S %Y}\n"
                f"Message-ID: <{month}.{n}.{list_id}>\nFrom: Ann <a@x.example>\n"
                f"Date: {at:%a, %d %b %Y %H:%M:%S} +0000\nSubject: {subject}\n\nText {n}\n\n".encode()
            )

    def answer(self, path: str) -> tuple[str, bytes]:
        parts = urlsplit(path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        held = self.mails.get((f"{query['list']}@{query['domain']}", query["d"]), [])
        self.asked[parts.path.rpartition("/")[2]] += 1
        if parts.path.endswith("mbox.lua"):
            return "application/mbox", b"".join(held)
        rows = [{"id": str(n), "epoch": n} for n in range(len(held))]
        return "application/json", json.dumps({"hits": len(held), "emails": rows}).encode()


@pytest.fixture
def archive() -> Iterator[CountingArchive]:
    state = CountingArchive()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            kind, body = state.answer(self.path)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    parts = connect_to("http://127.0.0.1:1", tmp_path)
    yield parts.store
    parts.store.close()


def run(store: SqlStore, archive: CountingArchive, folder: Path, at: datetime) -> dict[str, int]:
    client = PonyMailArchive(f"{archive.url}/api", "", pause=0)
    wanted, asked = poll.find_wanted_months(store, client, LISTS, at, since="2025-04")
    landed = poll.fetch_months(client, wanted, folder, at)
    read = poll.read_months(store, landed, prefix="KIP", seen_at=at)
    return {**asked.counts, **read.counts}


def test_a_poll_with_nothing_new_asks_at_most_twice_for_each_list(
    store: SqlStore, archive: CountingArchive, tmp_path: Path
) -> None:
    for list_id in LISTS:
        for month in ("2025-04", "2026-02", "2026-03"):
            archive.add(list_id, month, 40)
    run(store, archive, tmp_path, NOW)
    archive.asked.clear()
    assert run(store, archive, tmp_path, NOW + timedelta(hours=1))["new"] == 0
    assert archive.asked == {"stats.lua": len(LISTS)}


def test_ten_new_mails_cost_their_month_once_and_at_most_three_requests(
    store: SqlStore, archive: CountingArchive, tmp_path: Path
) -> None:
    archive.add(LISTS[0], "2026-03", 300)
    run(store, archive, tmp_path, NOW)
    archive.asked.clear()
    archive.add(LISTS[0], "2026-03", 10)
    assert run(store, archive, tmp_path, NOW + timedelta(hours=1))["new"] == 10
    assert archive.asked["mbox.lua"] == 1
    assert archive.asked["stats.lua"] <= 2 + 1  # one for each list, and the count that the month is held against


def test_a_month_that_is_over_is_asked_for_once_more_and_then_never_again(
    store: SqlStore, archive: CountingArchive, tmp_path: Path
) -> None:
    archive.add(LISTS[0], "2026-03", 5)
    run(store, archive, tmp_path, NOW)
    run(store, archive, tmp_path, NOW + timedelta(days=20))
    archive.asked.clear()
    run(store, archive, tmp_path, NOW + timedelta(days=20, hours=1))
    assert sum(archive.asked.values()) <= 3 * len(LISTS)
    assert archive.asked["mbox.lua"] == 0

"""What an hourly poll asks of the archive: little when nothing is new, the changed month alone when something is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.adapters.store import SqlStore
from kipflow.mail import filereading
from kipflow.mail.messages import read_mail
from kipflow.services import poll
from kipflow.services.landing import find_wanted_months
from tests.integration.mailserver import CountingArchive

LISTS = ("dev@x.example", "users@x.example")
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


def run(store: SqlStore, archive: CountingArchive, folder: Path, at: datetime) -> dict[str, int]:
    client = PonyMailArchive(archive.url, pause=0)
    wanted, asked = find_wanted_months(store, client, LISTS, at, since="2025-04")
    landed = list(poll.fetch_months(client, wanted, folder, at))
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


def test_ten_new_mails_in_a_month_of_three_hundred_are_the_only_ones_read(
    store: SqlStore, archive: CountingArchive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.add(LISTS[0], "2026-03", 300)
    run(store, archive, tmp_path, NOW)
    read: list[bytes] = []

    def note(data: bytes, *where: Any, **more: Any) -> Any:
        read.append(data)
        return read_mail(data, *where, **more)

    monkeypatch.setattr(filereading, "read_mail", note)
    archive.add(LISTS[0], "2026-03", 10)
    counts = run(store, archive, tmp_path, NOW + timedelta(hours=1))
    assert (counts["new"], counts["known"], len(read)) == (10, 300, 10)
    with store.read() as session:
        assert session.mail.load_months()[LISTS[0], "2026-03"].mails == 310


def test_what_a_poll_remembers_of_a_month_is_forgotten_when_the_month_is_over(
    store: SqlStore, archive: CountingArchive, tmp_path: Path
) -> None:
    archive.add(LISTS[0], "2026-03", 20)
    run(store, archive, tmp_path, NOW)
    with store.read() as session:
        assert len(session.marks.load(f"read/{LISTS[0]}/2026-03") or "") > 20 * 24
    archive.add(LISTS[0], "2026-03", 1)
    run(store, archive, tmp_path, NOW + timedelta(days=20))
    with store.read() as session:
        assert session.marks.load(f"read/{LISTS[0]}/2026-03") == ""

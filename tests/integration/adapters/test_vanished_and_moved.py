"""Months that lose mail, and lists that had another address once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.adapters.vanished import keep_vanished
from kipflow.domain.facts import ArchiveMonth
from tests.integration.adapters.faulty import MAIL, QUICK, Server, answer, as_json, truncated

NOW = datetime(2024, 2, 1, tzinfo=UTC)
LIST, OLD, OLDEST = "dev@x.example", "x-dev@incubator.example", "x@sources.example"
MOVES = {LIST: ((OLDEST, "2009-05"), (OLD, "2012-11"))}


def mail(number: int, words: bytes = b"words") -> bytes:
    return (MAIL % number).replace(b"words", words)


def box(*numbers: int) -> bytes:
    return b"".join(mail(n) for n in numbers)


def ids(path: Path) -> list[str]:
    return [found.decode() for found in re.findall(rb"^Message-ID: <(\d+)@", path.read_bytes(), re.MULTILINE)]


@pytest.fixture
def archive(server: Server) -> PonyMailArchive:
    server.by_path["/stats.lua"] = [as_json({"hits": 0})]
    return PonyMailArchive(server.url, pause=0, patience=QUICK, earlier=MOVES)


@pytest.fixture
def fetch(server: Server, archive: PonyMailArchive, tmp_path: Path) -> Callable[[bytes], ArchiveMonth]:
    def fetch(body: bytes) -> ArchiveMonth:
        server.play(answer(body, ETag=f'"{len(server.seen)}"'))
        return archive.fetch_month(LIST, "2024-01", tmp_path / "m.mbox", now=NOW)

    return fetch


def test_a_mail_that_vanished_while_another_came_stays_and_is_named(
    fetch: Callable[[bytes], ArchiveMonth], tmp_path: Path
) -> None:
    fetch(box(1, 2, 3))
    month = fetch(box(1, 3, 4))
    assert ids(tmp_path / "m.mbox") == ["1", "3", "4", "2"]
    assert (month.status, month.mails) == ("complete", 4)
    assert month.why == "1 mail that it held before is gone from the archive and kept here: <2@x.example>"
    assert month.digest == hashlib.sha256((tmp_path / "m.mbox").read_bytes()).hexdigest()
    assert month.size == (tmp_path / "m.mbox").stat().st_size


def test_a_month_that_shrank_keeps_all_that_it_held_and_names_a_few(
    fetch: Callable[[bytes], ArchiveMonth], tmp_path: Path
) -> None:
    fetch(box(*range(9)))
    month = fetch(box(0, 1))
    assert month.mails == 9
    assert sorted(ids(tmp_path / "m.mbox")) == [str(n) for n in range(9)]
    assert month.why.startswith("7 mails that it held before are gone from the archive and kept here: <2@x.example>, ")
    assert month.why.endswith(", …")


def test_what_vanished_is_reported_as_long_as_it_is_gone_and_no_longer(
    server: Server, fetch: Callable[[bytes], ArchiveMonth], archive: PonyMailArchive, tmp_path: Path
) -> None:
    fetch(box(1, 2))
    fetch(box(1))
    assert "<2@x.example>" in fetch(box(1, 3)).why
    server.play(answer(status=304))
    assert "<2@x.example>" in archive.fetch_month(LIST, "2024-01", tmp_path / "m.mbox", now=NOW).why
    back = fetch(box(1, 2, 3))
    assert (back.why, back.mails) == ("", 3)


def test_an_emptied_month_is_kept_whole(fetch: Callable[[bytes], ArchiveMonth], tmp_path: Path) -> None:
    fetch(box(1, 2))
    month = fetch(b"")
    assert (month.status, month.mails) == ("complete", 2)
    assert (tmp_path / "m.mbox").read_bytes() == box(1, 2)


def test_mails_that_only_come_in_another_order_or_under_other_envelopes_have_not_vanished(
    fetch: Callable[[bytes], ArchiveMonth],
) -> None:
    fetch(box(1, 2, 3))
    again = box(3, 2, 1).replace(b"From kim@x.example Mon", b"From dev-return@x.example Mon")
    assert fetch(again).why == ""


def test_what_a_broken_download_left_is_no_mail_that_vanished(
    server: Server, archive: PonyMailArchive, tmp_path: Path
) -> None:
    whole = box(1, 22, 333)
    cut = whole.index(b"333@x") + 2  # within the last mail's id
    server.play(truncated(whole, cut))
    assert archive.fetch_month(LIST, "2024-01", tmp_path / "m.mbox", now=NOW).status == "partial"
    server.play(answer(whole))
    month = archive.fetch_month(LIST, "2024-01", tmp_path / "m.mbox", now=NOW)
    assert (month.status, month.why) == ("complete", "")
    assert (tmp_path / "m.mbox").read_bytes() == whole


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (mail(1, b"From here on it goes:\nwell"), mail(2), ["1"]),
        (box(1).replace(b"\n", b"\r\n"), box(2), ["1"]),
        (box(1).replace(b"Message-ID: ", b"message-id:\n "), box(2), ["1"]),
        (box(1).replace(b"Message-ID: <1@x.example>\n", b""), box(2), []),
        (box(1, 1), box(2), ["1"]),
        (b"", box(2), []),
        (box(1), box(1).rstrip(b"\n") + b"\n", []),
    ],
    ids=["a line From in it", "CRLF", "a folded header", "no id", "twice", "nothing before", "no last blank line"],
)  # fmt: skip
def test_only_whole_mails_with_an_id_are_kept(tmp_path: Path, before: bytes, after: bytes, kept: list[str]) -> None:
    (tmp_path / "before").write_bytes(before)
    (tmp_path / "part").write_bytes(after)
    assert keep_vanished(tmp_path / "before", tmp_path / "part") == tuple(f"<{n}@x.example>" for n in kept)
    whole = (tmp_path / "part").read_bytes()
    assert whole.startswith(after)
    assert before in whole or not kept or before == box(1, 1)


@pytest.mark.parametrize(
    ("month", "addresses"),
    [
        ("2009-04", (OLDEST,)),
        ("2009-05", (OLDEST, OLD)),
        ("2009-06", (OLD,)),
        ("2012-11", (OLD, LIST)),
        ("2012-12", (LIST,)),
        ("2026-01", (LIST,)),
    ],
)
def test_each_month_is_asked_of_the_address_that_had_it(
    archive: PonyMailArchive, month: str, addresses: tuple[str, ...]
) -> None:
    assert archive.addresses(LIST, month) == addresses


def by_address(held: dict[str, bytes], status: dict[str, int]) -> Callable[[BaseHTTPRequestHandler], None]:
    def step(handler: BaseHTTPRequestHandler) -> None:
        query = parse_qs(urlsplit(handler.path).query)
        address = f"{query['list'][0]}@{query['domain'][0]}"
        if handler.path.startswith("/stats.lua"):
            count = held.get(address, b"").count(b"Message-ID")
            as_json({"hits": count, "emails": [{"id": address}] * count})(handler)
        else:
            answer(held.get(address, b""), status.get(address, 200))(handler)

    return step


def test_the_month_of_a_move_is_that_of_both_addresses_and_of_one_list(
    server: Server, archive: PonyMailArchive, tmp_path: Path
) -> None:
    del server.by_path["/stats.lua"]
    server.play(by_address({OLD: box(1, 2), LIST: box(2, 3)}, {}))
    target = tmp_path / LIST / "2012-11.mbox"
    month = archive.fetch_month(LIST, "2012-11", target, now=NOW)
    assert (month.list_id, month.status, month.mails) == (LIST, "complete", 4)
    assert target.read_bytes() == box(1, 2) + box(2, 3)
    assert archive.fetch_stats(LIST, "2012-11").mails == 4


def test_a_month_of_a_move_is_partial_where_one_address_has_none_and_says_which(
    server: Server, archive: PonyMailArchive, tmp_path: Path
) -> None:
    del server.by_path["/stats.lua"]
    server.play(by_address({LIST: box(3)}, {OLD: 404}))
    month = archive.fetch_month(LIST, "2012-11", tmp_path / "m.mbox", now=NOW)
    assert (month.status, month.mails) == ("partial", 1)
    assert month.why == f"{OLD}: answered 404: not found"
    assert (tmp_path / "m.mbox").read_bytes() == box(3)


def test_an_earlier_month_lands_under_the_lists_present_address(
    server: Server, archive: PonyMailArchive, tmp_path: Path
) -> None:
    del server.by_path["/stats.lua"]
    server.play(by_address({OLD: box(1)}, {}))
    month = archive.fetch_month(LIST, "2011-01", tmp_path / "m.mbox", now=NOW)
    assert (month.list_id, month.mails, month.why) == (LIST, 1, "")

"""The mail archive's client against a server that misbehaves."""

from __future__ import annotations

import gzip
import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.domain.errors import ServiceUnavailable, UnreadableInput
from kipflow.domain.facts import ArchiveMonth
from tests.integration.adapters.faulty import (
    QUICK,
    Seen,
    Server,
    answer,
    as_json,
    mails,
    packed,
    silence,
    truncated,
)

NOW = datetime(2024, 2, 1, tzinfo=UTC)
LIST, MONTH = "dev@x.example", "2024-01"
PAGE = b"<!DOCTYPE html><html><body>Down for maintenance</body></html>"


@pytest.fixture
def archive(server: Server) -> PonyMailArchive:
    server.by_path["/stats.lua"] = [as_json({"hits": 0})]
    return PonyMailArchive(server.url, contact="mailto:ops@x.example", pause=0, patience=QUICK)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / LIST / f"{MONTH}.mbox"


def fetch(archive: PonyMailArchive, target: Path) -> ArchiveMonth:
    return archive.fetch_month(LIST, MONTH, target, now=NOW)


def asked(server: Server) -> list[Seen]:
    return [s for s in server.seen if s.path.startswith("/mbox.lua")]


def leftovers(target: Path) -> list[str]:
    return (
        [p.name for p in target.parent.iterdir() if p.name.endswith((".part", ".tmp"))]
        if target.parent.exists()
        else []
    )


def test_a_month_lands_as_it_was_sent_and_is_distinguished_by_its_digest(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.play(answer(mails(3), ETag='"one"'))
    month = fetch(archive, target)
    assert target.read_bytes() == mails(3)
    assert (month.status, month.mails, month.size) == ("complete", 3, len(mails(3)))
    assert month.digest == hashlib.sha256(mails(3)).hexdigest()
    assert (month.etag, month.path, month.fetched_at) == ('"one"', str(target), NOW)
    assert asked(server)[0].path == "/mbox.lua?list=dev&domain=x.example&d=2024-01"
    assert asked(server)[0].headers["User-Agent"].startswith("kipflow/")
    assert "(+mailto:ops@x.example)" in asked(server)[0].headers["User-Agent"]
    assert leftovers(target) == []


def test_an_unchanged_month_costs_one_request_without_a_body(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.play(answer(mails(3), ETag='"one"', Last_Modified="Thu, 01 Feb 2024 00:00:00 GMT"), answer(status=304))
    first = fetch(archive, target)
    later = archive.fetch_month(LIST, MONTH, target, now=datetime(2024, 2, 2, tzinfo=UTC))
    assert asked(server)[1].headers["If-None-Match"] == '"one"'
    assert asked(server)[1].headers["If-Modified-Since"] == "Thu, 01 Feb 2024 00:00:00 GMT"
    assert (later.status, later.mails, later.digest) == ("complete", 3, first.digest)
    assert later.fetched_at == datetime(2024, 2, 2, tzinfo=UTC)
    assert target.read_bytes() == mails(3)


def test_a_file_that_was_touched_since_is_fetched_whole_again(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.play(answer(mails(3), ETag='"one"'))
    fetch(archive, target)
    target.write_bytes(b"From ")
    fetch(archive, target)
    assert "If-None-Match" not in asked(server)[1].headers
    assert target.read_bytes() == mails(3)


def test_a_packed_answer_is_unpacked_whether_it_says_so_or_not(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.play(packed(mails(3)), answer(gzip.compress(mails(2)) + gzip.compress(mails(4))))
    assert fetch(archive, target).mails == 3
    assert fetch(archive, target).mails == 6
    assert target.read_bytes() == mails(2) + mails(4)


def test_a_truncated_gzip_stream_is_not_taken_for_a_whole_month(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    noise = b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(9000))
    cut = gzip.compress(mails(2) + noise)[:-2000]
    server.play(answer(cut, Content_Encoding="gzip"))
    month = fetch(archive, target)
    assert (month.status, month.mails) == ("partial", 1)
    assert "truncated" in month.why


def test_an_empty_month_is_complete(server: Server, archive: PonyMailArchive, target: Path) -> None:
    server.play(answer(b""))
    month = fetch(archive, target)
    assert (month.status, month.mails, month.size) == ("complete", 0, 0)
    assert target.read_bytes() == b""


def test_a_cut_whose_lengths_agree_is_waited_out_and_nothing_is_lost(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    cut = answer(mails(50)[:1000])
    server.play(cut, cut, answer(mails(50)))
    assert fetch(archive, target).mails == 50
    assert target.read_bytes() == mails(50)
    assert len(asked(server)) == 3
    assert leftovers(target) == []


def test_retry_after_is_honoured_up_to_its_cap(server: Server, archive: PonyMailArchive, target: Path) -> None:
    server.play(answer(b"", 429, Retry_After="3600"), answer(mails(1)))
    started = time.monotonic()
    assert fetch(archive, target).status == "complete", "an hour would outlast this test"
    assert time.monotonic() - started >= QUICK.longest_wait


def test_a_month_that_breaks_off_every_time_is_partial_and_keeps_the_whole_mails_that_came(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.play(truncated(mails(50), 1000))
    month = fetch(archive, target)
    assert month.status == "partial"
    assert "without sending complete message body" in month.why
    whole = 1000 // len(mails(1))
    assert target.read_bytes() == mails(whole)
    assert (month.mails, month.size) == (whole, len(mails(whole)))
    assert len(asked(server)) == QUICK.attempts
    assert month.etag is None


def test_a_broken_download_never_replaces_a_whole_file(server: Server, archive: PonyMailArchive, target: Path) -> None:
    server.play(answer(mails(9)), truncated(mails(50), 1000))
    fetch(archive, target)
    month = fetch(archive, target)
    assert month.status == "partial"
    assert (month.mails, month.path) == (9, str(target))
    assert target.read_bytes() == mails(9)


def test_a_partial_month_is_asked_for_in_full_next_time(server: Server, archive: PonyMailArchive, target: Path) -> None:
    server.play(*[truncated(mails(50), 1000)] * QUICK.attempts, answer(mails(50), ETag='"x"'))
    fetch(archive, target)
    assert fetch(archive, target).status == "complete"
    assert "If-None-Match" not in asked(server)[-1].headers
    assert target.read_bytes() == mails(50)


@pytest.mark.parametrize("body", [PAGE, b'{"error": "no such list"}', b"no"], ids=["HTML", "JSON", "short"])
def test_an_answer_that_is_no_mbox_is_unreadable_and_lands_nowhere(
    server: Server, archive: PonyMailArchive, target: Path, body: bytes
) -> None:
    server.play(answer(body))
    month = fetch(archive, target)
    assert (month.status, month.path) == ("unreadable", None)
    assert "no mbox" in month.why
    assert not target.exists()


def test_a_month_that_the_archive_does_not_have_is_asked_for_once(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.play(answer(b"", 404))
    month = fetch(archive, target)
    assert month.status == "missing"
    assert "not found" in month.why
    assert len(asked(server)) == 1


def test_a_silent_server_is_given_up_on_in_bounded_time(server: Server, archive: PonyMailArchive, target: Path) -> None:
    server.play(silence(3_600, server.stop))  # far longer than any test may last
    month = fetch(archive, target)
    assert month.status == "missing"
    assert "no answer in time" in month.why


def test_a_server_that_is_not_there_leaves_the_month_missing(target: Path) -> None:
    archive = PonyMailArchive("http://127.0.0.1:9", pause=0, patience=QUICK)
    month = fetch(archive, target)
    assert month.status == "missing"
    assert month.why == "refuses connections"


def test_a_redirect_is_followed_and_a_circle_is_not(server: Server, archive: PonyMailArchive, target: Path) -> None:
    server.by_path["/elsewhere"] = [answer(mails(2))]
    server.play(answer(b"", 302, Location="/elsewhere"))
    assert fetch(archive, target).mails == 2
    server.by_path["/elsewhere"] = [answer(b"", 302, Location="/elsewhere")]
    target.unlink()
    assert "circle" in fetch(archive, target).why


def test_no_more_than_two_connections_are_open_at_once(
    server: Server, archive: PonyMailArchive, tmp_path: Path
) -> None:
    def slow(handler: object) -> None:
        server.stop.wait(0.05)
        answer(mails(1))(handler)  # type: ignore[arg-type]

    server.play(slow)
    months = [f"2023-{n:02d}" for n in range(1, 13)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda m: archive.fetch_month(LIST, m, tmp_path / f"{m}.mbox", now=NOW), months))
    assert [m.status for m in found] == ["complete"] * 12
    assert server.most_busy == 2


def test_a_month_with_fewer_mails_than_the_archive_counts_is_not_whole(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.by_path["/stats.lua"] = [as_json({"hits": 50})]
    server.play(answer(mails(20)), answer(mails(50)))
    assert fetch(archive, target).mails == 50
    target.unlink()
    server.play(answer(mails(20)))
    month = fetch(archive, target)
    assert (month.status, month.mails) == ("partial", 19), "of the last one nobody knows whether it is whole"
    assert month.why == "holds 20 mails where the archive counts 50"


def test_a_count_that_was_just_asked_for_is_not_asked_for_again(
    server: Server, archive: PonyMailArchive, target: Path
) -> None:
    server.by_path["/stats.lua"] = [as_json({"hits": 3})]
    server.play(answer(mails(3)))
    archive.fetch_stats(LIST, MONTH)
    assert fetch(archive, target).status == "complete"
    assert len(server.seen) == 2


def test_statistics_that_fail_do_not_stop_a_month(
    server: Server, archive: PonyMailArchive, target: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.by_path["/stats.lua"] = [answer(b"", 500)]
    server.play(answer(mails(3)))
    assert fetch(archive, target).status == "complete"
    assert "its count could not be checked" in caplog.text


def test_requests_keep_their_distance(server: Server) -> None:
    archive = PonyMailArchive(server.url, pause=0.1, patience=QUICK)
    server.by_path["/stats.lua"] = [as_json({"hits": 1})]
    started = time.monotonic()
    for _ in range(4):
        archive.fetch_stats(LIST, MONTH)
    assert time.monotonic() - started >= 0.3


def stats(server: Server, archive: PonyMailArchive, raw: object) -> str:
    server.by_path["/stats.lua"] = [as_json(raw)]
    return archive.fetch_stats(LIST, MONTH).digest


def test_any_change_of_the_mails_changes_the_digest_and_their_order_or_masking_does_not(
    server: Server, archive: PonyMailArchive
) -> None:
    one = stats(server, archive, {"hits": 2, "emails": [{"id": "a", "from": "k...@x"}, {"id": "b"}]})
    assert one == stats(server, archive, {"hits": 2, "emails": [{"id": "b"}, {"id": "a", "from": "kim@x.example"}]})
    assert one != stats(server, archive, {"hits": 2, "emails": [{"id": "a"}, {"id": "c"}]})
    assert one != stats(server, archive, {"hits": 3, "emails": [{"id": "a"}, {"id": "b"}]})


@pytest.mark.parametrize(
    ("raw", "mails"),
    [
        ({"hits": 2, "emails": [{"id": "b"}, {"id": "a", "from": "de...@kafka"}], "active_months": {MONTH: 2}}, 2),
        ({"hits": "3", "emails": []}, 3),
        ({"emails": [{"id": None, "epoch": None}, {"epoch": "soon"}, 7, {"epoch": 1e300}]}, 3),
        ({"hits": "many", "emails": []}, 0),
        ({"active_months": [1, 2]}, 0),
    ],
)
def test_statistics_show_the_count_and_odd_fields_are_left_out_of_account(
    server: Server, archive: PonyMailArchive, raw: object, mails: int
) -> None:
    server.by_path["/stats.lua"] = [as_json(raw)]
    assert archive.fetch_stats(LIST, MONTH).mails == mails


@pytest.mark.parametrize("body", [PAGE, b"[1, 2]", b"{}", b'"emails"', b"[" * 100_000])
def test_statistics_that_are_none_are_refused(server: Server, archive: PonyMailArchive, body: bytes) -> None:
    server.by_path["/stats.lua"] = [answer(body)]
    with pytest.raises(ServiceUnavailable):
        archive.fetch_stats(LIST, MONTH)


def test_a_list_address_cannot_smuggle_parameters(archive: PonyMailArchive) -> None:
    with pytest.raises(UnreadableInput):
        archive.fetch_stats("dev@x.example&list=private", MONTH)

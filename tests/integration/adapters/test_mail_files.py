"""Mail in files and folders: every kind is read, the rest is reported with its reason, and nothing counts twice."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.store import SqlStore
from kipflow.domain.facts import ArchiveMonth, Message
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.services import poll
from kipflow.services.assembly import load_facts
from kipflow.services.ingest import ingest_paths
from kipflow.services.ports import Landed
from tests.integration.adapters.faulty import mails
from tests.unit.services.stores import open_memory

NOW = datetime(2024, 2, 10, tzinfo=UTC)
DEV, USERS = "dev@x.example", "users@x.example"
EML = mails(1).split(b"\n", 1)[1]


def read(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """The ids of the mails read, and where and why others were not."""
    items = list(read_path(path, how=FileReading(list_id=DEV, month="", prefix="KIP")))
    good = [item.message_id for item in items if isinstance(item, Message)]
    return good, [(item.source, item.why) for item in items if not isinstance(item, Message)]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.mbox", bytes), ("a.mbox.gz", gzip.compress), ("a.mbox.bz2", bz2.compress), ("a.mbox.xz", lzma.compress),
        ("a name with spaces ü.mbox", bytes), ("no suffix", bytes), ("wrong suffix.txt", gzip.compress),
    ],
)  # fmt: skip
def test_a_box_is_read_packed_or_not_whatever_it_is_called(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    (tmp_path / name).write_bytes(pack(mails(3)))
    assert read(tmp_path / name) == ([f"<{n}@x.example>" for n in range(3)], [])
    assert read(tmp_path) == read(tmp_path / name)


def test_a_folder_gives_every_kind_of_mail_in_order(tmp_path: Path) -> None:
    def box(number: int) -> bytes:
        return mails(number + 1)[len(mails(number)) :]

    (tmp_path / "a.mbox").write_bytes(box(1))
    (tmp_path / "c.eml").write_bytes(box(2).split(b"\n", 1)[1])
    (tmp_path / "d.json").write_text(
        json.dumps({"emails": [{"message-id": "<3@x.example>", "subject": "s", "body": "b"}]})
    )
    for name in ("cur", "new", "tmp"):
        (tmp_path / "e" / name).mkdir(parents=True)
        (tmp_path / "e" / name / "1:2,S").write_bytes(box({"cur": 4, "new": 5, "tmp": 6}[name]))
    (tmp_path / ".2024-01.mbox.json").write_text("{}")
    assert read(tmp_path) == ([f"<{n}@x.example>" for n in range(1, 6)], [])


def test_a_link_to_a_file_is_followed_once_and_one_to_a_folder_never(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "a.mbox").write_bytes(mails(1))
    (tmp_path / "mail" / "b.mbox").symlink_to(tmp_path / "mail" / "a.mbox")
    (tmp_path / "mail" / "circle").symlink_to(tmp_path / "mail")
    (tmp_path / "mail" / "dangling.mbox").symlink_to(tmp_path / "gone")
    assert read(tmp_path / "mail") == (["<0@x.example>"], [])
    assert read(tmp_path / "mail" / "b.mbox") == (["<0@x.example>"], [])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x28\xb5\x2f\xfdxxxx", "compressed with zstd: unpack it first"),
        (b"PK\x03\x04xxxx", "a zip file: unpack it first"),
        (b"x".ljust(257, b"\0") + b"ustar\x0000" + b"\0" * 300, "a tar file: unpack it first"),
        (gzip.compress(b"x".ljust(257, b"\0") + b"ustar  \0" + b"\0" * 300), "a tar file: unpack it first"),
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n0000", "no mail headers"),
        (b"some words", "no mail headers"),
    ],
    ids=["zstd", "zip", "tar", "tar.gz", "empty", "blank", "picture", "text"],
)
def test_what_is_no_mail_is_reported_with_its_reason(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "x.mbox").write_bytes(data)
    found, bad = read(tmp_path / "x.mbox")
    assert (found, [reason for _, reason in bad]) == ([], [why])


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_a_damaged_box_gives_what_can_be_read_and_says_that_it_is_damaged(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    noise = os.urandom(200_000).hex().encode()
    packed = pack(mails(2) + mails(1).replace(b"words", noise))
    (tmp_path / "a.mbox").write_bytes(packed[: len(packed) * 2 // 3])
    _, bad = read(tmp_path / "a.mbox")
    assert len(bad) == 1
    assert "damaged" in bad[0][1] or "cannot be read" in bad[0][1]


def test_a_file_that_may_not_be_opened_and_a_pipe_are_reported_and_keep_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mbox")
    assert read(tmp_path / "pipe.mbox") == ([], [(str(tmp_path / "pipe.mbox"), "neither a file nor a folder")])
    assert read(tmp_path / "gone.mbox") == ([], [(str(tmp_path / "gone.mbox"), "no such file")])
    assert read(tmp_path) == ([], [])


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_is_forbidden_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(mails(1))
    (tmp_path / "a.mbox").chmod(0)
    (tmp_path / "b").mkdir(mode=0)
    try:
        assert [why for _, why in read(tmp_path)[1]] == [
            "cannot be read: Permission denied",
            "cannot be looked into: Permission denied",
        ]
    finally:
        (tmp_path / "b").chmod(0o700)


def node(number: int, body: str | None, **more: Any) -> dict[str, Any]:
    return {
        "message-id": f"<{number}@x.example>",
        "subject": "Re: [VOTE] KIP-7",
        "from": f"Kim Osei <kim{number}@x.example>",
        "epoch": 1704103200 + number,
        "body": body,
        **more,
    }


@pytest.mark.parametrize(
    "document",
    [
        node(1, "words"),
        [node(1, "words")],
        {"emails": [node(1, "words")]},
        {"thread": node(1, "words", children=[])},
        {"hits": {"hits": [{"_id": "q", "_source": node(1, "words")}]}},
        {"emails": [{"message-id": "<1@x.example>", "source": EML.replace(b"<0@", b"<1@").decode()}]},
        {"thread": node(1, "words"), "emails": [node(1, None)]},
    ],
    ids=["email.lua", "list", "emails", "thread.lua", "index dump", "raw sources", "listed again without its body"],
)
def test_every_form_of_pony_mails_json_is_read(tmp_path: Path, document: Any) -> None:
    (tmp_path / "x.json").write_text(json.dumps(document), encoding="utf-8-sig")
    assert read(tmp_path / "x.json") == (["<1@x.example>"], [])


def test_a_dump_with_a_mail_on_each_line_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("\n".join(json.dumps(node(n, "words")) for n in range(3)))
    assert read(tmp_path / "x.jsonl")[0] == [f"<{n}@x.example>" for n in range(3)]


def test_mails_that_an_answer_gives_without_their_body_are_reported_and_not_taken_for_silent(tmp_path: Path) -> None:
    deep = node(3, None, children=[])
    tree = node(1, "words", children=[node(2, None, children=[deep])])
    (tmp_path / "x.json").write_text(json.dumps({"thread": tree, "emails": [node(2, None), node(4, None)]}))
    found, bad = read(tmp_path / "x.json")
    assert found == ["<1@x.example>"]
    assert [why.partition(":")[0] for _, why in bad] == [f"<{n}@x.example>" for n in (2, 3, 4)]
    assert all("without its body" in why and "month's mbox" in why for _, why in bad)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not valid JSON"), ('{"colour": "red"}', "no mails as Pony Mail's JSON has them"),
        ("[" * 100_000, "not valid JSON"), ("[]", "no mails"),
    ],
    ids=["cut", "other", "deep", "empty"],
)  # fmt: skip
def test_json_that_is_none_of_pony_mails_is_reported(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "x.json").write_text(text)
    ((source, reason),) = read(tmp_path / "x.json")[1]
    assert source == "x.json"
    assert why in reason


# -- into the store ----------------------------------------------------------------------------------
@pytest.fixture
def store() -> Iterator[SqlStore]:
    opened = open_memory()
    yield opened
    opened.close()


def ingest(store: SqlStore, *paths: Path, **more: Any) -> dict[str, int]:
    return dict(ingest_paths(store, paths, list_id=DEV, prefix="KIP", seen_at=NOW, **more).counts)


def held(store: SqlStore) -> int:
    with store.read() as session:
        return len(load_facts(session, 7).messages)


def kip(count: int, first: int = 0) -> bytes:
    """Mails about KIP-7, dated."""
    head = b"Date: Mon, 1 Jan 2024 10:00:00 +0000\nFrom: Kim <kim@x.example>\nSubject: [DISCUSS] KIP-7: x"
    box = mails(first + count)[len(mails(first)) :]
    return box.replace(b"Subject: hello", head)


def test_the_same_file_twice_and_overlapping_files_add_nothing(store: SqlStore, tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(kip(3))
    (tmp_path / "b.mbox.gz").write_bytes(gzip.compress(kip(4, first=1)))
    assert ingest(store, tmp_path / "a.mbox")["new"] == 3
    again = ingest(store, tmp_path / "a.mbox", tmp_path / "a.mbox")
    assert (again["new"], again["known"], again["unreadable"]) == (0, 6, 0)
    overlapping = ingest(store, tmp_path)
    assert (overlapping["new"], overlapping["known"]) == (2, 5)
    assert held(store) == 5


def test_a_file_of_a_month_that_a_poll_holds_changes_nothing_of_what_is_held(store: SqlStore, tmp_path: Path) -> None:
    raw = tmp_path / "raw" / "2024-01.mbox"
    raw.parent.mkdir()
    raw.write_bytes(kip(3))
    month = ArchiveMonth(list_id=DEV, month="2024-01", status="complete", fetched_at=NOW, path=str(raw))
    poll.read_months(store, [Landed(month=month, stats="")], prefix="KIP", seen_at=NOW)
    with store.read() as session:
        before = session.mail.load_months()
    (tmp_path / "a.mbox").write_bytes(kip(2))
    counts = ingest(store, tmp_path / "a.mbox")
    assert (counts["new"], counts["known"]) == (0, 2)
    with store.read() as session:
        assert session.mail.load_months() == before


def test_a_masked_sender_keeps_the_real_mail_from_nowhere(store: SqlStore, tmp_path: Path) -> None:
    masked = {
        "emails": [
            {**node(0, "+1"), "from": "Kim Osei <ki...@x.example>"},
            {**node(1, "+1"), "from": "ki...@x.example"},
        ]
    }
    (tmp_path / "x.json").write_text(json.dumps(masked))
    counts = ingest(store, tmp_path / "x.json")
    assert (counts["new"], counts["unreadable"]) == (0, 2)
    whys = [row.why for row in store.unreadable().rows]
    assert any(why.startswith("its sender is masked (Kim Osei <ki...@x.example>): fetch") for why in whys)
    (tmp_path / "a.mbox").write_bytes(kip(2))
    assert ingest(store, tmp_path / "a.mbox")["new"] == 2


def test_each_mail_is_of_the_list_that_it_names_under_its_present_address(store: SqlStore, tmp_path: Path) -> None:
    def to(number: int, address: bytes) -> bytes:
        name, _, domain = address.partition(b"@")
        return kip(1, first=number).replace(b"Subject:", b"List-Id: <" + name + b"." + domain + b">\nSubject:")

    named = (b"users@x.example", b"x-dev@incubator.example", b"other@elsewhere.example")
    (tmp_path / "a.mbox").write_bytes(b"".join(to(n, address) for n, address in enumerate(named)) + kip(1, first=3))
    lists = {DEV: DEV, USERS: USERS, "x-dev@incubator.example": DEV}
    report = ingest_paths(store, [tmp_path], list_id=DEV, lists=lists, prefix="KIP", seen_at=NOW)
    with store.read() as session:
        assert {of: m.mails for (of, _), m in session.mail.load_months().items()} == {DEV: 2, USERS: 1}
    [warning] = report.warnings
    assert warning.startswith("1 of the mails are left out: other@elsewhere.example is none of this community's lists")

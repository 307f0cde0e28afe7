"""Whether a box was written to its end, in one piece, in parts of large files, and packed."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from kipflow.mbox import endings
from kipflow.mbox.files import count_starts, drop_last_mail, find_break
from kipflow.mbox.packed import inflate

AT = b"Mon Mar  2 10:00:00 2026"
MULTIPART = b'Received: from x by mx\nContent-Type: multipart/mixed;\n\tboundary="b"\n'


def mail(number: int, body: bytes = b"words", head: bytes = b"Received: from x by mx; " + AT + b"\n") -> bytes:
    return b"From a@x.example " + AT + b"\n" + head + b"Message-ID: <%d@x>\nFrom: a@x\n\n" % number + body + b"\n\n"


BY_HAND = b"Subject: s\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (mail(1) + mail(2), ""),
        (mail(1) + mail(2)[:-2], endings.MID_LINE),
        (mail(1) + mail(2)[:-1], endings.NO_LINE_LEFT),
        (mail(1, head=BY_HAND) + mail(2, head=BY_HAND)[:-1], ""),
        (mail(1)[:-1], ""),
        (mail(1) + mail(2)[: mail(2).index(b"Message-ID")], endings.IN_HEADERS),
        (mail(1) + mail(2, b"--b\n\nx", MULTIPART), endings.IN_PARTS),
        (mail(1) + mail(2, b"--b\n\nx\n--b--", MULTIPART), ""),
        (mail(1) + mail(2, b"no parts at all", MULTIPART), ""),
        (mail(1, b"--b\n\nx", MULTIPART) + mail(2), ""),
        (mail(1).split(b"\n", 1)[1].rstrip(b"\n"), ""),
        (b"From: a@x\nSubj", endings.IN_HEADERS),
        (b"", ""),
        (b"no mail", ""),
    ],
)
def test_how_a_box_ends(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "x.mbox"
    path.write_bytes(data)
    assert find_break(path) == expected
    if expected == endings.IN_PARTS:
        assert find_break(path, whole=True) == "", "an archive that vouches for the length knows better"
    path.write_bytes(gzip.compress(data))
    assert find_break(path) == expected


def test_the_end_of_a_large_box_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.mbox"
    box = b"".join(mail(n, b"words of some length\n" * 500) for n in range(300))
    path.write_bytes(box + mail(1000, b"--b\n\nx", MULTIPART))
    assert find_break(path) == endings.IN_PARTS
    path.write_bytes(box + mail(1000, b"x" * 3_000_000)[:-2])
    assert find_break(path) == endings.MID_LINE


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_data_without_their_end_are_damaged(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "x.mbox"
    path.write_bytes(pack(mail(1) + mail(2))[:-9])
    assert find_break(path).startswith(endings.DAMAGED)


def test_the_last_mail_of_a_broken_box_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "x.mbox"
    path.write_bytes(mail(1) + mail(2) + mail(3)[:20])
    assert drop_last_mail(path) == 1
    assert path.read_bytes() == mail(1)
    assert count_starts(path) == 1
    path.write_bytes(b"")
    assert drop_last_mail(path) == 0
    assert count_starts(path) == 0


@pytest.mark.parametrize("cut", [1, 7, 1_000_000])
def test_gzipped_data_are_given_in_small_pieces_member_after_member(cut: int) -> None:
    data = gzip.compress(b"x" * 5_000) + gzip.compress(b"y" * 10) + b"\0" * 20
    pieces = list(inflate((data[i : i + cut] for i in range(0, len(data), cut)), 100))
    assert b"".join(pieces) == b"x" * 5_000 + b"y" * 10
    assert {len(piece) <= 100 for piece in pieces} == {True}

"""Where mails begin: in archives of every form, with forged and pasted separators, however the bytes come."""

from __future__ import annotations

import io
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.mbox.ranges import split_range
from kipflow.mbox.separators import LOOK, Kind, Search, find_starts, learn_form
from kipflow.mbox.splitting import RawMail, split_mbox
from tests.examples import examples

AT = b"Mon Mar  2 10:00:00 2026"


def archived(
    number: int, body: bytes = b"words", *, envelope: bytes = b"list-return@x.example", named: bool = True
) -> bytes:
    """A mail as a list server archives it."""
    message_id = b"Message-ID: <%d@x.example>\n" % number if named else b""
    return (
        b"From " + envelope + b" " + AT + b"\nReceived: from a by mx.x.example; " + AT + b"\n"
        b"List-Id: <dev.x.example>\n" + message_id + b"From: a@x.example\nSubject: s\n\n" + body + b"\n\n"
    )


def written(number: int, body: bytes = b"words", *, named: bool = True, envelope: bytes = b"a@x.example") -> bytes:
    """A mail as somebody writes it into a box by hand."""
    message_id = b"Message-ID: <%d@x.example>\n" % number if named else b""
    return b"From " + envelope + b" " + AT + b"\nFrom: a@x.example\n" + message_id + b"Subject: s\n\n" + body + b"\n\n"


FORGED = b"words\n\nFrom x@x.example " + AT + b"\nFrom: b@x.example\nSubject: s\nDate: " + AT + b"\n\n+1"


def split(data: bytes) -> list[RawMail]:
    return list(split_mbox(io.BytesIO(data)))


@pytest.mark.parametrize(
    "body",
    [
        FORGED,
        FORGED.replace(b"From: b@", b"Message-ID: <forged@x.example>\nFrom: b@"),
        FORGED.replace(b"From: b@", b"List-Id: <dev.x.example>\nFrom: b@"),
        archived(9).replace(b"list-return@x.example", b"nobody"),
    ],
    ids=["written by hand", "with an id", "with a list", "without an address in its separator"],
)
def test_in_an_archive_a_separator_without_the_headers_of_its_server_is_text(body: bytes) -> None:
    mails = split(archived(1, b"Hi\n\n" + body) + archived(2))
    assert [mail.data.count(b"\nReceived:") for mail in mails][-1] == 1
    assert len(mails) == 2
    [doubt] = mails[0].doubts
    assert mails[0].data[doubt:].startswith(b"From ")
    assert not mails[1].doubts


def test_a_mail_without_an_id_is_a_mail_where_both_traces_of_the_server_are() -> None:
    assert len(split(archived(1) + archived(2, named=False) + archived(3))) == 3


def test_a_box_made_by_hand_is_read_by_its_own_form() -> None:
    mails = split(written(1, named=False) + written(2, named=False) + written(3))
    assert [mail.loose for mail in mails] == [False] * 3


def test_where_the_mails_of_a_box_made_by_hand_have_ids_one_without_may_be_text_and_says_so() -> None:
    mails = split(written(1) + written(2, FORGED) + written(3))
    assert [mail.loose for mail in mails] == [False, False, True, False]


@pytest.mark.parametrize("dash", [b"From -", b"From - ", b"From -\t", b"From - " + AT, b"From MAILER-DAEMON " + AT])
@pytest.mark.parametrize("make", [archived, written])
def test_a_separator_that_names_no_sender_is_one(make: object, dash: bytes) -> None:
    make = archived if make is archived else written
    second = make(2).split(b"\n", 1)[1]
    assert len(split(make(1) + dash + b"\n" + second + make(3))) == 3
    assert len(split(make(1) + dash + b"\r\n" + second + make(3))) == 3


def test_lines_that_begin_with_from_are_text() -> None:
    body = b"From the desk of: nobody\nFrom 10:00 to 12:00\nno header\n>From x\nFrom a@b.example " + AT + b"\nno header"
    assert len(split(archived(1, body) + archived(2))) == 2
    assert not split(archived(1, body))[0].doubts


PIECES = st.sampled_from(
    [
        archived(1),
        archived(2, named=False),
        written(3),
        FORGED + b"\n",
        b"From - \n",
        b"\nFrom a@x.example " + AT + b"\n",
        b"Received: x\n",
        b"Message-ID: <x@x>\n",
        b"\n",
        b"\r\n",
        b"words\n",
        b"From ",
        b"x" * 700,
        b"From x 1:00\nA: b\n" * 40,
    ]
)


class Drips:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._stream, self._size = io.BytesIO(data), size

    def read(self, size: int, /) -> bytes:
        return self._stream.read(min(size, self._size))


@examples(150)
@given(pieces=st.lists(PIECES, max_size=14), size=st.integers(1, 400), data=st.data())
def test_mails_are_the_same_whole_in_drips_and_in_parts(
    pieces: list[bytes], size: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    box = archived(0) + b"".join(pieces) if data.draw(st.booleans()) else written(0) + b"".join(pieces)
    whole = split(box)
    assert list(split_mbox(Drips(box, size))) == whole
    edges = sorted({0, len(box), *data.draw(st.lists(st.integers(1, len(box) - 1), max_size=4))})
    path = tmp_path_factory.mktemp("box") / "x.mbox"
    path.write_bytes(box)
    parts: list[RawMail] = []
    with path.open("rb") as stream:
        for start, end in pairwise(edges):
            parts += split_range(stream, start, end)
    assert [(m.data, m.doubts, m.cut, m.loose) for m in parts] == [(m.data, m.doubts, m.cut, m.loose) for m in whole]
    assert len(list(find_starts(box, learn_form(box)))) >= len(whole)


@examples(100)
@given(pieces=st.lists(PIECES, max_size=10), cut=st.integers(1, 3_000))
def test_a_search_that_goes_on_with_more_bytes_finds_what_one_of_all_bytes_finds(pieces: list[bytes], cut: int) -> None:
    box = archived(0) + b"".join(pieces)
    form = learn_form(box)
    whole = Search(box, form, final=True)
    part = Search(box[:cut], form)
    position = 1
    while (found := part.find(position)).at >= 0:
        assert whole.find(position) == found
        position = found.resume
    assert (after := whole.find(position)).at < 0 or after.at >= found.resume


@pytest.mark.parametrize(
    "bait",
    [
        b"From x@x.example 1:00\nA: b\n",
        b"From x@x.example 1:00\nMessage-ID: b\n",
        b"From x@x.example 1:00\nReceived: b\n",
        b"From x@x.example 1:00\nA:b\n\n",
        b"From \n",
        b"From 1:00\n:\n",
    ],
)
def test_a_megabyte_of_lines_that_look_like_separators_costs_no_seconds(bait: bytes) -> None:
    data = archived(1, b"x\n" + bait * (1_000_000 // len(bait)))
    start = time.process_time()
    split(data)
    assert time.process_time() - start < 1


def test_headers_longer_than_what_is_looked_at_are_judged_by_what_is() -> None:
    long = b"X-Long: " + b"x" * LOOK + b"\n"
    early = archived(2).replace(b"List-Id", long + b"List-Id")  # its Message-ID stands too far down
    data = archived(1) + early + archived(3)
    assert [len(m.doubts) for m in split(data)] == [1, 0]
    found = Search(data, learn_form(data), final=True).find(1)
    assert found.kind is Kind.DOUBTFUL


def test_the_first_mail_of_a_file_says_whether_servers_left_their_trace(tmp_path: Path) -> None:
    assert learn_form(archived(1)).traced
    assert not learn_form(written(1) + archived(2)).traced
    assert len(split(archived(1) + written(2))) == 1

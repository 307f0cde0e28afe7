"""A hostile mail costs bounded time and memory, and none makes the reader raise."""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kipflow.domain.facts import Message, Unreadable
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.mail.messages import read_message
from kipflow.mail.quotes.attributions import begins_attribution, ends_attribution, is_attribution
from tests.examples import examples
from tests.unit.mail.onemail import read_one

HEAD = (
    b"From: Jun Okafor <jun@okafor.example>\nSubject: Re: [VOTE] KIP-7: x\nIn-Reply-To: <root@mail.example>\n"
    b"Message-ID: <1@mail.example>\nDate: Tue, 3 Mar 2026 10:00:00 +0000\n"
)
#: One unit of text that a careless pattern could be slow on, repeated to a megabyte.
BAITS = {
    "votes": b"+1 ",
    "vote-lines": b"+1\n",
    "conditions": b"+1 if ",
    "quotes": b">",
    "quote-lines": b"> \n",
    "attributions": b"On x wrote:\n",
    "header-lines": b"From: x\n",
    "withdrawals": b"my vote withdraw ",
    "changes": b"change my vote to ",
    "names": b"Abc Def, ",
    "boxes": b"[ ] +1\n",
    "brackets": b"(",
    "sentences": b". ",
    "blanks": b" ",
    "numbers": b"1 binding ",
    "announcements": b"the vote has passed ",
    "cancellations": b"i will cancel the ",
    "ends": b"the vote is open until monday, ",
    "requests": b"could you leave it open until ",
    "armour": b"-----BEGIN PGP SIGNED MESSAGE-----\n",
    "letters": b"a",
    "senders": b"2026 a <a@b.cc> ",
    "sender-lines": b"On 1 Mar 2026 a <a@b.cc>\n",
    "colon-lines": b"10:00 a <a@b.cc>:\n> x\n",
    "titles": b"---- a ",
    "run-together": b"From: a Sent: b To: c ",
    "devices": b"sent from my ",
    "entities": b"&gt; ",
}
MARKUP = {
    "metas": b"<meta charset",
    "styles": b'<p style="height:0;">',
    "open-tags": b"<div>",
    "quotes": b"<blockquote>",
    "attributes": b"<a b=",
    "entities": b"&#",
    "angles": b"<",
}


def seconds_to_read(data: bytes) -> float:
    start = time.process_time()
    read_one(data)
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("name", BAITS)
def test_a_megabyte_of_bait_is_read_in_seconds(name: str) -> None:
    body = BAITS[name] * (1_000_000 // len(BAITS[name]))
    assert seconds_to_read(HEAD + b"Content-Type: text/plain\n\n" + body) < 5
    assert seconds_to_read(HEAD.replace(b"Re: [VOTE]", b"[RESULT] [VOTE]") + b"\n" + body) < 5


@pytest.mark.slow
@pytest.mark.parametrize("width", [120, 1_999])
@pytest.mark.parametrize("name", BAITS)
def test_a_megabyte_of_lines_of_bait_is_read_in_seconds(name: str, width: int) -> None:
    unit = BAITS[name].replace(b"\n", b" ")
    line = (unit * (width // len(unit) + 1))[:width] + b"\n"
    body = line * (1_000_000 // len(line))
    assert seconds_to_read(HEAD.replace(b"Re: [VOTE]", b"[RESULT] [VOTE]") + b"\n" + body) < 5


@pytest.mark.parametrize("unit", [b"a.", b"A. ", b"a, ", b". ", b"Binding: a."])
def test_a_list_that_is_broken_off_is_read_in_seconds(unit: bytes) -> None:
    body = b"The vote passed.\nBinding: " + unit * (1_500 // len(unit)) + b":\n"
    assert seconds_to_read(HEAD.replace(b"Re: [VOTE]", b"[RESULT] [VOTE]") + b"\n" + body * 20) < 5


@pytest.mark.parametrize("unit", [b" ", b"(1", b"with 1 ", b"PASSED ", b"- ", b"KIP-7 "])
def test_a_subject_of_fifty_thousand_letters_is_read_in_seconds(unit: bytes) -> None:
    subject = b"Subject: [VOTE] KIP-7: Names PASSED " + unit * (50_000 // len(unit)) + b" PASSED (3 binding)"
    assert seconds_to_read(re.sub(rb"Subject: .*", subject, HEAD) + b"\n+1\n") < 5


@pytest.mark.parametrize("reader", [ends_attribution, is_attribution, begins_attribution])
def test_a_line_ten_times_as_long_costs_no_more_looking_for_an_attribution(reader: Callable[[str], object]) -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        for _ in range(200):
            reader(text)
        return time.process_time() - start

    line = "On x wrote: " * 160
    assert min(seconds(line * 10) for _ in range(3)) < 5 * min(seconds(line) for _ in range(3)) + 0.05


@pytest.mark.parametrize("name", MARKUP)
def test_a_megabyte_of_broken_markup_is_read_in_seconds(name: str) -> None:
    body = MARKUP[name] * (1_000_000 // len(MARKUP[name]))
    assert seconds_to_read(HEAD + b"Content-Type: text/html\n\n" + body) < 5


@pytest.mark.parametrize("unit", [b"=", b"= \n", b"= ", b"K", b"K K\n", b"KzE=\n", b"a b\n", b"\n"])
@pytest.mark.parametrize("encoding", [b"base64", b"quoted-printable"])
def test_a_megabyte_of_odd_encoding_is_read_in_seconds(unit: bytes, encoding: bytes) -> None:
    head = HEAD + b"Content-Type: text/plain\nContent-Transfer-Encoding: " + encoding + b"\n\n"
    assert seconds_to_read(head + unit * (1_000_000 // len(unit))) < 5


def test_ten_thousand_parts_are_read_in_seconds() -> None:
    flat = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: text/plain\n\n+1\n" * 10_000
    deep = HEAD + b"Content-Type: multipart/mixed; boundary=b0\n\n"
    deep += b"".join(b"--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n" % (i, i + 1) for i in range(10_000))
    assert seconds_to_read(flat) < 5
    assert seconds_to_read(deep) < 5


def test_headers_without_end_are_read_in_seconds() -> None:
    assert seconds_to_read(b"Subject: " + b"Re: " * 500_000 + b"\n\n+1") < 5
    assert seconds_to_read(b"Subject: x\n" + b"odd\n" * 50_000 + b"From: y\n\n+1") < 5
    assert (
        seconds_to_read(b"Subject: [VOTE] x\nFrom: " + b"<" * 100_000 + b"\nCc: " + b"a@b," * 100_000 + b"\n\n+1") < 5
    )


@pytest.mark.parametrize("epoch", ["9999999999999999", "9" * 5_000, "²", "-1", "1e9"])
def test_a_forged_time_beyond_any_calendar_is_no_time(epoch: str) -> None:
    head = "From: Jun Okafor <jun@okafor.example>\nSubject: [VOTE] KIP-7: x"
    assert read_one(f"{head}\nX-Kipflow-Epoch: {epoch}\n\n+1\n").arrived_at is None


@pytest.mark.parametrize("name", ["a" * 1_500 + ", b", "a, " + "b" * 1_500, "a, b (" * 200, "a, (b", ", (", "(a), b"])
def test_a_name_of_any_form_is_read(name: str) -> None:
    found = read_one(f"From: {name} <jun@okafor.example>\nSubject: [VOTE] KIP-7: x\n\n+1\n")
    assert found.author_address == "jun@okafor.example"
    assert len(found.author_name) <= 200


@pytest.mark.slow
def test_a_line_of_a_hundred_megabytes_costs_bounded_memory_and_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "long.mbox"
    with path.open("wb") as out:
        out.write(b"From jun@okafor.example Tue Mar  3 10:00:00 2026\n" + HEAD + b"\n")
        for _ in range(100):
            out.write(b"+1 x" * 262_144)
        out.write(b"\n\nFrom ola@berg.example Tue Mar  3 11:00:00 2026\n" + HEAD.replace(b"<1@", b"<2@") + b"\n+1\n")
    tracemalloc.start()
    items = list(read_path(path, how=FileReading(list_id="dev@x.example", month="", prefix="KIP")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 150 * 1024 * 1024
    assert [i.message_id for i in items if isinstance(i, Message)] == ["<1@mail.example>", "<2@mail.example>"]
    assert ["first 16 MiB" in i.why for i in items if isinstance(i, Unreadable)] == [True]


@examples(150, HealthCheck.too_slow)
@given(st.binary(max_size=2_000))
def test_any_bytes_are_a_message_or_unreadable(data: bytes) -> None:
    assert isinstance(
        read_message(data, source="x#0", list_id="dev@x.example", month="", prefix="KIP"), Message | Unreadable
    )


@examples(150, HealthCheck.too_slow)
@given(
    kind=st.sampled_from(
        [b"text/plain", b"text/html", b"multipart/mixed; boundary=b", b"multipart/alternative; boundary=b", b"x"]
    ),
    encoding=st.sampled_from([b"7bit", b"base64", b"quoted-printable", b"x-uuencode", b"?"]),
    charset=st.sampled_from([b"utf-8", b"utf-7", b"utf-16", b"hex", b"idna", b"iso-2022-jp", b"x-none", b""]),
    body=st.lists(
        st.sampled_from(
            [
                *(b"--b\n", b"--b--\n", b"\n", b"+1\n", b"> +1\n", b"<p>", b"=2B1", b"KzE=", b"\xff\xfe", b"-- \n"),
                *(b"Content-Type: text/html\n\n", b"On 1 Jan 2026 x wrote:\n"),
            ]
        ),
        max_size=40,
    ),
)
def test_any_body_under_any_claim_is_read(kind: bytes, encoding: bytes, charset: bytes, body: list[bytes]) -> None:
    head = HEAD + b"Content-Type: " + kind + b"; charset=" + charset + b"\nContent-Transfer-Encoding: " + encoding
    read_one(head + b"\n\n" + b"".join(body))

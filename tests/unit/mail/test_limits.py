"""A mail that reaches a bound of what is read says so, and asks what its author votes."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.votes import Standing
from kipflow.mail import limits
from tests.unit.mail.onemail import read_one

T = TypeVar("T")
HEAD = b"From: Jun Okafor <jun@okafor.example>\nSubject: Re: [VOTE] KIP-7: x\nMessage-ID: <1@mail.example>\n"


def read(body: bytes, head: bytes = b"") -> Message:
    return read_one(HEAD + head + b"\n" + body)


def list_all(kind: type[T]) -> list[T]:
    """All bounds, or all gaps, in the order in which they are written."""
    return [value for value in vars(limits).values() if isinstance(value, kind)]


def parts(count: int) -> bytes:
    return b"--b\nContent-Type: text/plain\n\nx\n" * count + b"--b--\n"


def nested(depth: int) -> bytes:
    return b"".join(b"--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n" % (n, n + 1) for n in range(depth))


MIXED = b"Content-Type: multipart/mixed; boundary=b\n"
HTML = b"Content-Type: text/html\n"
UTF_8 = b"Content-Type: text/plain; charset=utf-8\n"
REACHED: dict[str, tuple[bytes, bytes]] = {
    "MAIL": (b"> y\n" * (limits.MAIL.size // 4), b""),
    "HEADERS": (b"", b"X-Long: " + b"x" * 300_000 + b"\n"),
    "FIELDS": (b"+1", b"To: x\n" * 1_001),
    "FIELD": (b"+1", b"To: " + b"x" * 17_000 + b"\n"),
    "SUBJECT": (b"+1", b""),
    "CONTENT_TYPE": (b"--b\n\n+1\n--b--", b"Content-Type: multipart/mixed; x=" + b"y" * 4_000 + b"; boundary=b\n"),
    "PARTS": (parts(202), MIXED),
    "DEPTH": (nested(40), b"Content-Type: multipart/mixed; boundary=b0\n"),
    "PART": (b"> y\n" * 600_000, b""),
    "MARKUP": (b"<p>x" + b" " * 1_100_000 + b"</p>", HTML),
    "NODES": (b"<b></b>" * 40_000, HTML),
    "NESTING": (b"<div>" * 254 + b"-1" + b"</div>" * 254 + b"<p>-1</p>", HTML),
    "TEXT": (b"> " + b"y" * 70 + b"\n" + (b"> " + b"y" * 70 + b"\n") * 4_000, b""),
    "LINES": (b">\n" * 6_001 + b"-1\n", b""),
    "LINE": (b"x" * 2_001 + b"\n", b""),
    "OWN_LINES": (b"x\n" * 700, b""),
    "OWN_TEXT": (b"some words of mine\n" * 900, b""),
}


@pytest.mark.parametrize("name", REACHED)
def test_a_mail_that_reaches_a_bound_is_a_question(name: str) -> None:
    body, head = REACHED[name]
    if name == "SUBJECT":
        found = read_one(HEAD.replace(b"KIP-7: x", b"KIP-7: " + b"x" * 700) + b"\n+1")
    else:
        found = read(b"+1 (binding)\n\n" + body if not head else body, head)
    assert str(getattr(limits, name)) in found.unread
    assert found.expressions
    assert {(e.standing, e.rule) for e in found.expressions} == {(Standing.UNCLEAR, "not-read-to-its-end")}
    assert found.unread in found.expressions[0].why


def test_the_examples_reach_every_bound() -> None:
    assert [getattr(limits, name) for name in REACHED] == list_all(limits.Limit)


GAPS: dict[str, tuple[bytes, bytes]] = {
    "ATTACHED": (b"-1 (binding)", b"Content-Type: application/octet-stream\n"),
    "ENCODED": (b"KzEgKGJpbmRpbmcp", b"Content-Transfer-Encoding: x-b64\n"),
    "UTF_7": (b"+-1 (binding)", b"Content-Type: text/plain; charset=utf-7\n"),
    "PICTURED": (b"<p><img alt='+1 (binding)'></p>", HTML),
    "STYLED": (b"<style>.x, p.y {display:none}</style><p class=y>+1</p><p>-1</p>", HTML),
    "TURNED": ("\u202e1-\u202c".encode(), UTF_8),
}

TRICKS: list[tuple[str, bytes]] = [
    ("-\u03361\u0336 (binding)", UTF_8),
    ("\u202b1-\u202c", UTF_8),
    ("<p style='color:white'>-1</p>", HTML),
    ("<p style='color:#fff;background:#FFF'>+1</p><p>I am unsure</p>", HTML),
    ("<style>#a{color:#FFF}</style><div id=a><b>-</b>1</div>", HTML),
    ("<style>@media all { i { visibility: hidden } }</style><i>-1</i>", HTML),
]
PLAIN: list[tuple[str, bytes]] = [
    ("+1 \u0627\u0644\u0633\u0644\u0627\u0645", UTF_8),
    ("+1\n\n> \u202e1-\u202c", UTF_8),
    ("+1\ufe0f\u20e3, caf\u0065\u0301", UTF_8),
    ("<style>.x {display:none} p {color:black}</style><p>+1</p><i class=x>Hi there</i>", HTML),
    ("<p>+1</p><p style='color:white;background:navy'>-1 day</p><blockquote style='color:white'>-1</blockquote>", HTML),
    ("<p>+1 <img alt='logo of x-1000'></p>", HTML),
]


@pytest.mark.parametrize(("body", "head"), TRICKS)
def test_what_is_not_shown_as_it_is_read_is_asked_about(body: str, head: bytes) -> None:
    found = read(body.encode(), head)
    assert [e.rule for e in found.expressions] == ["not-read-to-its-end"]


@pytest.mark.parametrize(("body", "head"), PLAIN)
def test_what_is_shown_as_it_is_read_is_not(body: str, head: bytes) -> None:
    assert read(body.encode(), head).unread == ""


@pytest.mark.parametrize("name", GAPS)
def test_a_mail_with_a_gap_is_a_question(name: str) -> None:
    found = read(*GAPS[name])
    assert str(getattr(limits, name)) == found.unread
    assert {(e.standing, e.rule) for e in found.expressions} == {(Standing.UNCLEAR, "not-read-to-its-end")}


def test_the_examples_have_every_gap() -> None:
    assert [getattr(limits, name) for name in GAPS] == list_all(limits.Gap)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("", True),
        ("> +1\n", True),
        ("My vote is attached.", True),
        ("See the attached ballot", True),
        ("A log is attached.", False),
        ("+1, with my answer attached", False),
        ("Thanks!", False),
    ],
)
def test_an_attachment_is_asked_about_where_a_mail_says_nothing_itself(text: str, asked: bool) -> None:
    body = f"--b\nContent-Type: text/plain\n\n{text}\n--b\nContent-Type: image/png\n\nx\n--b--\n"
    assert bool(read(body.encode(), MIXED).unread) is asked


def test_a_mail_below_all_bounds_was_read_to_its_end() -> None:
    quoted = b"> " + b"x" * 5_000 + b"\n"
    found = read(b"+1 (binding)\n\n" + quoted + b"> x\n" * 5_000, b"")
    assert (found.unread, found.expressions[0].standing) == ("", Standing.CLEAR)
    assert read(parts(199), MIXED).unread == ""
    inner = nested(20) + b"--b20\nContent-Type: text/plain\n\n-1 (binding)\n"
    found = read(inner, b"Content-Type: multipart/mixed; boundary=b0\n")
    assert (found.unread, found.expressions[0].value) == ("", "-1")


def test_every_bound_stands_in_the_document() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "security.md").read_text(encoding="utf-8")
    listed = text.partition("## How much is read of a mail")[2]
    for limit in list_all(limits.Limit):
        assert f"- {limit.size:,} {limit.what}\n" in listed
    for gap in list_all(limits.Gap):
        assert f"- {gap}\n" in listed

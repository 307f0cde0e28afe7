"""Mails that say a thing in plain text and another in HTML."""

from __future__ import annotations

import base64

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.votes import Choice, Standing
from kipflow.mail import limits
from tests.unit.mail.onemail import read_one

HEAD = (
    "From: Jun Okafor <jun@okafor.example>\nSubject: Re: [VOTE] KIP-7: x\nMessage-ID: <1@mail.example>\n"
    "Content-Type: multipart/alternative; boundary=b\n\n"
)
SHORT = "I have read all of it."
WORDS = "I have read all of it and wonder what others say of the parts that I did not understand. " * 3


def read(plain: str, markup: str, kind: str = "text/html") -> Message:
    encoded = base64.b64encode(markup.encode()).decode()
    html = f"Content-Type: {kind}\nContent-Transfer-Encoding: base64\n\n{encoded}"
    return read_one(f"{HEAD}--b\nContent-Type: text/plain\n\n{plain}\n--b\n{html}\n--b--\n")


@pytest.mark.parametrize(
    ("plain", "markup"),
    [
        ("+1 (binding)", "<p>-1 (binding)</p>"),
        ("-1 (binding)", "<p>+1 (binding)</p>"),
        ("+1", "<p>&#45;1</p><blockquote>+1</blockquote>"),
        (WORDS, "<p>-<b>1</b></p>"),
        (SHORT, f"<p>{SHORT}</p><p>-1</p>"),
        (SHORT, f"<p>{SHORT}</p><p>+1</p>"),
        (f"{WORDS}\n\n> -1", f"<p>-1</p><p>{WORDS}</p>"),
    ],
)
def test_texts_that_differ_in_their_vote_are_asked_about(plain: str, markup: str) -> None:
    [found] = read(plain, markup).expressions
    assert (found.choice, found.standing) == (None, Standing.UNCLEAR)
    assert "which is meant?" in found.why


@pytest.mark.parametrize(
    ("plain", "markup"),
    [
        ("+1 (binding)", "<p>+1 (binding)</p><blockquote>-1</blockquote>"),
        ("+ 1", "<p>+1</p>"),
        ("+1", "<p>\uff0b1</p>"),
        ("+1\n\n> -1", "<div>+1</div><blockquote>-1</blockquote>"),
        ("+1", "<p>Thanks</p>"),
    ],
)
def test_texts_that_say_the_same_are_one_vote(plain: str, markup: str) -> None:
    [found] = read(plain, markup).expressions
    assert (found.choice, found.standing) == (Choice.FOR, Standing.CLEAR)


def test_a_vote_that_only_the_html_shows_is_read_there_where_the_plain_text_is_a_placeholder() -> None:
    [found] = read("Please view this mail as HTML.", "<p>-1 (binding)</p>").expressions
    assert (found.choice, found.standing) == (Choice.AGAINST, Standing.CLEAR)


@pytest.mark.parametrize(
    ("body", "choice"),
    [
        ("<p>+1</p>", Choice.FOR),
        ("\n<div class='x'>-1 (binding)<br></div><blockquote>+1</blockquote>", Choice.AGAINST),
        ("+1\n\nList<p> is odd", Choice.FOR),
    ],
)
def test_html_that_calls_itself_plain_text_is_read_as_html(body: str, choice: Choice) -> None:
    mail = read_one(f"{HEAD.replace('multipart/alternative; boundary=b', 'text/plain')}{body}\n")
    assert [(e.choice, e.standing) for e in mail.expressions] == [(choice, Standing.CLEAR)]


def test_html_that_is_too_deep_is_noted_and_other_alternatives_are_none() -> None:
    assert str(limits.NESTING) in read("+1", "<div>" * 300 + "x").unread
    [found] = read("+1", "SUMMARY: -1", "text/calendar").expressions
    assert found.choice is Choice.FOR

"""Whose address a From gives: what stands outside quotes and comments, and only where it is one address."""

from __future__ import annotations

import pytest

from kipflow.domain.facts import Message
from kipflow.domain.senders import AddressSource
from kipflow.mail.content.mailboxes import find_shown
from tests.unit.mail.onemail import read_one

DEE, MAL = "dee@x.example", "m@evil.example"


def read(*lines: str) -> Message:
    head = [*lines, "Subject: Re: [VOTE] KIP-7: Tidy shelves", "Message-ID: <a@x.example>"]
    return read_one("\n".join(head) + "\n\n+1\n")


@pytest.mark.parametrize(
    ("sender", "address"),
    [
        (f"{MAL} (<{DEE}>)", MAL),
        (f"{MAL} (Dee Dorn <{DEE}>)", MAL),
        (f"(<{DEE}>) <{MAL}>", MAL),
        (f"({MAL}) {DEE}", DEE),
        (f'"Dee <{DEE}>" <{MAL}>', MAL),
        (f'"Dee \\" <{DEE}>" <{MAL}>', MAL),
        (f"(a (<{DEE}>) b) <{MAL}>", MAL),
        (f"{DEE} (Dee Dorn)", DEE),
        (f"{DEE} <{DEE}>", DEE),
        (f"Dorn, Dee <{DEE}>", DEE),
        (f'Dee "the D" Dorn <{DEE}>', DEE),
        (f'"Dee <{DEE}>', DEE),
        (f"Dee (Oslo <{DEE}>", DEE),
        (f"=?utf-8?q?Dee_=3C{DEE.replace('@', '=40')}=3E?= <{MAL}>", MAL),
    ],
)
def test_no_quoted_name_or_comment_gives_the_address(sender: str, address: str) -> None:
    found = read(f"From: {sender}")
    assert (found.author_address, found.address_source) == (address, AddressSource.FROM)


@pytest.mark.parametrize(
    "sender",
    [
        f"Mallory <{MAL}> (Dee Dorn) <{DEE}>",
        f"Mallory <{MAL}> <{DEE}>",
        f'"(" <{DEE}> ")" <{MAL}>',
        f"Dee Dorn <{DEE}>, Mallory <{MAL}>",
        f"{DEE}, Mallory <{MAL}>",
        f"<{DEE},{MAL}>",
        f'"Dee Dorn <{DEE}>": {MAL};',
        f"{DEE}: {MAL};",
        f"<{DEE}>: {MAL};",
        f'"Dee Dorn <{DEE}>": ;',
        f"Team: Dee Dorn <{DEE}>, Eve <eve@x.example>;",
        f"Dee Dorn <{DEE}>\nFrom: Mallory <{MAL}>",
        f"Mallory <{MAL}>\nFrom : Dee Dorn <{DEE}>",
        "Dee Dorn <dee\u200b@x.example>",
        "Dee Dorn <dee@x\u00ad.example>",
        f"Dee{' ' * 2_100}<{DEE}> (x",
    ],
)
def test_a_from_that_may_mean_several_addresses_gives_none_and_shows_all(sender: str) -> None:
    found = read(f"From: {sender}")
    assert (found.author_address, found.address_source) == ("", AddressSource.AMBIGUOUS)
    assert len(sender) > 500 or DEE in find_shown(found.raw_from)


def test_the_same_from_twice_is_one() -> None:
    assert read(f"From: Dee Dorn <{DEE}>", f"From:  Dee Dorn  <{DEE}>").author_address == DEE


def test_a_field_of_marks_that_nothing_ends_is_read_in_bounded_time() -> None:
    assert read("From: " + "(" * 1_900 + f" <{DEE}>").author_address == DEE


VIA = "From: Dee Dorn via dev <dev@x.example>"


@pytest.mark.parametrize(
    ("fields", "address"),
    [
        (("Reply-To: dee@x.example", "Cc: Dee Dorn <m@evil.example>"), ""),
        (("Reply-To: Dee Dorn <dee@x.example>, Dee Dorn <m@evil.example>",), ""),
        (("X-Original-From: dee@x.example", "Reply-To: m@evil.example"), ""),
        (("Cc: Dee Dorn <dee@x.example>, Dee Dorn <m@evil.example>",), ""),
        (("Reply-To: dev@x.example, Dee Dorn <dee@x.example>", "Cc: Tom Fisk <tom@fisk.example>"), DEE),
        (("Reply-To: dee@x.example", "Cc: Dee Dorn <dee@x.example>, Tom Fisk <tom@fisk.example>"), DEE),
        (("Cc: Tom Fisk <tom@fisk.example>, Dee Dorn <dee@x.example>",), DEE),
    ],
)
def test_a_writer_behind_the_list_is_known_where_its_fields_agree(fields: tuple[str, ...], address: str) -> None:
    found = read(VIA, *fields)
    expected = AddressSource.RECOVERED if address else AddressSource.AMBIGUOUS
    assert (found.author_address, found.address_source) == (address, expected)
    assert address or {DEE, MAL} <= set(find_shown(found.raw_from))


@pytest.mark.parametrize(
    ("by", "address"),
    [
        ("Dee Dorn <dee=40home.example@x.example>", "dee@home.example"),
        ("Dee Dorn <dee=40home.example@lists.x.example>", "dee@home.example"),
        ("Dee Dorn <dee=40home.example@dmarc.apache.org>", "dee@home.example"),
        ("Dee Dorn <dee=40home.example@evil.example>", "dee=40home.example@evil.example"),
        ("Dee Dorn <dee=40home.example@x.example.evil.example>", "dee=40home.example@x.example.evil.example"),
        ("Dee Dorn <dee=40home.example@evilx.example>", "dee=40home.example@evilx.example"),
        ("Dee Dorn <dee=40home.example@evilapache.org>", "dee=40home.example@evilapache.org"),
        ("Dee Dorn via dev <dee=home.example@lists.x.example>", "dee@home.example"),
        ("Dee Dorn via users <users@x.example>", "dee@home.example"),
        ("Dee Dorn via dev <dev@kafka.apache.org>", "dee@home.example"),
        ("Dee Dorn via dev <dee=home.example@evil.example>", ""),
        ("Dee Dorn via dev <dev@lists.apache.org.evil.example>", ""),
        (f"Dee Dorn via dev <{MAL}>", ""),
        (f"Dee Dorn <{MAL}>", MAL),
    ],
)
@pytest.mark.parametrize("field", ["Reply-To", "X-Original-From"])
def test_only_a_host_of_the_configured_list_can_have_rewritten_an_address(by: str, address: str, field: str) -> None:
    """Whatever the mail's own headers call its list."""
    own = by.rpartition("<")[2].rstrip(">")
    found = read(f"From: {by}", f"{field}: dee@home.example", f"List-Post: <mailto:{own}>", f"To: {own}")
    expected = AddressSource.RECOVERED if address == "dee@home.example" else AddressSource.FROM
    assert (found.author_address, found.address_source) == (address, expected if address else AddressSource.NONE)

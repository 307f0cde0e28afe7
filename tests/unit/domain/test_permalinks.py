"""Where a mail can be read: an address in which nothing of a hostile Message-ID works as a part of the address."""

from __future__ import annotations

import pytest

from kipflow.domain.sameids import render_permalink

TEMPLATE = "https://lists.example/thread/{mid}"


@pytest.mark.parametrize(
    ("message_id", "end"),
    [
        ("<a/b?c#d@x.example>", "a%2Fb%3Fc%23d@x.example"),
        ("<a%2Fb+c d&e@x.example>", "a%252Fb%2Bc%20d%26e@x.example"),
        ("<ü\ud800\"'<>@x.example>", "%C3%BC%3F%22%27%3C%3E@x.example"),
        ("<../../x@x.example>", "..%2F..%2Fx@x.example"),
        ("{mid}@x.example", "%7Bmid%7D@x.example"),
    ],
)
def test_a_permalink_quotes_what_a_message_id_may_hold(message_id: str, end: str) -> None:
    assert render_permalink(TEMPLATE, message_id) == f"https://lists.example/thread/{end}"


@pytest.mark.parametrize("message_id", ["", " ", "<>", f"<kipflow.{'0' * 64}@missing>", f"<kipflow.{'0' * 64}@long>"])
def test_a_mail_without_an_id_of_its_own_has_no_permalink(message_id: str) -> None:
    assert render_permalink(TEMPLATE, message_id) == ""

"""What an index states as its next number, in the words of any community, and where it stands."""

from __future__ import annotations

import pytest

from kipflow.wiki.next_number import find_next_number, parse_next_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Next KIP Number: 124", 124),
        ("The next available KIP number is KIP-124.", 124),
        ("Please use the next free number - 88", 88),
        ("Next KIP: 77", 77),
        ("next KIP id = 9", 9),
        ("<p><strong>Next KIP Number:&nbsp;</strong><em>31</em></p>", 31),
        ('<tr><th style="width: 3px">Next KIP Number</th><td>500</td></tr>', 500),
        ("<!-- Next KIP Number: 5 --> Next KIP Number: 6", 6),
        ('Take the next available KIP number and a descriptive heading. e.g. "KIP 42: Retention"', None),
        ("It stays open for the next 72 hours", None),
        ("planned for the next KIP-500 milestone", None),
        ("Next KIP number 3.1", None),
        ("Next KIP Number: 1000000", None),
        ("", None),
    ],
)
def test_the_number_is_read_where_the_words_state_it(text: str, number: int | None) -> None:
    assert parse_next_number(text, "KIP") == number


def test_its_place_is_where_an_edit_writes_the_new_one() -> None:
    body = "<p>Next KIP Number: <em>KIP-31</em></p>"
    place = find_next_number(body, "KIP")
    assert place is not None
    assert body[slice(*place)] == "31"

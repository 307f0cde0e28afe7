"""Proposal numbers in texts."""

from __future__ import annotations

import pytest

from kipflow.domain.proposals import find_references, format_key


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("KIP-12: x", (12,)),
        ("kip 12 and KIP12, KIP_13, KIP–14", (12, 13, 14)),
        ("KIP - 15", (15,)),
        ("KIP-0012", (12,)),
        ("SKIP-12, KIPPER 3, KIP-123456", ()),
        ("KIP-0", ()),
    ],
)
def test_numbers_are_found_in_all_spellings(text: str, numbers: tuple[int, ...]) -> None:
    assert find_references(text, "KIP") == numbers


def test_another_community_has_another_prefix() -> None:
    assert find_references("FLIP-3, KIP-4", "FLIP") == (3,)
    assert format_key("FLIP", 3) == "FLIP-3"

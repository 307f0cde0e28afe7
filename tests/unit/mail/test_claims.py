"""What a voter says of the binding force of a vote: near to the word is the word, unless it is a word of its own."""

from __future__ import annotations

import pytest

from kipflow.mail.votes.claims import find_claim, is_binding_word


@pytest.mark.parametrize(
    "word", ["binding", "Binding", "biding", "bindng", "bidning", "bindin", "bindings", "bindinng"]
)
def test_a_word_one_slip_away_is_binding(word: str) -> None:
    assert is_binding_word(word)


@pytest.mark.parametrize("word", ["building", "finding", "bidding", "being", "blinding", "bonding", "ending", "bring"])
def test_another_word_is_not(word: str) -> None:
    assert not is_binding_word(word)


@pytest.mark.parametrize(
    ("before", "after", "claim"),
    [
        ("", " (binding)", True),
        ("", " (bonding)", True),
        ("", " bonding over this", None),
        ("", " (non-bonding)", False),
        ("", ", although not really binding", False),
        ("Binding: ", "", True),
        ("(non-binding) ", "", False),
        ("", ", that makes three binding", None),
        ("", ", we need 2 more binding votes", None),
        ("", " (binding), others are non-binding", True),
        ("", " (non-binding), Jun's is binding", False),
        ("", " for the Python bindings", None),
        ("", " (binding?)", None),
        ("", " thanks for building it", None),
    ],
)
def test_the_claim_is_the_first_one_beside_the_vote(before: str, after: str, claim: bool | None) -> None:
    assert find_claim(before, after) is claim

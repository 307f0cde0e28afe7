"""The cheap tests before a closer look: they must never say no where the closer look would find something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.mail.relevance import AnyWord, Sought, fold_case
from kipflow.mail.words import changes, told

SOUGHT = {name: value for part in (told, changes) for name, value in vars(part).items() if isinstance(value, Sought)}


@pytest.mark.parametrize("name", SOUGHT)
def test_whatever_a_pattern_matches_holds_one_of_its_signs(name: str) -> None:
    sought = SOUGHT[name]
    assert sought.pattern.flags & re.IGNORECASE
    for must in _find_musts(_parser.parse(sought.pattern.pattern, sought.pattern.flags)):
        assert any(sign in text for text in must for sign in sought.signs), f"no sign in what must stand: {must}"


def test_a_pattern_without_signs_for_each_of_its_ways_is_found_out() -> None:
    ways = list(_find_musts(_parser.parse(r"\b(?:ship it|i (?:\w+ )?veto|lo+k)s?", re.IGNORECASE)))
    assert sorted("".join(way) for way in ways) == ["i veto", "lk", "ship it"]


@given(text=st.text(alphabet=st.sampled_from("aAiIıİsSſkK\u212aelEL -é"), max_size=12))
def test_folding_sees_the_letters_that_patterns_see(text: str) -> None:
    for word in ("a", "is", "sk", "kil", "all", "less"):
        assert (word in fold_case(text)) == (re.search(word, text, re.IGNORECASE) is not None)


@given(text=st.text(alphabet="of OF\nstcalx-", max_size=20))
def test_words_are_found_as_patterns_find_them(text: str) -> None:
    words = AnyWord(("call", "to"), whole=("off",))
    assert words.is_in(text) == (re.search(r"call|to|\boff\b", text, re.IGNORECASE) is not None)


def _find_musts(items: Iterable[tuple[Any, Any]]) -> Iterator[list[str]]:
    """For each way through a parsed pattern the runs of letters that any text on that way must hold."""
    ways: list[list[str]] = [[""]]
    for kind, value in items:
        if kind is _constants.LITERAL:
            ways = [[*way[:-1], way[-1] + chr(value).lower()] for way in ways]
        elif kind is _constants.BRANCH:
            inner = [must for option in value[1] for must in _find_musts(option)]
            ways = [_join(way, must) for way in ways for must in inner]
        elif kind is _constants.SUBPATTERN:
            ways = [_join(way, must) for way in ways for must in _find_musts(value[-1])]
        elif kind in {_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT}:
            pass  # takes no room
        else:
            ways = [[*way, ""] for way in ways]  # any letter, or a part that may be missing: the run ends
    yield from ways


def _join(way: list[str], must: list[str]) -> list[str]:
    return [*way[:-1], way[-1] + must[0], *must[1:]]

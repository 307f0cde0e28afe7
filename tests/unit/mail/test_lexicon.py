"""The lexicon's way of writing: what an entry stands for, and that the file stays legible."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from kipflow.mail import votes
from kipflow.mail.votes.lexicon import begins, ends, has, leaves_only, load_words

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("misdirected", "wrong list, sorry"),  # one of several alternatives in brackets
        ("changed_mind", "my concerns about the name are resolved"),  # words between
        ("change", "i am switching"),  # any ending
        ("approval", "都支持这个提案"),  # a script without blanks
    ],
)
def test_an_entry_stands_for_each_of_its_forms(name: str, text: str) -> None:
    assert has(name, text)


def test_a_word_is_found_as_a_whole_and_where_it_is_asked_for() -> None:
    assert not has("condition", "the gift")
    assert begins("from_me", " from me")
    assert not begins("from_me", "thanks from me")
    assert ends("sums_up", "the name is odd. otherwise, ")


def test_a_class_takes_in_another_one() -> None:
    assert set(load_words()["greeting"]) <= set(load_words()["filler"])
    assert leaves_only(("filler",), "hello, frobnicators") == "frobnicators"


def test_no_entry_is_left_half_written_and_no_class_unused() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "kipflow" / "mail").rglob("*.py"))
    for name, words in load_words().items():
        assert f'"{name}"' in code
        assert all(words), name
        assert not [word for word in words if set(word) & set("()|@")]


def test_lines_stay_short_enough_to_be_read_and_choices_do_not_nest() -> None:
    text = files(votes).joinpath("lexicon.toml").read_text(encoding="utf-8")
    assert re.search(r"\([^()]*\(", text) is None
    assert max(map(len, text.splitlines())) <= 120

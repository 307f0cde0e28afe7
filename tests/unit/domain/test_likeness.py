"""When two mailboxes look like one person's, and when they do not."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.likeness import find_keys, find_likeness, is_full_name, romanize

Box = tuple[str, str]


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (("Mara Lind", "a@x.example"), ("Mara Lind", "b@y.example"), "the same name"),
        (("M. Lind", "a@x.example"), ("Mara Lind", "b@y.example"), "initials of the same name"),
        (("Mara L.", "a@x.example"), ("Mara Lind", "b@y.example"), "initials of the same name"),
        (("Mara Lund", "a@x.example"), ("Mara Lind", "b@y.example"), "one letter away"),
        (("Mara Linnd", "a@x.example"), ("Mara Lind", "b@y.example"), "one letter away"),
        (("Mara Lidn", "a@x.example"), ("Mara Lind", "b@y.example"), "one letter away"),
        (("Cara Lind", "a@x.example"), ("Mara Lind", "b@y.example"), "one letter away"),
        (("Lind Mara", "a@x.example"), ("Mara Lind", "b@y.example"), "the same words in another order"),
        (("Mara Q. Lind", "a@x.example"), ("Mara Lind", "b@y.example"), "the same name with a word more"),
        (("Mara Lind-Berg", "a@x.example"), ("Mara Lind", "b@y.example"), "the same name with a word more"),
        (("Łukasz Żak", "a@x.example"), ("Lukasz Zak", "b@y.example"), "the same name in other letters"),
        (("Иван Петров", "a@x.example"), ("Ivan Petrov", "b@y.example"), "the same name in other letters"),
        (("Bob Berg", "a@x.example"), ("Robert Berg", "b@y.example"), "a short form of the same first name"),
        (("", "mara.lind@x.example"), ("Mara Lind", "b@y.example"), "the address spells the name"),
        (
            ("mlind42", "mlind42@x.example"),
            ("Mara Lind", "mlind42@y.example"),
            "the same mailbox name at another domain",
        ),
        (("", "mlind42+kafka@x.example"), ("", "mlind42@x.example"), "the same mailbox, written otherwise"),
        (("M. L.", "maralind@x.example"), ("Mara Lind", "mara.lind@x.example"), "the same mailbox, written otherwise"),
        (("MaraLind", "a@x.example"), ("Mara Lind", "b@y.example"), "the same name without blanks"),
        (("Mara", "mara.lind@x.example"), ("Mara Lind", "b@y.example"), "the address spells the name"),
        (("mlind", "a@x.example"), ("Mara Lind", "mlind@y.example"), "the name of the one is the other's mailbox name"),
        (
            ("Jo Ek on behalf of Mara Lind", "a@x.example"),
            ("Mara Lind", "b@y.example"),
            "the same name within a longer one",
        ),
    ],
)
def test_what_speaks_for_one_person_is_reported(one: Box, other: Box, why: str) -> None:
    assert find_likeness(one, other) == why
    assert find_likeness(other, one) == why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Mara Lind", "mara@x.example"), ("Mara Berg", "mara@y.example")),
        (("Wei Li", "wei@x.example"), ("Wei Lu", "wei@y.example")),
        (("Mara", "a@x.example"), ("Mara Lind", "b@y.example")),
        (("Mara", "a@x.example"), ("Mara Lind", "mara@y.example")),
        (("Mara", "mara.l@x.example"), ("Mara Lind", "b@y.example")),
        (("Lind", "kim.osei@x.example"), ("Kim Osei", "b@y.example")),
        (("news", "a@x.example"), ("Mara Lind", "news@y.example")),
        (("Weili", "a@x.example"), ("Wei Li", "b@y.example")),
        (("M. L.", "a@x.example"), ("Mara Lind", "b@y.example")),
        (("Mara Lind", "info@x.example"), ("Kim Osei", "info@y.example")),
        (("", "dev@x.example"), ("", "dev@y.example")),
        (("Jun Okafor", "a@x.example"), ("Mara Lind", "b@y.example")),
        (("", ""), ("", "")),
    ],
    ids=[
        *("first name", "short names", "one word", "first name as mailbox", "first name and initial"),
        *(
            "another's mailbox",
            "role as a name",
            "short names in one",
            "only initials",
            "role mailbox",
            "list",
            "nothing",
            "nobody",
        ),
    ],
)
def test_what_any_two_people_may_share_speaks_for_nothing(one: Box, other: Box) -> None:
    assert find_likeness(one, other) is None


def test_a_full_name_has_two_words_and_no_initial_at_its_ends() -> None:
    full = ["Mara Lind", "Mara Q. Lind", "Jo de Wit"]
    assert [name for name in [*full, "Mara", "M. Lind", "Mara L.", ""] if is_full_name(name)] == full


def test_a_name_keeps_every_letter_that_it_has_in_another_script() -> None:
    assert romanize("Ærø  Þór") == "aero thor"
    assert romanize("王伟") == "王伟"


name = st.lists(
    st.sampled_from(["mara", "marra", "m", "lind", "lund", "robert", "bob", "Łuk", "luk", "петр"]), max_size=4
)
box = st.tuples(
    name.map(" ".join), st.sampled_from(["", "mlind42@x.example", "mlind42+a@y.example", "mara.lind@z.example"])
)


@given(one=box, other=box)
def test_whoever_looks_alike_is_found_by_a_key_in_common(one: Box, other: Box) -> None:
    assert find_likeness(one, other) == find_likeness(other, one)
    if find_likeness(one, other) is not None:
        assert find_keys(*one) & find_keys(*other)


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_is_compared_and_its_keys_are_few(name: str, address: str) -> None:
    assert len(find_keys(name, address)) < 80
    find_likeness((name, address), (address, name))


def test_the_corpus_of_short_forms_agrees_with_itself() -> None:
    for one, other in combinations(["Bob", "Rob", "Robert", "Bobby"], 2):
        assert find_likeness((f"{one} Osei", ""), (f"{other} Osei", "")) == "a short form of the same first name"

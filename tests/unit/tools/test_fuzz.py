"""What `make fuzz` checks holds for its seeds and their first changes; without atheris, so it runs everywhere."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from kipflow.mail.quoting import find_own_words
from kipflow.mail.votes.reading import read_expressions
from tools.fuzz.mutations import CHANGES, mutate
from tools.fuzz.seeds import SEEDS
from tools.fuzz.targets import TARGETS, Violation, check_quoted, check_value

SOME = 40


def some(target: str) -> list[bytes]:
    """Seeds spread over all there are."""
    seeds = SEEDS[target]()
    return seeds[:: max(1, len(seeds) // SOME)]


def find_violations(target: str, inputs: Iterable[bytes]) -> list[tuple[bytes, str]]:
    """Each input that breaks an invariant, and which one."""
    found = []
    for data in inputs:
        try:
            TARGETS[target](data)
        except Violation as violation:
            found.append((data, str(violation)))
    return found


def test_every_target_has_seeds_and_changes() -> None:
    assert set(TARGETS) == set(SEEDS) == set(CHANGES)
    assert all(SEEDS[target]() for target in TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_the_invariants_hold_for_seeds(target: str) -> None:
    assert find_violations(target, some(target)) == []


@pytest.mark.parametrize("target", TARGETS)
def test_the_invariants_hold_for_seeds_a_little_changed(target: str) -> None:
    changed = (mutate(data, target=target, seed=seed, limit=20_000) for seed, data in enumerate(some(target)))
    assert find_violations(target, changed) == []


@pytest.mark.parametrize("target", TARGETS)
def test_a_change_is_repeatable_and_bounded(target: str) -> None:
    for seed, data in enumerate(some(target)):
        changed = mutate(data, target=target, seed=seed, limit=500)
        assert changed == mutate(data, target=target, seed=seed, limit=500)
        assert len(changed) <= 500


@pytest.mark.parametrize("value", ["\ud800", "a\x00b", "x" * 2_001], ids=["lone surrogate", "NUL", "too long"])
def test_a_text_that_the_store_would_refuse_is_a_violation(value: str) -> None:
    with pytest.raises(Violation):
        check_value({"name": (value,)}, "Message")


def test_a_quote_is_checked_against_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    check_quoted("+1 (binding)")
    monkeypatch.setattr(
        "tools.fuzz.targets.read_expressions", lambda words: read_expressions(find_own_words("+1 (binding)"))
    )
    with pytest.raises(Violation, match="quoted text votes"):
        check_quoted("+1 (binding)")

"""Numbers: which come next, and what becomes of one that only mail names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kipflow.domain.events import Stage
from kipflow.domain.facts import MailKind, ProposalFacts
from kipflow.domain.lifecycle import decide
from kipflow.domain.numberdoubts import NumberDoubtKind, find_number_doubt
from kipflow.domain.pages import IndexEntry
from kipflow.domain.proposals import JUMP, KnownWriter, Numbering, Numbers, find_followers, find_next
from tests.unit.domain.building import POLICY, TALKED, YES, at, facts, mail, page, poll, result, ruling, stages

WIKI = Numbering(by_wiki=True, below=6)


def claimed(numbering: Numbering = WIKI, **more: object) -> ProposalFacts:
    mails = (mail(1, MailKind.DISCUSS), mail(4, MailKind.VOTE))
    return facts(**{"messages": mails, "votes": (poll(4, *YES, declared=result(8)),), "numbering": numbering, **more})


@pytest.mark.parametrize(
    ("numbers", "number", "highest", "beyond"),
    [
        (Numbers(), 1, 0, None),
        (Numbers(stated=31), 31, 30, None),
        (Numbers(taken=frozenset({900, 901})), 902, 901, None),
        (Numbers(taken=frozenset({1, 4, 121}), stated=124), 5, 4, 121),
        (Numbers(taken=frozenset(range(1, 122)), stated=124), 124, 123, None),
        (Numbers(taken=frozenset({1, 2, 3}), stated=2), 4, 3, None),
        (Numbers(taken=frozenset({7, 7 + JUMP})), 8 + JUMP, 7 + JUMP, None),
        (Numbers(taken=frozenset({7, 8 + JUMP})), 8, 7, 8 + JUMP),
        (Numbers(taken=frozenset({7, 99_999}), accepted=frozenset({99_999})), 100_000, 99_999, None),
        (Numbers(taken=frozenset({7}), stated=100_000), 8, 7, 100_000),
        (Numbers(taken=frozenset({7}), claimed=frozenset({8, 9, 11})), 10, 7, None),
        (Numbers(taken=frozenset({7}), claimed=frozenset({99_999})), 8, 7, None),
    ],
)
def test_the_next_number_goes_on_from_the_highest_that_is_no_jump(
    numbers: Numbers, number: int, highest: int, beyond: int | None
) -> None:
    found = find_next(numbers)
    assert (found.number, found.highest, found.beyond) == (number, highest, beyond)


def test_an_index_shows_the_next_number_that_the_wiki_states_and_none_that_cannot_be() -> None:
    assert find_next(Numbers(taken=frozenset({1, 4}), stated=124)).listed == 124
    assert find_next(Numbers(taken=frozenset({1, 4}), stated=3)).listed == 5
    assert find_next(Numbers(taken=frozenset({1, 4}), stated=100_000)).listed == 5


def test_a_number_affects_those_within_a_jump_above_it() -> None:
    assert find_followers([10, 100], [5, 10, 11, 10 + JUMP, 11 + JUMP, 99, 101, 151]) == [11, 10 + JUMP, 101]


def test_where_a_wiki_gives_numbers_one_of_mail_is_claimed_and_its_vote_decides_nothing() -> None:
    decision = decide(claimed(), POLICY, at(9))
    assert decision.number_doubt is not None
    assert (decision.number_doubt.kind, decision.stage) == (NumberDoubtKind.CLAIMED, Stage.VOTE)
    assert decision.missing[0].startswith("claimed: only mail names it")
    assert decision.unwarned is None
    assert decision.review == ()


@pytest.mark.parametrize(
    "more",
    [
        {"pages": (page(0),)},
        {"pages": (page(8.5),)},
        {"index_entries": (IndexEntry(number=7, title="x", section="discussion", seen_at=at(99), origin="page"),)},
        {"rulings": (ruling(8.5, "number", number="accept"),)},
        {"numbering": Numbering()},
    ],
    ids=["a page", "a page that came late", "a row seen later", "a person's word", "a community without a wiki"],
)
def test_a_number_that_is_real_lets_its_vote_decide_as_of_its_end(more: dict[str, Any]) -> None:
    decision = decide(claimed(**more), POLICY, at(9))
    assert decision.number_doubt is None
    assert (decision.stage, decision.since) == (Stage.ACCEPTED, at(8))


def test_a_page_that_is_not_there_yet_makes_no_number_real() -> None:
    assert find_number_doubt(claimed(pages=(page(10),)), at(9)) is not None


def test_a_known_writer_raises_a_question_with_both_outcomes_and_no_words_of_the_mail() -> None:
    known = replace(WIKI, writers=(KnownWriter(name="Kim Osei", at=at(2)),))
    decision = decide(claimed(known), POLICY, at(9))
    (asked,) = decision.review
    assert (asked.kind, asked.line, asked.asked_at) == ("claimed-number", "", at(2))
    assert "Kim Osei wrote in it" in asked.question
    assert "fences" not in asked.question
    assert len(asked.outcomes) == 2


def test_a_refused_number_asks_nothing_until_a_page_comes() -> None:
    refused = ruling(6, "number", number="refuse")
    decision = decide(claimed(rulings=(refused,)), POLICY, at(9))
    assert decision.number_doubt is not None
    assert (decision.number_doubt.kind, decision.stage, decision.review) == (NumberDoubtKind.REFUSED, Stage.VOTE, ())
    assert find_number_doubt(claimed(rulings=(refused,), pages=(page(7),)), at(9)) is None


def test_a_page_far_beyond_the_others_is_followed_and_asked_about() -> None:
    far = Numbering(by_wiki=True, below=7 - JUMP - 1)
    decision = decide(facts(**TALKED, numbering=far), POLICY, at(2))
    assert decision.number_doubt is not None
    assert (decision.number_doubt.kind, decision.number_doubt.is_real) == (NumberDoubtKind.JUMP, True)
    assert [item.kind for item in decision.review] == ["claimed-number"]
    assert stages(decision) == [Stage.DRAFT, Stage.DISCUSSION]

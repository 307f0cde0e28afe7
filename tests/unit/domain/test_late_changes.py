"""A page that changes in substance after people voted on it is reported, and by policy asks a person first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage
from kipflow.domain.facts import MailKind, Ruling
from kipflow.domain.lifecycle import decide
from kipflow.domain.ownpages import find_late_change, say_sections
from kipflow.domain.pages import PageVersion
from kipflow.domain.policy import PageChanges, Policy
from kipflow.domain.ruled import render_recast
from tests.unit.domain.building import POLICY, YES, at, ballot, facts, mail, page, poll, result, ruling

ASK = replace(POLICY, page_changes=PageChanges.ASK)
OLD, NEW = (("Proposed Changes", "aa"), ("Motivation", "bb")), (("Proposed Changes", "cc"), ("Motivation", "bb"))


def page_version(day: float, number: int, substance: tuple[tuple[str, str], ...]) -> PageVersion:
    return page(day, version=number, substance=substance)


def decided(
    *versions: PageVersion, policy: Policy = ASK, on: float = 30, announced: float | None = 8, **more: Any
) -> Decision:
    vote = poll(4, *YES, declared=result(announced) if announced is not None else None)
    messages = (mail(1, MailKind.DISCUSS), mail(4, MailKind.VOTE))
    known = facts(pages=(page_version(0, 1, OLD), *versions), messages=messages, votes=(vote,), **more)
    decision = decide(known, policy, at(on))
    assert decision is not None
    return decision


def test_a_change_after_votes_keeps_the_proposal_from_acceptance_until_a_person_has_looked() -> None:
    waiting = decided(page_version(5, 2, NEW))
    assert waiting.stage is Stage.VOTE
    (item,) = [i for i in waiting.review if i.kind == "page"]
    assert item.subject == "p7@2"
    assert "since version 1" in item.question
    assert "Proposed Changes" in item.question
    assert any("a person must say whether the votes hold" in m for m in waiting.missing)
    settled = decided(page_version(5, 2, NEW), rulings=(ruling(10, "page", target="p7@2", votes="hold"),))
    assert (settled.stage, settled.since) == (Stage.ACCEPTED, at(10))


def test_a_policy_that_only_shows_accepts_and_reports() -> None:
    assert decided(page_version(5, 2, NEW), policy=POLICY).stage is Stage.ACCEPTED
    running = decided(page_version(5, 2, NEW), policy=POLICY, on=6)
    assert "the page changed after votes were cast (Proposed Changes)" in running.missing
    assert [i.kind for i in running.review] == ["page"]


@pytest.mark.parametrize(
    "versions",
    [
        (page_version(3.9, 2, NEW),),
        (page_version(5, 2, OLD),),
        (page_version(5, 2, NEW), page_version(6, 3, OLD)),
        (page_version(9, 2, NEW),),
        (page_version(5, 2, ()),),
    ],
    ids=["before-anybody-voted", "a-trifle", "taken-back", "after-the-result", "text-not-known"],
)
def test_what_no_vote_was_cast_against_changes_nothing(versions: tuple[PageVersion, ...]) -> None:
    assert decided(*versions).stage is Stage.ACCEPTED


def test_a_change_that_is_taken_back_lets_the_clock_go_on() -> None:
    policy = replace(ASK, clock_after=timedelta(days=1))
    decision = decided(page_version(5, 2, NEW), page_version(12, 3, OLD), policy=policy, announced=None)
    assert (decision.stage, decision.since) == (Stage.ACCEPTED, at(12))


def test_what_a_person_said_of_one_version_does_not_hold_for_the_next() -> None:
    word = ruling(6, "page", target="p7@2", votes="hold")
    other = (("Proposed Changes", "dd"), ("Motivation", "bb"))
    assert decided(page_version(5, 2, NEW), page_version(7, 3, other), rulings=(word,)).stage is Stage.VOTE


def test_a_trifle_after_the_change_is_no_new_question() -> None:
    asked = decided(page_version(5, 2, NEW), page_version(6, 3, NEW), page_version(7, 4, NEW))
    assert [i.subject for i in asked.review if i.kind == "page"] == ["p7@2"]


def test_a_change_that_comes_back_is_a_new_question() -> None:
    asked = decided(page_version(5, 2, NEW), page_version(6, 3, OLD), page_version(7, 4, NEW))
    assert [i.subject for i in asked.review if i.kind == "page"] == ["p7@4"]


@pytest.mark.parametrize("target", ["p7@2", "p7@3", "p7@4"])
def test_what_a_person_said_holds_for_every_version_that_says_the_same(target: str) -> None:
    word = ruling(10, "page", target=target, votes="hold")
    assert (
        decided(page_version(5, 2, NEW), page_version(6, 3, NEW), page_version(7, 4, NEW), rulings=(word,)).stage
        is Stage.ACCEPTED
    )


def test_a_word_that_was_taken_back_counts_no_longer() -> None:
    word = replace(ruling(10, "page", target="p7@2", votes="hold"), revoked_at=at(20))
    assert decided(page_version(5, 2, NEW), rulings=(word,)).stage is Stage.VOTE


def test_a_refusal_needs_no_look_at_the_page() -> None:
    against = tuple(replace(b, choice=type(b.choice)("-1")) for b in YES if b.choice is not None)
    known = facts(pages=(page_version(0, 1, OLD), page_version(5, 2, NEW)), votes=(poll(4, *against),))
    decision = decide(known, ASK, at(30))
    assert decision.stage is Stage.REJECTED


def find_ways(decision: Decision) -> tuple[str, ...]:
    (item,) = [i for i in decision.review if i.kind == "page"]
    return item.outcomes


def recast(day: float, before: float) -> Ruling:
    value = render_recast(poll(4), at(before))
    return replace(ruling(day, "page", target="p7@2"), value=dict(value))


def test_the_question_says_what_both_answers_come_to() -> None:
    held, again = find_ways(decided(page_version(5, 2, NEW)))
    assert held == "if they hold: it passes with +3 -0; the proposal is Accepted"
    assert again == "if they must be cast again: it falls short with +0 -0, and the voting period begins anew"
    open_now, _ = find_ways(decided(page_version(5, 2, NEW), on=6, announced=None))
    assert open_now.endswith("it passes with +3 -0; the proposal stays in Vote until the voting period is over")


def test_an_outcome_depends_on_the_answer_only_where_votes_that_count_for_it_were_cast_before() -> None:
    since = tuple(replace(b, cast_at=at(5.5)) for b in YES)
    guest = ballot("gus", 4.1, binding=False)
    pages = (page_version(0, 1, OLD), page_version(5, 2, NEW))
    known = facts(pages=pages, messages=(mail(4, MailKind.VOTE),), votes=(poll(4, guest, *since),))
    asked = decide(known, ASK, at(6))
    assert asked is not None
    assert find_ways(asked) == ()
    known = replace(known, votes=(replace(known.votes[0], declared=result(8)),))
    held_up = decide(known, ASK, at(9))
    assert held_up is not None
    assert find_ways(held_up) == (
        "if they hold: it passes with +3 -0; the proposal is Accepted",
        "if they must be cast again: it passes with +3 -0, and the voting period begins anew",
    )


def test_what_must_be_cast_again_counts_from_the_change_on_and_for_a_whole_period() -> None:
    word, again = recast(9, before=5), tuple(ballot(name, 10) for name in ("ada", "bo", "cy"))
    known = facts(
        pages=(page_version(0, 1, OLD), page_version(5, 2, NEW)),
        messages=(mail(1, MailKind.DISCUSS), mail(4, MailKind.VOTE)),
        votes=(poll(4, *YES, ballot("dee", 6), *again, declared=result(8)),),
        rulings=(word,),
    )
    steps = {}
    for day in (8.5, 9, 10, 12):
        decision = decide(known, ASK, at(day))
        (vote,) = decision.votes
        steps[day] = (vote.tally.binding.plus, vote.terms.earliest_close, vote.vote.declared is None)
        assert decision.stage is Stage.VOTE
    assert steps == {
        8.5: (4, at(7), False),
        9: (1, at(12), True),
        10: (4, at(12), True),
        12: (4, at(12), True),
    }
    waiting = decide(known, ASK, at(9))
    assert any(line.startswith("what was cast before") for line in waiting.missing)
    assert [i.kind for i in waiting.review] == []
    new_result = replace(result(13), revised_at=at(13), before=result(8))
    announced = decide(replace(known, votes=(replace(known.votes[0], declared=new_result),)), ASK, at(14))
    assert (announced.stage, announced.since) == (Stage.ACCEPTED, at(13))
    revoked = decide(replace(known, rulings=(replace(word, revoked_at=at(11)),)), ASK, at(14))
    assert revoked.votes[0].terms.earliest_close == at(7)


def test_a_word_on_one_round_says_nothing_of_the_next() -> None:
    known = facts(
        pages=(page_version(0, 1, OLD), page_version(5, 2, NEW)),
        messages=(mail(4, MailKind.VOTE),),
        votes=(poll(4, *YES, ended_at=at(10), ended_how="replaced"), poll(10, ballot("ada", 10.5), round=2)),
        rulings=(recast(9, before=11),),
    )
    decision = decide(known, ASK, at(12))
    assert [vote.tally.binding.plus for vote in decision.votes] == [0, 1]
    assert decision.votes[1].terms.earliest_close == at(13)


def test_who_votes_again_has_seen_the_change() -> None:
    again = tuple(ballot(name, 5.5) for name in ("ada", "bo", "cy"))
    known = facts(pages=(page_version(0, 1, OLD), page_version(5, 2, NEW)), votes=(poll(4, *YES, *again),))
    assert find_late_change(known, known.votes[0], at(9)) is None
    known = facts(pages=(page_version(0, 1, OLD), page_version(5, 2, NEW)), votes=(poll(4, *YES, *again[1:]),))
    assert find_late_change(known, known.votes[0], at(9)) is not None


def test_a_vote_without_ballots_has_no_text_that_people_voted_on() -> None:
    known = facts(pages=(page_version(0, 1, OLD), page_version(5, 2, NEW)), votes=(poll(4),))
    assert find_late_change(known, known.votes[0], at(9)) is None


def test_many_sections_are_reported_in_short() -> None:
    assert say_sections(["", "A", "B", "C", "D", "E"]) == "top of the page, A, B, C and 2 more"

"""The less straight lives: amended, reopened, asleep, announced too early, ruled upon, taken twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, effective, reconcile
from kipflow.domain.facts import Coverage, MailKind
from kipflow.domain.pages import IndexEntry, StatusWord
from kipflow.domain.policy import Care, VotingRule
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import BallotStatus, Choice, Vote
from tests.unit.domain.building import (
    ACCEPTED,
    POLICY,
    SLEEPY,
    TALKED,
    YES,
    at,
    ballot,
    decided,
    facts,
    followed,
    mail,
    page,
    poll,
    result,
    ruling,
    stages,
)


def rules(decision: Decision) -> list[str]:
    return [t.rule for t in decision.history]


def kinds(decision: Decision) -> list[str]:
    return [item.kind for item in decision.review]


def second(day: float, *cast: Any, **more: Any) -> Vote:
    return poll(day, *cast, round=2, **more)


def no(*days: float) -> tuple[Any, ...]:
    return tuple(ballot(f"v{n}", day, Choice.AGAINST) for n, day in enumerate(days))


# -- amendments ---------------------------------------------------------------------------------------
def test_a_vote_after_the_acceptance_is_an_amendment_and_the_proposal_stays_accepted() -> None:
    again = second(50, *(replace(b, cast_at=at(51), message_id=f"<again-{b.voter}>") for b in YES))
    running = decided(facts(**TALKED, votes=(ACCEPTED, again)), POLICY, 52)
    assert (running.stage, running.since) == (Stage.ACCEPTED, at(8))
    assert running.missing == ("amendment: closes no earlier than Fri 2026-04-24 09:00 UTC",)
    assert running.next_deadline == at(53)
    announced = replace(again, declared=replace(result(54), message_id="<result-2@x.example>"))
    over = decided(facts(**TALKED, votes=(ACCEPTED, announced)), POLICY, 60)
    last = over.history[-1]
    assert (last.source, last.target, last.rule, last.at) == (Stage.ACCEPTED, Stage.ACCEPTED, "amended", at(54))
    assert over.since == at(8), "the proposal is accepted since its own vote"
    assert over.missing == ()
    assert kinds(over) == []


def test_an_amendment_that_is_voted_down_leaves_the_proposal_as_it_was() -> None:
    over = decided(facts(**TALKED, votes=(ACCEPTED, second(50, *no(50.1, 50.2)))), POLICY, 60)
    assert (over.stage, rules(over)[-1]) == (Stage.ACCEPTED, "amendment-failed")
    assert over.votes[1].outcome is Outcome.FAILED


def test_an_amendment_that_is_cancelled_or_short_records_nothing() -> None:
    ended = second(50, ended_at=at(51), ended_how="cancelled")
    assert rules(decided(facts(**TALKED, votes=(ACCEPTED, ended)), POLICY, 60))[-1] == "result-agrees"
    short = decided(facts(**TALKED, votes=(ACCEPTED, second(50, ballot("ada", 51)))), POLICY, 60)
    assert rules(short)[-1] == "result-agrees"
    assert short.missing == ("amendment: needs 2 more binding +1",)


def test_a_late_answer_whose_thread_is_not_held_is_no_amendment() -> None:
    stray = second(50, ballot("ada", 50), root_missing=True)
    decision = decided(facts(**TALKED, votes=(ACCEPTED, stray)), POLICY, 60)
    assert decision.missing == ()
    assert kinds(decision) == []


def test_an_amendment_waits_for_missing_mail_like_any_vote() -> None:
    again = second(50, *(replace(b, cast_at=at(51)) for b in YES), declared=result(54))
    holes = Coverage(complete_through=at(99), gaps=(("2026-04", "dev 2026-04: truncated"),))
    decision = decided(facts(**TALKED, votes=(ACCEPTED, again), coverage=holes), POLICY, 60)
    assert "amended" not in rules(decision)
    assert decision.missing == (
        "amendment: waits: the archive is incomplete (dev 2026-04: truncated); "
        "run `kipflow poll`, or `kipflow ingest FILE --complete-through TIME` with that mail",
    )


# -- reopening ----------------------------------------------------------------------------------------
REJECTED = poll(4, *no(4.1, 4.2))


def test_a_vote_on_a_rejected_proposal_asks_a_person_and_a_ruling_lets_it_run() -> None:
    again = second(20, *(replace(b, cast_at=at(20.5)) for b in YES), declared=result(24))
    known = facts(**TALKED, votes=(REJECTED, again))
    asked = decided(known, POLICY, 25)
    assert asked.stage is Stage.REJECTED
    assert kinds(asked) == ["new-vote"]
    reopened = decided(replace(known, rulings=(ruling(26, "stage", stage="Vote"),)), POLICY, 27)
    assert rules(reopened)[-2:] == ["override", "result-agrees"]
    assert (reopened.stage, reopened.since) == (Stage.ACCEPTED, at(26)), "it was never decided, so its result counts"


def test_a_discussion_of_a_discarded_proposal_asks_a_person() -> None:
    pages = (page(0), page(3, StatusWord.DISCARDED, version=2))
    old = mail(1, MailKind.DISCUSS)
    quiet = decided(facts(pages=pages, messages=(old, mail(5, MailKind.DISCUSS, reply=True))), POLICY, 9)
    assert kinds(quiet) == [], "an answer in the old thread is no new discussion"
    asked = decided(facts(pages=pages, messages=(old, mail(6, MailKind.DISCUSS))), POLICY, 9)
    assert (asked.stage, kinds(asked)) == (Stage.DISCARDED, ["reopening"])
    ruled = decided(
        facts(pages=pages, messages=(old, mail(6, MailKind.DISCUSS)), rulings=(ruling(7, "restore"),)), POLICY, 9
    )
    assert (ruled.stage, rules(ruled)[-1], kinds(ruled)) == (Stage.DISCUSSION, "restored", [])


def test_a_ruling_that_keeps_the_stage_closes_the_question_until_something_newer_comes() -> None:
    pages = (page(0), page(3, StatusWord.DISCARDED, version=2))
    kept = ruling(7, "stage", stage="Discarded")
    talk = (mail(1, MailKind.DISCUSS), mail(6, MailKind.DISCUSS))
    answered = decided(facts(pages=pages, messages=talk, rulings=(kept,)), POLICY, 9)
    assert (answered.stage, answered.since, kinds(answered)) == (Stage.DISCARDED, at(3), [])
    again = decided(facts(pages=pages, messages=(*talk, mail(8, MailKind.DISCUSS)), rulings=(kept,)), POLICY, 9)
    assert kinds(again) == ["reopening"]
    voted = facts(**TALKED, votes=(REJECTED, second(20)), rulings=(ruling(22, "stage", stage="Rejected"),))
    assert kinds(decided(voted, POLICY, 21)) == ["new-vote"]
    assert kinds(decided(voted, POLICY, 25)) == []
    assert rules(decided(voted, POLICY, 25)) == rules(decided(voted, POLICY, 21)), "it is no move"


def test_a_ruling_on_a_ballot_that_turns_a_decided_vote_asks_whether_the_decision_stands() -> None:
    turned = ruling(20, "ballot", target=ACCEPTED.ballots[0].message_id, choice="none")
    known = facts(**TALKED, votes=(ACCEPTED,), rulings=(turned,))
    assert kinds(decided(known, POLICY, 19)) == []
    asked = decided(known, POLICY, 21)
    assert (asked.stage, kinds(asked)) == (Stage.ACCEPTED, ["turned-vote"])
    assert "its vote is short" in asked.review[0].question
    kept = decided(replace(known, rulings=(turned, ruling(22, "stage", stage="Accepted"))), POLICY, 23)
    assert (kept.stage, kept.since, kinds(kept)) == (Stage.ACCEPTED, asked.since, [])
    back = decided(replace(known, rulings=(turned, ruling(22, "stage", stage="Vote"))), POLICY, 23)
    assert (back.stage, "turned-vote" in kinds(back)) == (Stage.VOTE, False)


def test_a_ruling_that_changes_nothing_about_the_outcome_asks_nothing() -> None:
    same = ruling(20, "ballot", target=ACCEPTED.ballots[0].message_id, choice="+1")
    assert kinds(decided(facts(**TALKED, votes=(ACCEPTED,), rulings=(same,)), POLICY, 21)) == []


def test_a_vote_wakes_a_dormant_proposal() -> None:
    known = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),), votes=(poll(150),))
    decision = decided(known, SLEEPY, 151)
    assert stages(decision)[-3:] == [Stage.DORMANT, Stage.DISCUSSION, Stage.VOTE]


def test_an_accepted_vote_that_an_operator_puts_back_is_not_accepted_again_by_the_same_mail() -> None:
    known = facts(**TALKED, votes=(ACCEPTED,), rulings=(ruling(20, "stage", stage="Vote"),))
    decision = decided(known, replace(POLICY, clock_after=timedelta(days=7)), 400)
    assert decision.stage is Stage.VOTE
    assert decision.missing == ("an operator put it back to a vote: a new round or a person ends it",)
    assert kinds(decision) == []
    anew = decided(replace(known, votes=(ACCEPTED, second(30, *no(30.1, 30.2)))), POLICY, 40)
    assert rules(anew)[-4:] == ["override", "vote-replaced", "vote-thread", "voted-down"]


def test_a_restored_proposal_is_not_discarded_again_by_a_page_that_says_the_same() -> None:
    gone, same = page(3, StatusWord.DISCARDED, version=2), page(6, StatusWord.DISCARDED, version=3)
    known = facts(pages=(page(0), gone, same), messages=(mail(1, MailKind.DISCUSS),), rulings=(ruling(5, "restore"),))
    decision = decided(known, POLICY, 9)
    assert decision.stage is Stage.DISCUSSION
    assert [d.side for d in decision.drift] == ["page"]
    anew = (page(7, StatusWord.DISCUSSION, version=4), page(8, StatusWord.DISCARDED, version=5))
    again = decided(replace(known, pages=(*known.pages, *anew)), POLICY, 9)
    assert again.stage is Stage.DISCARDED, "said anew, it is said again"


# -- announcements ------------------------------------------------------------------------------------
def test_a_result_before_the_period_is_over_takes_nobodys_vote() -> None:
    early = result(5)
    late_no = (ballot("di", 6, Choice.AGAINST), ballot("ed", 6, Choice.AGAINST), ballot("fi", 6, Choice.AGAINST))
    alone = decided(facts(**TALKED, votes=(poll(4, *YES, declared=early),)), POLICY, 9)
    assert (alone.since, alone.history[-1].note) == (at(7), "announced before the period was over")
    contested = decided(facts(**TALKED, votes=(poll(4, *YES, *late_no, declared=early),)), POLICY, 9)
    assert (contested.stage, kinds(contested)) == (Stage.VOTE, ["result"])
    waiting = decided(facts(**TALKED, votes=(poll(4, *YES[:2], declared=early),)), POLICY, 6)
    assert kinds(waiting) == [], "while the period runs nothing is contradicted yet"


def test_a_result_that_says_failed_against_the_ballots_rejects_nothing() -> None:
    decision = decided(facts(**TALKED, votes=(poll(4, *YES, declared=result(8, "failed")),)), POLICY, 9)
    assert decision.stage is Stage.VOTE
    assert decision.review[0].question == "announced as failed, but the ballots say passed"
    assert [d.side for d in decision.drift] == ["result"]


def test_a_result_that_shows_no_outcome_is_asked_about_unless_the_clock_decides() -> None:
    mute = facts(**TALKED, votes=(poll(4, *YES, declared=replace(result(8), outcome=None)),))
    decision = decided(mute, POLICY, 9)
    assert (decision.stage, kinds(decision)) == (Stage.VOTE, ["result"])
    assert decision.missing == ("passes; its announcement gives no outcome: a person must settle",)
    by_clock = decided(mute, replace(POLICY, clock_after=timedelta(days=7)), 20)
    assert (by_clock.stage, rules(by_clock)[-1]) == (Stage.ACCEPTED, "clock-accepts")


def test_a_result_that_says_failed_ends_a_vote_that_fell_short() -> None:
    decision = decided(facts(**TALKED, votes=(poll(4, *YES[:2], declared=result(8, "failed")),)), POLICY, 9)
    assert (decision.stage, rules(decision)[-1], decision.since) == (Stage.REJECTED, "result-rejects", at(8))


def test_a_result_that_says_passed_against_a_majority_of_no_asks_a_person() -> None:
    decision = decided(facts(**TALKED, votes=(poll(4, *no(4.1, 4.2), declared=result(6)),)), POLICY, 9)
    assert (decision.stage, kinds(decision)) == (Stage.VOTE, ["result"])


def test_a_passed_vote_that_nobody_announces_goes_to_a_person_and_never_to_sleep() -> None:
    known = facts(**TALKED, votes=(poll(4, *YES),))
    quiet = decided(known, SLEEPY, 20)
    assert (kinds(quiet), quiet.next_deadline) == ([], at(21)), "looked at again when the question is due"
    assert kinds(decided(known, SLEEPY, 21)) == ["unannounced"]
    year = decided(known, SLEEPY, 370)
    assert (year.stage, kinds(year)) == (Stage.VOTE, ["unannounced"])
    assert year.review[0].question.startswith("passes by its ballots since 2026-03-09")


def test_an_announcement_that_the_ballots_deny_waits_for_a_person_and_never_sleeps() -> None:
    denied = facts(**TALKED, votes=(poll(4, *YES[:2], ballot("cy", 4.3, Choice.AGAINST), declared=result(8)),))
    year = decided(denied, SLEEPY, 370)
    assert (year.stage, kinds(year)) == (Stage.VOTE, ["result"])
    assert year.missing[-1].endswith("its announcement is in question, so it waits for a person")
    agreed = facts(**TALKED, votes=(poll(4, *YES, declared=result(8)),))
    announced = decided(agreed, SLEEPY, 360).history
    corrected = reconcile(announced, year.history)
    assert [(t.rule, t.target) for t in corrected] == [("correction", Stage.VOTE)], "late ballots bring no sleep"


# -- votes that are left, replaced or skewed ----------------------------------------------------------
def test_a_vote_that_fell_short_sleeps_after_a_year_and_its_ballots_still_count_when_it_wakes() -> None:
    left = poll(4, *YES[:2])
    asleep = decided(facts(**TALKED, votes=(left,)), SLEEPY, 370)
    assert (asleep.stage, rules(asleep)[-1]) == (Stage.DORMANT, "silence")
    woken = replace(left, ballots=(*left.ballots, ballot("cy", 371)))
    talk = {**TALKED, "messages": (*TALKED["messages"], mail(371, MailKind.VOTE, reply=True))}
    awake = decided(facts(**talk, votes=(woken,)), SLEEPY, 372)
    assert rules(awake)[-3:] == ["silence", "revived", "vote-resumed"]
    assert awake.votes[0].outcome is Outcome.PASSED
    closed = decided(facts(**talk, votes=(replace(woken, declared=result(373)),)), SLEEPY, 374)
    assert (closed.stage, closed.since) == (Stage.ACCEPTED, at(373))


def test_a_new_round_replaces_a_vote_that_nobody_ended() -> None:
    decision = decided(facts(**TALKED, votes=(poll(4, *YES[:1]), second(10))), POLICY, 11)
    assert rules(decision)[-2:] == ["vote-replaced", "vote-thread"]
    assert decision.missing[0] == "needs 3 more binding +1", "round 2 starts from nothing"


def test_the_end_of_a_round_shows_the_mail_that_ended_it() -> None:
    gone = mail(5, MailKind.CANCEL)
    talk = {**TALKED, "messages": (*TALKED["messages"], gone)}
    called_off = poll(4, ended_at=at(5), ended_how="cancelled", ended_message_id=gone.message_id)
    shown = decided(facts(**talk, votes=(called_off,)), POLICY, 6).history[-1].evidence[0]
    assert (shown.ref, shown.line) == (gone.message_id, "[CANCEL] KIP-7: Faster fences")
    talk = {**TALKED, "messages": (*TALKED["messages"], replace(gone, cancels="I take this vote back."))}
    spoken = decided(facts(**talk, votes=(called_off,)), POLICY, 6).history[-1].evidence[0]
    assert spoken.line == "I take this vote back."
    new = replace(second(5), subject="[VOTE] KIP-7 v2: Faster fences")
    left = replace(called_off, ended_how="replaced", ended_message_id=new.root_message_id)
    ended = next(t for t in decided(facts(**TALKED, votes=(left, new)), POLICY, 6).history if t.rule == "vote-replaced")
    assert (ended.evidence[0].ref, ended.evidence[0].line) == (new.root_message_id, new.subject)


def test_a_round_that_ended_before_it_began_never_ran() -> None:
    decision = decided(facts(**TALKED, votes=(poll(4, ended_at=at(3.9), ended_how="replaced"),)), POLICY, 6)
    assert decision.stage is Stage.DISCUSSION


def test_a_stray_answer_does_not_replace_the_vote_that_runs() -> None:
    decision = decided(facts(**TALKED, votes=(poll(4, *YES), second(5, root_missing=True))), POLICY, 6)
    assert decision.missing == ("closes no earlier than Mon 2026-03-09 09:00 UTC",)


# -- silence ------------------------------------------------------------------------------------------
def test_silence_in_mail_that_is_not_held_is_no_silence() -> None:
    talk = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),))
    holes = replace(talk, coverage=Coverage(complete_through=at(500), gaps=(("2026-05", "dev 2026-05: not read"),)))
    waiting = decided(holes, SLEEPY, 200)
    assert (waiting.stage, waiting.warned_at) == (Stage.DISCUSSION, None)
    assert waiting.missing[-1] == (
        "no mail held for 199 days: nobody is warned while the archive is incomplete (dev 2026-05: not read)"
    )
    assert waiting.next_deadline == at(200)
    whole = decided(talk, SLEEPY, 200)
    assert (whole.stage, whole.since) == (Stage.DORMANT, at(105)), "mended, it is dormant since the day it was due"


def test_a_snooze_never_brings_dormancy_nearer() -> None:
    short = ruling(3, "snooze", until=at(4).isoformat())
    talk = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),), rulings=(short,))
    assert decided(talk, SLEEPY, 60).unwarned is None
    required = decided(talk, SLEEPY, 92).unwarned
    assert required.silent_at == at(91)


def test_a_person_decides_on_dormancy_where_the_policy_says_so() -> None:
    asked = replace(SLEEPY, dormancy_by_person=True)
    talk = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),))
    decision = decided(talk, asked, 300)
    assert (decision.stage, kinds(decision)) == (Stage.DISCUSSION, ["dormancy"])
    assert decision.missing[-1] == "silent for 299 days; a person decides whether it is dormant"
    announced = decided(followed(talk, asked, 2, 92), asked, 93)
    assert announced.missing[-1] == "silent for 92 days; warned 1 day ago; a person decides whether it is dormant"


# -- what is missing ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rule", "cast", "missing"),
    [
        (VotingRule.LAZY_MAJORITY, (2, 0), "needs 1 more binding +1"),
        (VotingRule.LAZY_MAJORITY, (3, 3), "needs 1 more binding +1 to outweigh 3 binding -1"),
        (VotingRule.TWO_THIRDS, (3, 2), "needs 1 more binding +1 to outweigh 2 binding -1"),
        (VotingRule.LAZY_CONSENSUS, (3, 1), "1 binding -1 is a veto"),
    ],
)
def test_what_a_vote_lacks_goes_by_its_rule(rule: VotingRule, cast: tuple[int, int], missing: str) -> None:
    yes = tuple(ballot(f"y{n}", 4.1) for n in range(cast[0]))
    against = tuple(ballot(f"n{n}", 4.1, Choice.AGAINST) for n in range(cast[1]))
    decision = decided(facts(**TALKED, votes=(poll(4, *yes, *against),)), replace(POLICY, rule=rule), 5)
    assert decision.missing[0].partition(",")[0] == missing


# -- care required ----------------------------------------------------------------------------------------
CAREFUL = replace(POLICY, care=(Care(interface="log-format", voting_period=timedelta(days=5), quorum=4, reviewers=1),))
TOUCHES = {"pages": (page(0, interfaces=("log-format",)),), "messages": TALKED["messages"]}
FOUR = (*YES, ballot("di", 4.4))


def test_required_care_asks_for_time_votes_and_a_reviewer() -> None:
    decision = decided(facts(**TOUCHES, votes=(poll(4, *YES, declared=result(8)),)), CAREFUL, 8.5)
    assert decision.missing == (
        "needs 1 more binding +1",
        "needs 1 more reviewer (care required: log-format)",
        "closes no earlier than Wed 2026-03-11 09:00 UTC (log-format: care required)",
    )
    voted = facts(**TOUCHES, votes=(poll(4, *FOUR, declared=result(10)),))
    assert decided(voted, CAREFUL, 11).stage is Stage.VOTE, "nobody has reviewed it"
    reviewed = replace(voted, rulings=(ruling(12, "care", reviewer="Bo"),))
    accepted = decided(reviewed, CAREFUL, 13)
    assert (accepted.stage, accepted.since) == (Stage.ACCEPTED, at(12))
    assert accepted.votes[0].terms.reviewed_by == ("Bo",)


def test_a_ruling_on_care_outranks_the_page_both_ways() -> None:
    voted = facts(**TOUCHES, votes=(poll(4, *YES, declared=result(8)),))
    none_required = decided(replace(voted, rulings=(ruling(8.5, "care", interfaces=[]),)), CAREFUL, 9)
    assert (none_required.stage, none_required.since) == (Stage.ACCEPTED, at(8.5))
    plain = facts(**TALKED, votes=(poll(4, *YES),), rulings=(ruling(5, "care", interfaces=["log-format"]),))
    required = decided(plain, CAREFUL, 6)
    assert required.votes[0].terms.because == ("log-format",)
    late = replace(
        plain, votes=(poll(4, *YES, declared=result(8)),), rulings=(ruling(9, "care", interfaces=["log-format"]),)
    )
    assert decided(late, CAREFUL, 20).since == at(8), "what was decided before the ruling stays decided"


def test_a_page_saved_after_the_opening_requires_care_where_there_was_none_before() -> None:
    late = facts(pages=(page(5, interfaces=("log-format",)),), votes=(poll(4, *YES),))
    assert decided(late, CAREFUL, 6).votes[0].terms.because == ("log-format",)
    moved = (page(0), page(5, version=2, interfaces=("log-format",)))
    kept = decided(facts(pages=moved, messages=TALKED["messages"], votes=(poll(4, *YES),)), CAREFUL, 6)
    assert kept.votes[0].terms.because == (), "a change while the vote runs moves no goal"


# -- numbers ------------------------------------------------------------------------------------------
def test_a_number_taken_twice_is_asked_about_and_the_other_page_moves_nothing() -> None:
    mine, theirs = page(0), replace(page(2, StatusWord.DISCARDED, version=1), page_id="p8", title="KIP-7: Gates")
    decision = decided(facts(pages=(mine, theirs), messages=(mail(1, MailKind.DISCUSS),)), POLICY, 9)
    assert decision.stage is Stage.DISCUSSION
    assert decision.review[0].question == (
        'the number was taken twice: the page "KIP-7: Faster fences" has it, and "KIP-7: Gates" too'
    )
    renumbered = replace(theirs, version=2, saved_at=at(3), number=9, title="KIP-9: Gates")
    assert kinds(decided(facts(pages=(mine, theirs, renumbered), messages=TALKED["messages"]), POLICY, 9)) == []


def test_a_page_that_is_given_another_number_leaves_this_one_taken_and_asks() -> None:
    moved = replace(page(9, version=2), number=9, title="KIP-9: Faster fences")
    left = decided(facts(pages=(page(0), moved), messages=(mail(1, MailKind.DISCUSS),)), POLICY, 12)
    assert stages(left) == [Stage.DRAFT, Stage.DISCUSSION]
    assert left.review[0].question == (
        'its page was given another number: it is "KIP-9: Faster fences" now. Was this number given up?'
    )
    before = replace(page(-5), number=8, title="KIP-8: Faster fences")
    taken = decided(facts(pages=(before, page(2, version=2))), POLICY, 12)
    assert taken.history[0].at == at(2), "the number was taken when the page came to bear it"
    assert kinds(taken) == []


def test_an_import_speaks_until_a_vote_is_known_and_what_comes_after_it_moves_on() -> None:
    entry = IndexEntry(number=7, title="Faster fences", section="discussion", seen_at=at(2), origin="import")
    before = decided(facts(index_entries=(entry,), votes=(poll(9),)), POLICY, 5)
    after = decided(facts(index_entries=(entry,), votes=(poll(9),)), POLICY, 10)
    assert stages(before) == [Stage.DISCUSSION], "a vote to come is not known yet"
    assert stages(after) == [Stage.DISCUSSION, Stage.VOTE]
    listed = replace(entry, section="accepted", origin="page")
    voted = decided(facts(index_entries=(listed,), votes=(poll(9, *YES, declared=result(13)),)), POLICY, 20)
    assert rules(voted) == ["index-row", "amended"]


# -- rulings that say nothing, and corrections ---------------------------------------------------------
def test_a_ruling_that_says_nothing_usable_is_asked_about_and_moves_nothing() -> None:
    odd = (ruling(2, "stage", stage="Elsewhere"), ruling(2, "snooze", 2, until="soon"))
    decision = decided(facts(**TALKED, rulings=odd), POLICY, 5)
    assert (decision.stage, kinds(decision)) == (Stage.DISCUSSION, ["ruling", "ruling"])


def test_a_repaired_archive_turns_an_acceptance_into_what_it_was_by_new_entries() -> None:
    known = facts(**TALKED, votes=(ACCEPTED,))
    before = decided(known, POLICY, 9)
    late = (ballot("di", 5, Choice.AGAINST), ballot("ed", 5, Choice.AGAINST), ballot("fi", 5, Choice.AGAINST))
    after = decided(replace(known, votes=(replace(ACCEPTED, ballots=(*YES, *late)),)), POLICY, 20)
    assert (after.stage, kinds(after)) == (Stage.VOTE, ["result"])
    stored = (*before.history, *reconcile(before.history, after.history))
    assert [t.rule for t in stored][-2:] == ["result-agrees", "correction"]
    assert effective(stored) == after.history


def test_an_unclear_ballot_on_an_amendment_is_asked_about_too() -> None:
    unclear = ballot("cy", 51, status=BallotStatus.REVIEW)
    again = second(50, ballot("ada", 51), ballot("bo", 51), unclear)
    decision = decided(facts(**TALKED, votes=(ACCEPTED, again)), POLICY, 60)
    assert kinds(decision) == ["ballot"]
    assert decision.review[0].outcomes


def test_a_ruling_made_while_the_rules_waited_for_mail_is_looked_at_again_until_it_is_read() -> None:
    clocked = replace(POLICY, clock_after=timedelta(days=2))
    known = facts(**TALKED, votes=(poll(4, *YES),), rulings=(ruling(9.5, "stage", stage="Accepted"),))
    behind = replace(known, coverage=Coverage(complete_through=at(8.9)))
    early = decided(behind, clocked, 10)
    assert rules(early)[-1] == "override"
    assert early.next_deadline == at(10), "the clock may have come first: the next run must look again"
    late = decided(known, clocked, 11)
    assert rules(late)[-1] == "clock-accepts"
    assert late.next_deadline is None

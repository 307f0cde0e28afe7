"""The life of a proposal, as the table of stages has it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from kipflow.domain.errors import IllegalTransition
from kipflow.domain.events import Stage, effective, reconcile
from kipflow.domain.facts import Coverage, MailKind
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import IndexEntry, StatusWord
from kipflow.domain.policy import Care
from kipflow.domain.stages.table import TABLE
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import BallotStatus, Choice
from tests.unit.domain.building import (
    POLICY,
    TALKED,
    WHOLE,
    YES,
    at,
    ballot,
    facts,
    followed,
    mail,
    page,
    poll,
    result,
    ruling,
    stages,
)


def test_nothing_is_decided_before_anything_happened() -> None:
    assert decide(facts(pages=(page(5),)), POLICY, at(4)) is None


def test_a_page_makes_a_draft_and_a_thread_a_discussion() -> None:
    decision = decide(facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),)), POLICY, at(2))
    assert [(t.target, t.at, t.rule) for t in decision.history] == [
        (Stage.DRAFT, at(0), "page-created"),
        (Stage.DISCUSSION, at(1), "discuss-thread"),
    ]
    assert decision.missing == ("a vote: [VOTE] KIP-7",)


def test_a_vote_straight_from_draft_is_flagged() -> None:
    decision = decide(facts(pages=(page(0),), votes=(poll(4),)), POLICY, at(5))
    assert decision.history[-1].note == "no discussion was seen"


def test_a_vote_is_accepted_when_its_result_is_announced_after_the_period() -> None:
    decision = decide(facts(**TALKED, votes=(poll(4, *YES, declared=result(8)),)), POLICY, at(9))
    last = decision.history[-1]
    assert (last.target, last.at, last.rule) == (Stage.ACCEPTED, at(8), "result-agrees")
    assert [e.kind for e in last.evidence] == ["message", "ballot", "ballot", "ballot"]


def test_a_result_announced_too_early_takes_hold_when_the_period_is_over() -> None:
    decision = decide(facts(**TALKED, votes=(poll(4, *YES, declared=result(5)),)), POLICY, at(9))
    assert (decision.stage, decision.since) == (Stage.ACCEPTED, at(7))


def test_without_a_result_a_passed_vote_waits_unless_the_policy_lets_the_clock_decide() -> None:
    known = facts(**TALKED, votes=(poll(4, *YES),))
    waiting = decide(known, POLICY, at(400))
    assert waiting.stage is Stage.VOTE
    assert waiting.votes[0].outcome is Outcome.PASSED
    assert any("result is not announced" in m for m in waiting.missing)
    decided = decide(known, replace(POLICY, clock_after=timedelta(days=7)), at(400))
    assert (decided.stage, decided.since, decided.history[-1].rule) == (Stage.ACCEPTED, at(14), "clock-accepts")


def test_what_is_missing_names_ballots_and_the_earliest_close() -> None:
    decision = decide(facts(**TALKED, votes=(poll(4, *YES[:2]),)), POLICY, at(5))
    assert decision.missing == ("needs 1 more binding +1", "closes no earlier than Mon 2026-03-09 09:00 UTC")
    assert decision.next_deadline == at(7)


def test_a_claimed_quorum_of_strangers_accepts_nothing() -> None:
    strangers = tuple(replace(b, binding=False, claimed_binding=True) for b in YES)
    decision = decide(facts(**TALKED, votes=(poll(4, *strangers, declared=result(8)),)), POLICY, at(9))
    assert decision.stage is Stage.VOTE
    assert decision.review[0].question == "announced as passed, but the ballots say short"


def test_more_binding_against_than_for_rejects_when_the_period_is_over() -> None:
    against = (ballot("ada", 4.1, Choice.AGAINST), ballot("bo", 4.2, Choice.AGAINST), ballot("cy", 4.3))
    decision = decide(facts(**TALKED, votes=(poll(4, *against),)), POLICY, at(9))
    assert (decision.stage, decision.since) == (Stage.REJECTED, at(7))


def test_a_cancelled_vote_goes_back_and_round_two_starts_from_nothing() -> None:
    first = poll(4, *YES, ended_at=at(5), ended_how="cancelled", ended_message_id="<cancel@x.example>")
    second = poll(6, ballot("ada", 6.1), round=2)
    decision = decide(facts(**TALKED, votes=(first, second)), POLICY, at(20))
    assert stages(decision)[-3:] == [Stage.VOTE, Stage.DISCUSSION, Stage.VOTE]
    assert decision.votes[0].outcome is Outcome.CANCELLED
    assert decision.votes[1].tally.binding.plus == 1
    assert decision.stage is Stage.VOTE


def test_an_unclear_ballot_that_could_turn_it_stops_the_acceptance_until_a_person_rules() -> None:
    unclear = ballot("cy", 4.3, status=BallotStatus.REVIEW)
    known = facts(**TALKED, votes=(poll(4, *YES[:2], unclear, declared=result(8)),))
    waiting = decide(known, POLICY, at(9))
    assert waiting.stage is Stage.VOTE
    assert waiting.review[0].outcomes == (
        "at worst: falls short with +2 -0",
        "at best: passes with +3 -0",
    )
    word = ruling(10, "ballot", target=unclear.message_id, choice="+1")
    settled = decide(replace(known, rulings=(word,)), POLICY, at(11))
    assert (settled.stage, settled.since) == (Stage.ACCEPTED, at(10))


@pytest.mark.parametrize(
    "coverage",
    [
        Coverage(),
        Coverage(complete_through=at(6)),
        Coverage(complete_through=at(50), gaps=(("2026-03", "dev 2026-03: truncated"),)),
    ],
    ids=["nothing read", "read too early", "a month is broken"],
)
def test_nothing_is_accepted_on_partial_data(coverage: Coverage) -> None:
    known = facts(**TALKED, votes=(poll(4, *YES, declared=result(8)),), coverage=coverage)
    decision = decide(known, POLICY, at(9))
    assert decision.stage is Stage.VOTE
    assert any(m.startswith("waits: ") for m in decision.missing)
    assert decision.next_deadline == at(9)
    whole = decide(replace(known, coverage=WHOLE), POLICY, at(9))
    assert (whole.stage, whole.since) == (Stage.ACCEPTED, at(8))


def test_a_vote_that_waits_for_its_result_says_so_and_not_that_it_waits_for_mail() -> None:
    behind = Coverage(complete_through=at(8.9))
    decision = decide(facts(**TALKED, votes=(poll(4, *YES),), coverage=behind), POLICY, at(9))
    assert not [m for m in decision.missing if m.startswith("waits: ")]
    assert any("result is not announced" in m for m in decision.missing)


def test_required_care_lengthens_the_period() -> None:
    policy = replace(POLICY, care=(Care(interface="log-format", voting_period=timedelta(days=5)),))
    known = facts(
        pages=(page(0, interfaces=("log-format",)),), votes=(poll(4, *YES, declared=result(8)),), messages=(mail(1),)
    )
    decision = decide(known, policy, at(30))
    assert (decision.stage, decision.since) == (Stage.ACCEPTED, at(9))


def test_silence_warns_then_makes_dormant_and_a_mail_revives() -> None:
    policy = replace(POLICY, dormant_after=timedelta(days=90), grace=timedelta(days=14))
    talk = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),))
    talk = followed(talk, policy, 2, 91)
    warned = decide(talk, policy, at(95))
    assert (warned.stage, warned.warned_at) == (Stage.DISCUSSION, at(91))
    assert "silent for 94 days; warned 4 days ago; dormant in 10 days" in warned.missing
    dormant = decide(talk, policy, at(200))
    assert (dormant.stage, dormant.since) == (Stage.DORMANT, at(105))
    revived = decide(replace(talk, messages=(*talk.messages, mail(150, reply=True))), policy, at(151))
    assert revived is not None
    assert stages(revived)[-2:] == [Stage.DORMANT, Stage.DISCUSSION]


def test_a_snooze_puts_dormancy_off() -> None:
    policy = replace(POLICY, dormant_after=timedelta(days=90))
    snooze = ruling(80, "snooze", until=at(300).isoformat())
    known = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),), rulings=(snooze,))
    decision = decide(known, policy, at(250))
    assert decision.stage is Stage.DISCUSSION


def test_a_page_status_alone_never_accepts_but_is_reported_as_drift() -> None:
    pages = (page(0), page(3, StatusWord.ACCEPTED, version=2))
    decision = decide(facts(pages=pages, messages=(mail(1, MailKind.DISCUSS),)), POLICY, at(9))
    assert decision.stage is Stage.DISCUSSION
    assert [(d.side, d.says) for d in decision.drift] == [("page", "Accepted")]
    earlier = decide(facts(pages=pages, messages=(mail(1, MailKind.DISCUSS),)), POLICY, at(2))
    assert earlier.drift == (), "what the page said later was not known then"


def test_a_page_status_can_discard_an_open_proposal_but_not_an_accepted_one() -> None:
    discarded = (page(0), page(6, StatusWord.DISCARDED, version=2))
    gone = decide(facts(pages=discarded, messages=(mail(1, MailKind.DISCUSS),)), POLICY, at(9))
    assert gone.stage is Stage.DISCARDED
    late = (page(0), page(20, StatusWord.DISCARDED, version=2))
    kept = decide(
        facts(pages=late, messages=TALKED["messages"], votes=(poll(4, *YES, declared=result(8)),)), POLICY, at(30)
    )
    assert kept.stage is Stage.ACCEPTED


def test_an_import_is_the_baseline_only_where_no_vote_was_seen() -> None:
    entry = IndexEntry(number=7, title="Faster fences", section="accepted", seen_at=at(0), origin="import")
    alone = decide(facts(index_entries=(entry,)), POLICY, at(1))
    assert (alone.stage, alone.history[0].rule) == (Stage.ACCEPTED, "index-import")
    voted = decide(facts(index_entries=(replace(entry, seen_at=at(6)),), votes=(poll(4, *YES[:1]),)), POLICY, at(9))
    assert voted.stage is Stage.VOTE


def test_a_row_of_the_wikis_index_is_the_baseline_only_where_nothing_else_is_known() -> None:
    row = IndexEntry(number=7, title="Faster fences", section="accepted", seen_at=at(5), origin="page")
    alone = decide(facts(index_entries=(row,)), POLICY, at(6))
    assert (alone.stage, alone.history[0].rule) == (Stage.ACCEPTED, "index-row")
    taken = decide(facts(index_entries=(replace(row, section="discussion"),)), POLICY, at(6))
    assert (taken.stage, taken.history[0].rule) == (Stage.DRAFT, "number-taken"), "only a thread makes a discussion"
    later = decide(facts(index_entries=(row,), messages=(mail(9, MailKind.DISCUSS),)), POLICY, at(10))
    assert later.history == alone.history, "a later mail takes nothing back"
    known = decide(facts(index_entries=(row,), pages=(page(0, StatusWord.DRAFT),)), POLICY, at(6))
    assert (known.stage, [d.side for d in known.drift]) == (Stage.DRAFT, ["index"])


def test_an_override_is_recorded_as_such_and_can_be_revoked() -> None:
    word = ruling(5, "stage", id=3, stage="Discarded")
    known = facts(pages=(page(0),), rulings=(word,))
    overridden = decide(known, POLICY, at(6))
    assert (overridden.stage, overridden.history[-1].rule) == (Stage.DISCARDED, "override")
    stored = overridden.history
    revoked = decide(replace(known, rulings=(replace(word, revoked_at=at(8)),)), POLICY, at(9))
    assert revoked.stage is Stage.DRAFT
    added = reconcile(stored, revoked.history)
    assert [t.rule for t in added] == ["correction"]
    assert effective((*stored, *added)) == revoked.history


def test_late_mail_corrects_history_by_new_entries() -> None:
    early = decide(facts(**TALKED, votes=(poll(4, *YES, declared=result(8)),)), POLICY, at(9))
    withdrawn = replace(YES[2], cast_at=at(7.5), message_id="<late@x.example>", status=BallotStatus.WITHDRAWN)
    late = decide(facts(**TALKED, votes=(poll(4, *YES, withdrawn, declared=result(8)),)), POLICY, at(10))
    assert late.stage is Stage.VOTE
    added = reconcile(early.history, late.history)
    assert added[0].rule == "correction"
    stored = (*early.history, *added)
    assert effective(stored) == late.history
    assert reconcile(stored, late.history) == ()
    again = reconcile(stored, early.history)
    assert [t.repeat for t in again] == [1]
    assert reconcile((*stored, *again), early.history) == ()


def test_the_table_refuses_what_it_does_not_hold() -> None:
    assert (Stage.ACCEPTED, Stage.DORMANT) not in {move for moves in TABLE.values() for move in moves}
    error = IllegalTransition(number=7, source="Accepted", target="Dormant")
    assert str(error) == "proposal 7: no rule leads from Accepted to Dormant"


def test_the_same_facts_give_the_same_history_and_the_past_is_a_prefix() -> None:
    known = facts(**TALKED, votes=(poll(4, *YES, declared=result(8)),))
    whole = decide(known, POLICY, at(30))
    assert whole == decide(known, POLICY, at(30))
    for day in (0, 1, 2, 4, 4.5, 7, 8, 9):
        then = decide(known, POLICY, at(day))
        assert then.history == whole.history[: len(then.history)]

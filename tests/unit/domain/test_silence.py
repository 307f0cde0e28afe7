"""No proposal goes dormant before its author was warned and the grace has run, or it did before kipflow came."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.decisions import PROMPT, Decision, Silence, make_warning
from kipflow.domain.events import Stage
from kipflow.domain.facts import Coverage, MailKind, ProposalFacts
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from tests.unit.domain.building import (
    SLEEPY,
    TALKED,
    YES,
    at,
    facts,
    followed,
    mail,
    page,
    poll,
    ruling,
    stages,
)

#: Long enough to warn of on day 91; without a warning it would be dormant on day 105.
TALK = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),))


def decided(known: ProposalFacts, day: float, policy: Policy = SLEEPY) -> Decision:
    decision = decide(known, policy, at(day))
    assert decision is not None
    return decision


def slept_at(known: ProposalFacts, day: float, policy: Policy = SLEEPY) -> list[object]:
    return [t.at for t in decided(known, day, policy).history if t.rule == "silence"]


# -- who is warned, and when --------------------------------------------------------------------------
def test_a_silence_that_nobody_warned_of_makes_nothing_dormant() -> None:
    seen = followed(TALK, SLEEPY, 2)
    late = decided(seen, 300)
    assert late.stage is Stage.DISCUSSION
    assert late.unwarned is not None
    assert (late.unwarned.quiet_since, late.unwarned.silent_at) == (at(1), at(91))
    assert late.missing[-1] == "silent for 299 days; nobody has been warned of it yet"
    assert late.next_deadline == at(300), "whoever records it warns at once"


def test_the_grace_begins_when_the_warning_is_given() -> None:
    warned = followed(TALK, SLEEPY, 2, 91.01)
    assert [w.due_at for w in warned.warnings] == [at(105.01)]
    assert decided(warned, 92).next_deadline == at(105.01)
    assert decided(warned, 105).stage is Stage.DISCUSSION
    asleep = decided(warned, 200)
    assert (asleep.stage, asleep.since) == (Stage.DORMANT, at(105.01))


def test_a_first_run_late_in_the_silence_warns_then_and_gives_the_whole_grace() -> None:
    warned = followed(TALK, SLEEPY, 97)
    assert decided(warned, 98).warned_at == at(97)
    assert decided(warned, 98).missing[-1] == "silent for 97 days; warned 1 day ago; dormant in 13 days"
    assert slept_at(warned, 400) == [at(111)]


def test_dormancy_that_fell_due_before_the_first_run_is_history_and_warns_nobody() -> None:
    first = followed(TALK, SLEEPY, 105)
    assert first.warnings == ()
    assert slept_at(first, 105) == slept_at(first, 500) == [at(105)]


def test_a_downtime_over_the_whole_grace_ends_in_a_warning_not_in_dormancy() -> None:
    back = followed(TALK, SLEEPY, 2, 90, 300)
    assert [w.warned_at for w in back.warnings] == [at(300)]
    assert slept_at(back, 313) == []
    assert slept_at(back, 500) == [at(314)]


def test_a_silence_that_ended_while_nobody_looked_made_nothing_dormant() -> None:
    spoken = replace(TALK, messages=(*TALK.messages, mail(200, reply=True)))
    back = followed(spoken, SLEEPY, 2, 90, 250)
    assert back.warnings == ()
    assert slept_at(back, 285) == []


def test_nobody_is_warned_of_a_silence_in_mail_that_is_not_held() -> None:
    unread = replace(TALK, coverage=Coverage(complete_through=at(90)))
    assert followed(unread, SLEEPY, 2, 95).warnings == ()
    assert decided(unread, 95).next_deadline == at(95)
    read = replace(followed(unread, SLEEPY, 2, 95), coverage=TALK.coverage)
    assert [w.warned_at for w in followed(read, SLEEPY, 96).warnings] == [at(96)]


def test_each_silence_has_its_own_warning() -> None:
    spoken = replace(TALK, messages=(*TALK.messages, mail(150, reply=True)))
    twice = followed(spoken, SLEEPY, 2, 91, 200, 239.9, 241)
    assert [w.warned_at for w in twice.warnings] == [at(91), at(241)]
    assert slept_at(twice, 500) == [at(105), at(255)]
    assert stages(decided(twice, 500))[-3:] == [Stage.DORMANT, Stage.DISCUSSION, Stage.DORMANT]


def test_the_warning_of_today_is_none_of_a_silence_years_ago() -> None:
    old = replace(TALK, messages=(*TALK.messages, mail(400, reply=True)))
    today = followed(old, SLEEPY, 491)
    assert [w.silent_at for w in today.warnings] == [at(490)]
    assert slept_at(today, 600) == [at(105), at(505)]


def test_warnings_that_come_later_are_not_looked_at() -> None:
    warned = followed(TALK, SLEEPY, 2, 97)
    assert decided(warned, 96).warned_at is None
    assert decided(warned, 96).missing[-1] == "silent for 95 days; nobody has been warned of it yet"
    assert decided(warned, 91) == decided(replace(warned, warnings=()), 91)


# -- a person is warned, not a row ------------------------------------------------------------------------
def written(day: float) -> ProposalFacts:
    """A warning was written on that day, and nobody got it."""
    warned = followed(TALK, SLEEPY, 2, day)
    return replace(warned, warnings=tuple(replace(w, delivered_at=None) for w in warned.warnings))


def test_a_warning_that_nobody_got_makes_nothing_dormant() -> None:
    known = written(91)
    late = decided(known, 400)
    assert (late.stage, late.warned_at, late.unwarned) == (Stage.DISCUSSION, None, None)
    assert (
        late.missing[-1] == "silent for 399 days; nobody was warned yet; dormant 14 days after the warning is delivered"
    )
    assert late.next_deadline == at(401), "sending may be switched on"
    assert followed(known, SLEEPY, 500).warnings == known.warnings


@pytest.mark.parametrize("day", [91, 100, 300])
def test_the_grace_runs_from_the_delivery(day: float) -> None:
    [warning] = written(91).warnings
    got = replace(written(91), warnings=(replace(warning, delivered_at=at(day)),))
    assert decided(got, day).warned_at == at(day)
    assert decided(got, day).next_deadline == at(day + 14)
    assert slept_at(got, 500) == [at(day + 14)]


def test_a_delivery_that_comes_later_is_not_looked_at() -> None:
    [warning] = written(91).warnings
    got = replace(written(91), warnings=(replace(warning, delivered_at=at(100)),))
    assert decided(got, 99) == decided(written(91), 99)


def test_of_two_warnings_of_one_silence_that_which_somebody_got_counts() -> None:
    [warning] = written(91).warnings
    second = replace(warning, silent_at=at(61), as_of=at(95), warned_at=at(95), delivered_at=at(96), due_at=at(109))
    assert slept_at(replace(written(91), warnings=(warning, second)), 500) == [at(110)]


# -- what takes the ground from a warning ---------------------------------------------------------------
def test_late_mail_that_shows_that_there_was_no_silence_makes_the_warning_moot() -> None:
    warned = followed(TALK, SLEEPY, 2, 91)
    mended = replace(warned, messages=(*TALK.messages, mail(50, reply=True)))
    assert slept_at(warned, 120) == [at(105)]
    assert slept_at(mended, 120) == []
    assert decided(mended, 120).warned_at is None
    silent_again = followed(mended, SLEEPY, 141)
    assert [w.warned_at for w in silent_again.warnings] == [at(91), at(141)]
    assert slept_at(silent_again, 300) == [at(155)]


def test_a_snooze_takes_the_promised_date_back_and_is_followed_by_a_warning_of_its_own() -> None:
    warned = followed(TALK, SLEEPY, 2, 91)
    put_off = replace(warned, rulings=(ruling(95, "snooze", until=at(200).isoformat()),))
    assert slept_at(put_off, 199) == []
    again = followed(put_off, SLEEPY, 150, 201)
    assert [w.warned_at for w in again.warnings] == [at(91), at(201)]
    assert slept_at(again, 400) == [at(215)]


def test_an_operator_who_wakes_it_begins_a_new_silence() -> None:
    asleep = followed(TALK, SLEEPY, 2, 91, 110)
    woken = replace(asleep, rulings=(ruling(120, "stage", stage="Discussion"),))
    assert slept_at(followed(woken, SLEEPY, 150), 400) == [at(105)]
    assert slept_at(followed(woken, SLEEPY, 150, 211), 400) == [at(105), at(225)]


def test_what_passed_its_vote_is_not_warned_of_a_dormancy_that_cannot_come() -> None:
    passed = followed(facts(**TALKED, votes=(poll(4, *YES),)), SLEEPY, 5, 95, 120)
    assert passed.warnings == ()
    assert decided(passed, 121).missing[-1].endswith("it passed, so it waits for its announcement")


# -- a date that was promised holds ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "dormant"),
    [
        ({"grace": timedelta(days=1)}, 105),
        ({"grace": timedelta(days=30)}, 121),
        ({"dormant_after": timedelta(days=60)}, 105),
        ({"dormant_after": timedelta(days=100)}, 115),
    ],
    ids=["less grace", "more grace", "fewer days", "more days"],
)
def test_another_policy_never_brings_the_promised_date_nearer_and_warns_nobody_twice(
    change: dict[str, Any], dormant: float
) -> None:
    warned = followed(TALK, SLEEPY, 2, 91)
    other = replace(SLEEPY, **change)
    assert followed(warned, other, 92, 104).warnings == warned.warnings
    assert slept_at(warned, 300, other) == [at(dormant)]


def test_where_a_person_decides_the_author_is_warned_without_a_date() -> None:
    warned = followed(TALK, replace(SLEEPY, dormancy_by_person=True), 2, 91)
    assert [w.due_at for w in warned.warnings] == [None]
    assert decided(warned, 300, replace(SLEEPY, dormancy_by_person=True)).stage is Stage.DISCUSSION
    assert slept_at(warned, 300) == [at(105)], "where the clock decides later, it was warned all the same"


# -- past dates -----------------------------------------------------------------------------------------
SILENCE = Silence(quiet_since=at(1), silent_at=at(91))


def test_a_run_that_is_a_little_behind_counts_as_having_been_on_time() -> None:
    given = make_warning(SILENCE, SLEEPY, as_of=at(91), recorded_at=at(91) + PROMPT, followed_since=at(2))
    assert (given.warned_at, given.due_at) == (at(91), at(105))


def test_a_past_date_whose_grace_was_over_before_kipflow_came_is_made_up_for_as_it_would_have_been() -> None:
    given = make_warning(SILENCE, SLEEPY, as_of=at(91), recorded_at=at(200), followed_since=None)
    assert (given.as_of, given.warned_at, given.due_at) == (at(91), at(91), at(105))


@pytest.mark.parametrize(("recorded", "since"), [(100, None), (200, at(2))], ids=["still open", "it was followed"])
def test_a_past_date_that_nobody_was_informed_of_has_its_grace_from_now(recorded: float, since: object) -> None:
    given = make_warning(SILENCE, SLEEPY, as_of=at(92), recorded_at=at(recorded), followed_since=since)  # type: ignore[arg-type]
    assert (given.as_of, given.warned_at, given.due_at) == (at(92), at(recorded), at(recorded + 14))
    delivered = replace(given, delivered_at=at(recorded))
    known = replace(TALK, warnings=(delivered,), followed_since=at(2))
    assert decided(known, 95).missing[-1] == "silent for 94 days; nobody has been warned of it yet"
    assert slept_at(known, 400) == [at(recorded + 14)]


@given(dates=st.lists(st.integers(1, 400), min_size=1, max_size=12, unique=True), talk=st.sets(st.integers(2, 300)))
def test_past_dates_made_up_for_come_to_the_history_of_runs_at_the_time(dates: list[int], talk: set[int]) -> None:
    known = replace(TALK, messages=(*TALK.messages, *(mail(day, reply=True) for day in sorted(talk))))
    days = sorted({*dates, *range(1, 400, 10)})
    live = followed(known, SLEEPY, *days)
    made_up = known
    for day in days:
        lag = at(400) - at(day)
        made_up = followed(made_up, SLEEPY, day, lag=lag)
        assert decided(made_up, day).history == decided(live, day).history
    open_now = [w for w in made_up.warnings if w.warned_at == at(400)]
    assert all(w.due_at == at(414) for w in open_now), "who is warned only now has the whole grace"

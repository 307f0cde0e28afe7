"""Who hears what of a decision: each move once, questions while they are news, amendments as what they are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from kipflow.domain.events import reconcile
from kipflow.domain.facts import MailKind
from kipflow.domain.pages import StatusWord
from kipflow.domain.stages.table import BY_PERSON, TABLE
from kipflow.domain.times import QuietHours
from kipflow.domain.votes import BallotStatus
from kipflow.services.effectrules import EffectRules
from kipflow.services.effects import find_effects
from kipflow.services.ports.effects import WARNS, Effect
from kipflow.services.wording import RULE_WORDS
from tests.unit.domain.building import (
    ACCEPTED,
    POLICY,
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
)

RULES = EffectRules(prefix="KIP", sends=True, slack="send", channel="#kips", operators="#ops")
FOLLOWED = facts(**TALKED, followed_since=at(0))


def texts(effects: list[Effect], channel: str = "#kips") -> list[str]:
    return [str(e.payload["text"]) for e in effects if e.payload["channel"] == channel]


@pytest.mark.parametrize("rule", sorted({*TABLE, *BY_PERSON, "correction"}))
def test_every_rule_has_words_for_people(rule: str) -> None:
    assert RULE_WORDS[rule]


def test_an_amendment_is_reported_as_what_it_is() -> None:
    again = poll(20, *(replace(b, cast_at=at(21)) for b in YES), round=2)
    before = decided(facts(**TALKED, votes=(ACCEPTED,)), POLICY, 9)
    announced = replace(again, declared=replace(result(24), message_id="<r2@x.example>"))
    after = decided(facts(**TALKED, votes=(ACCEPTED, announced)), POLICY, 24.5)
    effects = find_effects(after, reconcile(before.history, after.history), RULES, about=FOLLOWED)
    assert texts(effects) == ["KIP-7 stays Accepted: a further vote amended it"]
    assert "Accepted → Accepted" not in str(effects[0].payload)


def test_a_question_is_reported_once_and_only_while_it_is_news() -> None:
    talk = facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),))
    policy = replace(POLICY, dormant_after=timedelta(days=90), dormancy_by_person=True)
    fresh = find_effects(decided(talk, policy, 92), (), RULES)
    assert texts(fresh, "#ops") == ["KIP-7 needs a person: silent for long: dormant?"]
    assert texts(find_effects(decided(talk, policy, 300), (), RULES), "#ops") == [], (
        "found by a first run: on the board"
    )
    again = replace(talk, messages=(*talk.messages, mail(100, reply=True)))
    later = find_effects(decided(again, policy, 191), (), RULES)
    keys = {e.key for e in (*fresh, *later) if "/review/" in e.key}
    assert len(keys) == 2, "silent again, it is asked about again"


def test_a_warning_is_reported_with_its_author_and_its_date() -> None:
    sleepy = replace(POLICY, dormant_after=timedelta(days=90), grace=timedelta(days=14))
    known = followed(facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),)), sleepy, 2, 91)
    by_nia = replace(known, proposal=replace(known.proposal, author="Nia <!here> Holt"))
    [warning] = find_effects(decided(known, sleepy, 91), (), RULES, notice=known.warnings[0], about=by_nia)
    assert warning.payload["text"] == (
        "KIP-7: nobody has written since 2026-03-03; dormant on 2026-06-15 09:00 UTC at the earliest "
        "unless somebody writes"
    )
    assert "by Nia &lt;!here&gt; Holt" in str(warning.payload["blocks"])
    assert warning.key == "KIP-7/warning/2026-06-01T09:00:00/slack"
    assert warning.payload[WARNS] == at(91).isoformat(), "sent, it is the warning's delivery"
    assert find_effects(decided(known, sleepy, 95), (), RULES) == [], "who got it is not warned again"


def test_where_a_person_decides_the_warning_says_so() -> None:
    asked = replace(POLICY, dormant_after=timedelta(days=90), dormancy_by_person=True)
    known = followed(facts(pages=(page(0),), messages=(mail(1, MailKind.DISCUSS),)), asked, 2, 91)
    warned = find_effects(decided(known, asked, 91), (), RULES, notice=known.warnings[0])
    assert texts(warned) == ["KIP-7: nobody has written since 2026-03-03; a person decides whether it is dormant"]


def test_an_unclear_ballot_on_a_running_vote_is_reported_even_where_it_is_known_late() -> None:
    unclear = ballot("cy", 4.3, status=BallotStatus.REVIEW)
    known = facts(**TALKED, votes=(poll(4, *YES[:2], unclear),))
    assert len(texts(find_effects(decided(known, POLICY, 20), (), RULES), "#ops")) == 1
    assert texts(find_effects(decided(known, POLICY, 60), (), RULES), "#ops") == []


def test_a_community_chooses_where_each_kind_goes_whom_it_mentions_and_when() -> None:
    night = QuietHours(begins=time(8), ends=time(20), zone=ZoneInfo("UTC"))
    routes = {"discussion": "#talk", "new-proposal": "digest", "vote": "off"}
    chosen = replace(RULES, routes=routes, mentions={"discussion": "<!here>"}, quiet=night)
    after = decided(facts(**TALKED, votes=(poll(4, *YES[:1]),)), POLICY, 4.15)
    [announced] = find_effects(after, after.history, chosen, about=FOLLOWED)
    assert (announced.payload["kind"], announced.payload["channel"]) == ("discussion", "#talk")
    assert announced.payload["blocks"][0]["elements"][0]["text"] == "<!here>"
    assert announced.due_at == datetime(2026, 3, 6, 20, tzinfo=UTC), "in quiet hours it waits"
    assert [e.payload["kind"] for e in find_effects(after, after.history, RULES, about=FOLLOWED)] == [
        "new-proposal",
        "discussion",
        "vote",
    ]


def test_a_voting_period_that_is_over_is_reported_once_while_the_vote_is_not_decided() -> None:
    open_still = facts(**TALKED, votes=(poll(4, *YES[:2]),))

    def periods(day: float) -> list[Effect]:
        found = find_effects(decided(open_still, POLICY, day), (), RULES, about=FOLLOWED)
        return [e for e in found if e.payload["kind"] == "period-over"]

    assert periods(6.9) == []
    assert texts(periods(7.1)) == ["KIP-7: the voting period is over: short"]
    assert {e.key for e in periods(7.1)} == {e.key for e in periods(9)}
    assert periods(60) == []


def test_operators_hear_of_drift_a_day_after_a_move_and_of_none_that_a_first_run_finds() -> None:
    drafted = facts(
        pages=(replace(page(0), status=StatusWord.DRAFT, status_text="Draft"),), messages=TALKED["messages"]
    )
    early, decision = decided(drafted, POLICY, 1.5), decided(drafted, POLICY, 2.1)
    assert [d.side for d in early.drift] == ["page"], "it is shown at once"
    assert find_effects(early, (), RULES, about=FOLLOWED) == [], "people have a day for their pages"
    assert early.next_deadline == at(2), "and it is looked at again then"
    assert texts(find_effects(decision, (), RULES, about=FOLLOWED), "#ops") == [
        "KIP-7: the page says “Draft”, the facts say Discussion"
    ]
    for rules, about in ((RULES, None), (replace(RULES, operators=""), FOLLOWED)):
        kinds = [e.payload["kind"] for e in find_effects(decision, (), rules, about=about)]
        assert "drift" not in kinds


def test_who_edits_a_page_long_after_the_move_has_a_day_too_and_an_edit_of_something_else_gives_no_more() -> None:
    early = page(5, StatusWord.ACCEPTED, version=2)
    edited = facts(**{**TALKED, "pages": (page(0), early, replace(early, version=3, saved_at=at(5.5)))})

    def asked(day: float) -> list[str]:
        return texts(find_effects(decided(edited, POLICY, day), (), RULES, about=FOLLOWED), "#ops")

    assert [d.said_at for d in decided(edited, POLICY, 5.9).drift] == [at(5)]
    assert (asked(5.9), decided(edited, POLICY, 5.9).next_deadline) == ([], at(6))
    assert asked(6) == ["KIP-7: the page says “Accepted”, the facts say Discussion"]


def test_a_move_by_a_person_says_who_and_why_and_cannot_ping() -> None:
    loud = replace(ruling(5, "stage", stage="Discarded"), author="<!here>", reason="*see* <!channel>")
    after = decided(facts(**TALKED, rulings=(loud,)), POLICY, 6)
    before = decided(facts(**TALKED), POLICY, 4.5)
    sent = str(find_effects(after, reconcile(before.history, after.history), RULES)[0].payload)
    assert "an operator decided so" in sent
    assert "<!" not in sent
    assert "&lt;!channel&gt;" in sent

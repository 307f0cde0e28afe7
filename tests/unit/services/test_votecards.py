"""What the message of a vote shows, what its thread hears, and that it keeps within Slack's limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.facts import ProposalFacts
from kipflow.domain.votes import Ballot, BallotStatus, Choice
from kipflow.services.effectrules import EffectRules
from kipflow.services.effects import find_effects
from kipflow.services.ports.effects import BELOW, CARD, Effect, OutboxRow
from kipflow.services.slack_messages import SECTION_LIMIT
from kipflow.services.votecards import keep_cards
from tests.memory_store import as_row
from tests.unit.domain.building import POLICY, TALKED, at, ballot, decided, facts, poll, result

RULES = EffectRules(prefix="KIP", sends=True, slack="send", channel="#kips", board_url="https://air.example/kipflow")
BO, ADA = ballot("bo", 4.2), ballot("ada", 4.1)


def voted(*ballots: Ballot, **more: Any) -> ProposalFacts:
    return facts(**TALKED, votes=(poll(4, *ballots, **more),))


def post(known: ProposalFacts, day: float, *, reference: str | None = "C1/1") -> OutboxRow:
    """The vote's message as it went out that day."""
    decision = decided(known, POLICY, day)
    effects = find_effects(decision, decision.history, RULES, about=known)
    [card] = [effect for effect in effects if CARD in effect.payload]
    return as_row(card, "sent", at(day), external_ref=reference)


def keep(row: OutboxRow, known: ProposalFacts, day: float) -> tuple[str, list[Effect]]:
    """What the message says anew ("" where it stays), and what its thread hears."""
    found = list(keep_cards([row], decided(known, POLICY, day), known, RULES))
    return (body(found[0][1]), found[0][2]) if found else ("", [])


def body(payload: Any) -> str:
    return str(payload["blocks"][0]["text"]["text"])


def texts(news: list[Effect]) -> list[str]:
    return [str(effect.payload["text"]) for effect in news]


def test_it_says_what_the_vote_has_and_lacks_and_until_when() -> None:
    said = body(post(voted(ADA), 4.5).payload)
    assert ":large_green_square::white_large_square::white_large_square:\n*binding +1 / 0 / -0*, 3 needed" in said
    assert "\nAda +1\n" in said
    assert "Faster fences · <https://air.example/kipflow/proposals/7|board>" in said
    assert f"• closes no earlier than <!date^{int(at(7).timestamp())}^{{date_short_pretty}} {{time}}|Mon " in said


def test_the_thread_gets_each_new_vote_once() -> None:
    row = post(voted(ADA), 4.5)
    said, news = keep(row, voted(ADA, BO), 5)
    assert "Ada +1, Bo +1" in said
    assert texts(news) == ["KIP-7: Bo: +1"]
    assert news[0].payload[BELOW] == row.key
    assert keep(row, voted(ADA, BO), 5.5)[1] == news, "the same key however often it is decided"


def test_the_thread_says_what_changed_and_what_no_longer_counts() -> None:
    row = post(voted(ADA, BO), 4.5)
    turned = ballot("ada", 4.6, Choice.AGAINST)
    withdrawn = replace(ballot("bo", 4.7), choice=None, status=BallotStatus.VOID)
    said, news = keep(row, voted(replace(ADA, status=BallotStatus.SUPERSEDED), turned, withdrawn), 5)
    assert ":large_red_square:" in said
    assert texts(news) == ["KIP-7: Ada: -1 (was: +1)", "KIP-7: Bo: no vote that counts (was: +1)"]


def test_a_doubtful_vote_is_reported_as_one_and_votes_that_do_not_bind_are_not() -> None:
    doubtful = replace(BO, status=BallotStatus.REVIEW, line="+1 if it is fast")
    _, news = keep(post(voted(), 4.05), voted(ADA, doubtful, ballot("cy", 4.3, binding=False)), 5)
    assert texts(news) == ["KIP-7: Ada: +1", "KIP-7: Bo: unclear, a person is asked"]
    assert "> +1 if it is fast" in body(news[1].payload)


def test_its_end_is_said_with_the_stage_and_without_a_date() -> None:
    yes = (ADA, BO, ballot("cy", 4.3))
    said, _ = keep(post(voted(*yes), 4.5), voted(*yes, declared=result(8)), 8.5)
    assert ":white_check_mark: The vote *passed*: KIP-7 is *Accepted*" in said
    assert "<!date" not in said


def test_what_has_not_gone_out_is_written_anew_and_its_thread_gets_nothing() -> None:
    said, news = keep(post(voted(ADA), 4.5, reference=None), voted(ADA, BO), 5)
    assert "Bo +1" in said
    assert news == []


def test_nothing_is_written_that_says_the_same_wherever_it_is_decided() -> None:
    row = post(voted(ADA), 4.5)
    there = replace(RULES, board_url="")
    known = voted(ADA)
    assert list(keep_cards([row], decided(known, POLICY, 4.6), known, there)) == []


def test_the_message_of_another_vote_is_left_alone() -> None:
    row = post(voted(ADA), 4.5)
    other = facts(**TALKED, votes=(replace(poll(4, ADA, BO), root_message_id="<other@x.example>"),))
    assert keep(row, other, 5) == ("", [])


@given(name=st.text(max_size=200), line=st.text(max_size=2_000), voters=st.integers(1, 80))
def test_no_name_or_line_breaks_out_or_exceeds_the_limits(name: str, line: str, voters: int) -> None:
    many = [replace(ballot(f"v{n}", 4 + n / 1_000), name=name, line=line) for n in range(voters)]
    said, news = keep(post(voted(), 4.0), voted(*many), 5)
    assert 0 < len(said) <= SECTION_LIMIT
    assert said.count("<") == said.count("<http") + said.count("<!date^")
    for effect in news:
        assert 0 < len(body(effect.payload)) <= SECTION_LIMIT
        assert "<" not in body(effect.payload)


@pytest.mark.parametrize("slack", ["off", "send"])
def test_where_no_channel_is_informed_there_is_no_message(slack: str) -> None:
    known = voted(ADA)
    decision = decided(known, POLICY, 4.5)
    effects = find_effects(decision, decision.history, replace(RULES, slack=slack), about=known)
    assert any(CARD in effect.payload for effect in effects) is (slack == "send")

"""Until when a caller's words let a vote run: the latest end that they can mean, or nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.mail.announcements.moments import LONGEST, Clock
from kipflow.mail.announcements.periods import find_period, find_request, grants
from tests.corpus import load_yaml

OPENED = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday
CLOSE = OPENED + timedelta(hours=72)
LATER = OPENED + timedelta(hours=70)

SAID = load_yaml(Path(__file__).resolve().parents[2] / "data" / "announcements" / "periods.yaml")


def say(text: str, said_at: datetime) -> str:
    said = find_period(text, Clock(said_at, OPENED, CLOSE), lambda sentence: "KIP-9" in sentence)
    return "" if said is None else f"{said[0]:%m-%d %H:%M}"


@pytest.mark.parametrize("row", SAID["call"], ids=itemgetter("text"))
def test_a_call_says_how_long_its_vote_runs(row: dict[str, str]) -> None:
    assert say(row["text"], OPENED) == row["ends"]


@pytest.mark.parametrize("row", SAID["later"], ids=itemgetter("text"))
def test_a_later_mail_says_how_long_its_vote_runs_on(row: dict[str, str]) -> None:
    assert say(row["text"], LATER) == row["ends"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Could you extend the vote by two days?", True),
        ("Please leave it open till March 11.", True),
        ("Can you give us until Monday?", True),
        ("It would be great if you could leave it open till Monday.", True),
        ("Any chance we could leave this open through Monday?", True),
        ("Will the endpoint stay open until March 31?", False),
        ("Isn't it a bit long to keep it open until March 20?", False),
        ("Do we really have to keep this open until March 20?", False),
    ],
)
def test_somebody_asks_for_more_time(text: str, asks: bool) -> None:
    assert (find_request(text, Clock(LATER, OPENED, CLOSE), lambda _: False) is not None) is asks


@pytest.mark.parametrize(
    ("text", "agrees"),
    [
        ("Sure, Monday it is.", True),
        ("No worries, will do.", True),
        ("Sure, why not.", True),
        ("Ben,\n\nsure, no problem.", True),
        ("Thanks Ben. Sure.", True),
        ("Good point, I'll close it after 72 hours.", False),
        ("Yes, I voted already. +1 (binding)", False),
        ("Done with the tests, thanks.", False),
        ("Okay, noted. Still, I'd like to close on Thursday as planned.", False),
        ("Sure, I understand. However, the freeze is on Friday.", False),
        ("Yes I would prefer to close on Thursday.", False),
    ],
)
def test_a_caller_agrees_without_qualification(text: str, agrees: bool) -> None:
    assert grants(text) is agrees


_PIECES = """the vote|open|extend|until|for|friday|march|31|0|9999|999|weeks|:|pm|utc|+99|business|days|
2026-99-99|feb 30|25:61|end of|next|twenty|-|,""".replace("\n", "").split("|")


def test_what_is_asked_for_is_no_end_of_another_vote_nor_in_a_century() -> None:
    clock = Clock(LATER, OPENED, CLOSE)
    assert find_request("Could you leave the vote on KIP-9 open until Monday?", clock, lambda s: "KIP-9" in s) is None
    assert find_request("Could you leave it open for 900 months?", clock, lambda _: False) is None
    late = datetime(9999, 12, 30, tzinfo=UTC)
    assert find_request("Could you leave it open for two weeks?", Clock(late, late, late), lambda _: False) is None


@given(st.lists(st.sampled_from(_PIECES), max_size=14), st.integers(1, 9999), st.booleans())
def test_any_words_at_any_time_end_within_three_months(pieces: list[str], year: int, is_call: bool) -> None:
    at = datetime(year, 12, 31, 23, tzinfo=UTC)
    opened = at if is_call or year == 1 else at - timedelta(days=2)
    said = find_period("the vote is " + " ".join(pieces), Clock(at, opened, opened), lambda _: False)
    assert said is None or at < said[0] <= opened + LONGEST

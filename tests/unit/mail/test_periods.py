"""What a caller's words say of a vote's period: the latest end that they can mean, and what is asked about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.mail.announcements.periods import Clock, find_period

OPENED = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday
CLOSE = OPENED + timedelta(hours=72)
LATER = OPENED + timedelta(hours=70)

CALLS = {
    "The vote is open for two weeks.": "03-16 10:00",
    "The vote will be open for at least 72 hours, or until the necessary number of votes is reached.": "03-05 10:00",
    "This vote will be open for 5 days (until Saturday, March 7, 10:00 UTC).": "03-07 10:00",
    "The vote starts now. As many are away it runs until Mar 16.": "03-17 12:00",
    "The vote is open till EOD (PST) on Monday March 9th": "03-10 12:00",
    "Voting ends on 2026-03-12, 17:00 CET.": "03-12 16:00",
    "The vote closes in five business days.": "03-09 10:00",
    "Please vote until next Tuesday, 10th of March, 18:00 UTC.": "03-10 18:00",
    "Voting period: 3-5 days": "03-07 10:00",
    "Deadline for votes: 6 March, 5 pm PST": "03-07 01:00",
    "I'll leave the vote open over the weekend.": "03-09 12:00",
    "The vote stays open until the summit is over.": "asked",
    "The vote will remain open for a few days.": "asked",
    "The vote will be open until Friday, March 7th.": "asked",
    "The vote is open until 2025-03-12.": "asked",
    "The vote stays open until we have three binding +1.": "",
    "The vote will be open for the usual time, longer if needed.": "",
    "The discussion has been open for two weeks, so I'd like to call a vote.": "",
    "I would like to call the vote today, as the freeze ends on March 20.": "",
    "Brokers keep connections open for 7 days. Please vote.": "",
    "This vote lets us keep segments for 7 days.": "",
    "I'd like to start the vote on KIP-7: close idle connections after 10 days.": "",
}
ANSWERS = {
    "I'm extending the vote until Saturday, 18:00 UTC.": "03-07 18:00",
    "Extending the voting period by another week, as several asked for more time.": "03-12 10:00",
    "We only have two votes. Extending this until Friday.": "03-07 12:00",
    "The vote is extended to Friday 13 March.": "03-14 12:00",
    "I'll keep this vote open until Monday to give everybody a chance to look at it.": "03-10 12:00",
    "I won't close the vote before Monday.": "03-10 12:00",
    "I will close this vote in 24 hours.": "03-06 08:00",
    "The vote is open for 72 hours.": "03-05 10:00",
    "I'm extending the vote.": "asked",
    "I'll keep it open for a few more days.": "asked",
    "The vote stays open until we have had time to look at it.": "asked",
    "Bump: the vote is still open, we need one more binding vote.": "",
    "Should I extend the vote until Friday?": "",
    "If needed I will extend the vote until Friday.": "",
    "I'll keep it open for a few more days unless all have voted.": "asked",
    "Happy to extend the vote by a few days if needed.": "",
    "I can keep it open for a few more days.": "",
    "I extended the vote last week.": "",
    "The vote was open until Monday.": "",
    "it runs for 10 days in our cluster": "",
    "I'll extend the proposal by a section on Friday.": "",
}


def say(text: str, said_at: datetime) -> str:
    said = find_period(text, Clock(said_at, OPENED, CLOSE))
    return "" if said is None else "asked" if said.until is None else f"{said.until:%m-%d %H:%M}"


@pytest.mark.parametrize(("text", "ends"), CALLS.items())
def test_a_call_says_how_long_its_vote_runs(text: str, ends: str) -> None:
    assert say(text, OPENED) == ends


@pytest.mark.parametrize(("text", "ends"), ANSWERS.items())
def test_a_later_mail_says_how_long_its_vote_runs_on(text: str, ends: str) -> None:
    assert say(text, LATER) == ends


_PIECES = """the vote|open|extend|until|for|friday|march|31|0|9999|weeks|:|pm|utc|+99|business|days|
2026-99-99|feb 30|25:61|end of|next|twenty|-|,""".replace("\n", "").split("|")


@given(st.lists(st.sampled_from(_PIECES), max_size=14), st.integers(1, 9999), st.booleans())
def test_any_words_at_any_time_end_within_three_months_or_are_asked_about(
    pieces: list[str], year: int, is_call: bool
) -> None:
    at = datetime(year, 12, 31, 23, tzinfo=UTC)
    opened = at if is_call or year == 1 else at - timedelta(days=2)
    said = find_period("the vote is " + " ".join(pieces), Clock(at, opened, opened))
    assert said is None or said.until is None or at < said.until <= at + timedelta(days=92)

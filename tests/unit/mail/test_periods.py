"""Until when a caller's words let a vote run: the latest end that they can mean, or nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.mail.announcements.moments import Clock
from kipflow.mail.announcements.periods import LONGEST, find_period

OPENED = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday
CLOSE = OPENED + timedelta(hours=72)
LATER = OPENED + timedelta(hours=70)

CALLS = {
    "The vote is open for two weeks.": "03-16 10:00",
    "The vote will be open for at least 72 hours, or until the necessary number of votes is reached.": "03-05 10:00",
    "This vote will be open for 5 days (until Saturday, March 7, 10:00 UTC).": "03-07 10:00",
    "The vote is open until Friday, May 8, at 9 pm UTC and passes if at least 3 +1 are cast.": "05-08 21:00",
    "The vote is open till EOD (PST) on Monday March 9th": "03-10 12:00",
    "Voting ends on 2026-03-12, 17:00 CET.": "03-13 12:00",
    "The vote closes in five business days.": "03-09 10:00",
    "Please vote until next Tuesday, 10th of March, 18:00 UTC.": "03-10 18:00",
    "Voting period: 3-5 days": "03-07 10:00",
    "Vote opens: 2026-03-02\nVote closes: 2026-03-12": "03-13 12:00",
    "Deadline: March 12th": "03-13 12:00",
    "Because of the holidays this vote runs for 7 (seven) days.": "03-09 10:00",
    "The vote closes 2026-03-07T18:00:00Z": "03-07 18:00",
    "The vote is open until March 7, 18:00 UTC-8": "03-08 12:00",
    "The vote is open until Mar. 16.": "03-17 12:00",
    "The vote is open until Monday, the 16th.": "03-17 12:00",
    "The vote is open until next Friday.": "03-14 12:00",
    "The vote closes two weeks from today.": "03-16 10:00",
    "I would like to call a vote on KIP-7\nThe vote will run until March 20": "03-21 12:00",
    "The vote is open for 72 hours, but because of the holidays I keep it open until March 20th.": "03-21 12:00",
    "The vote will not close until March 20.": "03-21 12:00",
    "Please cast your vote within the next 7 days.": "03-09 10:00",
    "As Easter is near I'd like to keep this one open for a full week, so that nobody has to hurry.": "03-09 10:00",
    "As half of us travel I would leave the vote open until Friday next week.": "03-14 12:00",
    "Please vote. Open for five days since a weekend is in between.": "03-07 10:00",
    "Please get your votes in by the end of Friday, 13 March.": "03-14 12:00",
    "Please download, test and vote by Thursday, March 12, 9am PT.": "03-13 12:00",
    "The vote goes on until Monday.": "03-10 12:00",
    "You have until March 12th to vote.": "03-13 12:00",
    "This will run until the 10th of March.": "03-11 12:00",
    "The poll closes at the end of next week.": "03-16 12:00",
    "The vote is open until the end of the month.": "04-01 12:00",
    "The vote is open until the end of next month.": "05-01 12:00",
    "We'll wait for votes until March 12.": "03-13 12:00",
    "I'm giving it a full week, i.e. until Monday, March 16.": "03-17 12:00",
    "Because of the weekend it's open until next Tuesday, 10 March, noon Berlin time.": "03-11 12:00",
    "Friday is a holiday in many places, so let's say until Tuesday 10 March, midnight.": "03-11 12:00",
    "Wegen der Feiertage lasse ich sie bis Dienstag nach Ostern, also 7. April, 18 Uhr MESZ, laufen.": "03-04 12:00",
    "Die Abstimmung läuft bis Freitag, den 13. März.": "03-14 12:00",
    "Le vote est ouvert jusqu'au vendredi 13 mars.": "03-14 12:00",
    "La votación queda abierta hasta el 13 de marzo de 2026.": "03-14 12:00",
    "A votação fica aberta até sexta-feira, dia 13.": "03-14 12:00",
    "期間は3月27日(金) 18:00(日本時間)までとします。よろしくお願いいたします。": "03-28 12:00",
    "投票持续到3月13日。": "03-14 12:00",
    "投票期限は3月13日(金) 17:00 (日本時間) とします。": "03-14 12:00",
    "Many of us travel, so let us give people one full week for this one.": "03-09 10:00",
    "Until Friday next week, please.": "03-14 12:00",
    "The vote runs till 13.03.2026.": "03-14 12:00",
    "I'm away until March 20th, so Jun will close the vote.": "",
    "I'll be at a conference until March 20th, so please be patient.": "",
    "I'm leaving it open until Friday next week.": "03-14 12:00",
    "The branch stays frozen until March 20th.": "",
    "If nobody objects the vote is open until March 20th.": "",
    "We have until March 12 to get this into 4.2.": "",
    "Last time we left the vote open for two weeks.": "",
    "I don't think that we need to keep this vote open for two weeks.": "",
    "Let me keep the thread pool open for two weeks.": "",
    "Please vote by Thursday (4.2 KIP deadline: March 20).": "03-06 12:00",
    "The vote is open for 72 hours. The deadline for 4.2 is on March 20.": "03-05 10:00",
    "Please vote on KIP-7: 30 days of retention.": "",
    "This is the vote for KIP-7: extend the window to 30 days.": "",
    "The vote on KIP-9 is open until March 20.": "",
    "This closes the old page, open for 60 days.": "",
    "Please vote, Friday is a holiday in many countries.": "",
    "The vote runs for 3.5 days.": "",
    "Is the vote open until March 20?": "",
    "The vote stays open until we have three binding +1.": "",
    "The vote will be open for the usual time, longer if needed.": "",
    "The vote is open until 2025-03-12.": "",
    "The vote is open until February 31.": "",
    "The discussion has been open for two weeks, so I'd like to call a vote.": "",
    "I would like to call the vote today, as the freeze ends on March 20.": "",
    "Please vote, the release is in 10 days.": "",
    "Brokers keep connections open for 7 days. Please vote.": "",
    "- Keep it open for 30 days.": "",
    "This vote is on keeping it for 30 days.": "",
    "A vote in the last 30 days is due.": "",
    "Please also vote on KIP-9. It is open until March 20.": "",
    "Will the vote be open until March 20? 2 people asked.": "",
    "The vote opens today at 09:00 UTC and is open until March 20.": "03-21 12:00",
    "This vote lets us keep segments for 7 days.": "",
    "I'd like to start the vote on KIP-7: close idle connections after 10 days.": "",
}
ANSWERS = {
    "I'm extending the vote until Saturday, 18:00 UTC.": "03-07 18:00",
    "Half of you are on holiday, so I'm going to keep this going till Wednesday next week (11th).": "03-12 12:00",
    "Fica aberta até sexta-feira, dia 13, fim do dia em Brasília.": "03-14 12:00",
    "Ich verlängere die Abstimmung bis Freitag, den 13. März.": "03-14 12:00",
    "投票延长到3月13日。": "03-14 12:00",
    "The PR is open until March 20th.": "",
    "I'm out until March 20th.": "",
    "Extending the voting period by another week, as several asked for more time.": "03-12 10:00",
    "We only have two votes. Extending this until Friday.": "03-07 12:00",
    "72 hours are over, but as two points are open I extend the vote until Friday.": "03-07 12:00",
    "Nobody has answered, so I'll leave it open until the end of the month.": "04-01 12:00",
    "Jun, you have until Friday to answer.": "",
    "The vote is extended to Friday 13 March.": "03-14 12:00",
    "I extend the vote to Monday, 16 March, 18:00 UTC.": "03-16 18:00",
    "Hi all, with the holidays around I'm extending this until March 20th.": "03-21 12:00",
    "New deadline: March 20th.": "03-21 12:00",
    "The deadline is moved to March 20th.": "03-21 12:00",
    "New closing time: Friday, March 20th, 12:00 UTC.": "03-20 12:00",
    "New deadline for the freeze: March 20th.": "",
    "With the new default I extend the retention until March 20th.": "",
    "I'll keep the vote open until tomorrow.": "03-07 12:00",
    "I've extended the vote until Saturday, 18:00 UTC.": "03-07 18:00",
    "Two votes are missing for this vote. I'll keep it open until Monday.": "03-10 12:00",
    "I won't close the vote before Monday.": "03-10 12:00",
    "I will close this vote in 24 hours.": "03-06 08:00",
    "The vote is open for 72 hours.": "03-05 10:00",
    "I will not extend the vote until Monday.": "",
    "Jun asked to extend the vote until March 20, but I decline.": "",
    "Instead of keeping the vote open until March 20 I close it today.": "",
    "The previous vote closed on Friday.": "",
    "Let's keep it at 7 days.": "",
    "I extended it to 14 days in the KIP, thanks.": "",
    "Jun suggested (on Slack) to extend the vote until March 20. I decline.": "",
    "If somebody wants more time, I extend the vote until March 20.": "",
    "Extending the vote until March 20 is unnecessary.": "",
    "I will not extend the closing time until March 20.": "",
    "This vote closes today, Thursday, at 10:00 UTC.": "",
    "Thanks for the vote, I'm leaving for 10 days.": "",
    "Bump: the vote is still open, we need one more binding vote.": "",
    "Should I extend the vote until Friday?": "",
    "If needed I will extend the vote until Friday.": "",
    "I can keep it open for a few more days.": "",
    "The vote has been open for two weeks now.": "",
    "The vote was open until Monday.": "",
    "it runs for 10 days in our cluster": "",
    "I'll extend the proposal by a section on Friday.": "",
}


def say(text: str, said_at: datetime) -> str:
    said = find_period(text, Clock(said_at, OPENED, CLOSE), lambda sentence: "KIP-9" in sentence)
    return "" if said is None else f"{said[0]:%m-%d %H:%M}"


@pytest.mark.parametrize(("text", "ends"), CALLS.items())
def test_a_call_says_how_long_its_vote_runs(text: str, ends: str) -> None:
    assert say(text, OPENED) == ends


@pytest.mark.parametrize(("text", "ends"), ANSWERS.items())
def test_a_later_mail_says_how_long_its_vote_runs_on(text: str, ends: str) -> None:
    assert say(text, LATER) == ends


_PIECES = """the vote|open|extend|until|for|friday|march|31|0|9999|999|weeks|:|pm|utc|+99|business|days|
2026-99-99|feb 30|25:61|end of|next|twenty|-|,""".replace("\n", "").split("|")


@given(st.lists(st.sampled_from(_PIECES), max_size=14), st.integers(1, 9999), st.booleans())
def test_any_words_at_any_time_end_within_three_months(pieces: list[str], year: int, is_call: bool) -> None:
    at = datetime(year, 12, 31, 23, tzinfo=UTC)
    opened = at if is_call or year == 1 else at - timedelta(days=2)
    said = find_period("the vote is " + " ".join(pieces), Clock(at, opened, opened), lambda _: False)
    assert said is None or at < said[0] <= opened + LONGEST

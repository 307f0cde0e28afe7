"""What must hold for any words around a vote: never silence, never a ballot that nobody cast."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from kipflow.domain.facts import Message
from kipflow.domain.judging import judge
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.domain.tally import count
from kipflow.domain.votes import Ballot, BallotStatus, Expression, Standing
from kipflow.mail.messages import read_message
from kipflow.mail.quoting import find_own_words
from kipflow.mail.threads import find_votes
from kipflow.mail.votes.reading import Reason, explain
from tests.examples import examples

#: Nobody's lexicon has these: typing errors, jargon, names, words of languages that are not read.
unknown = st.text("bdfgklmnprstvz", min_size=3, max_size=4).map(lambda text: f"{text[0]}a{text[1:]}o")
vote = st.sampled_from(["+1", "-1", "+1 (binding)", "-1 (binding)", "+1 (non-binding)", "0 (binding)"])
claim = st.sampled_from(["+1 (binding)", "-1 (binding)", "+1 (non-binding)", "-1 binding", "0 (non-binding)"])
few = st.lists(unknown, min_size=1, max_size=3).map(" ".join)
mark = st.sampled_from([".", "!", "", " :)"])


def read(text: str) -> tuple[tuple[Expression, ...], tuple[Reason, ...]]:
    return explain(find_own_words(text), author="Mara Lind")


def is_heard(text: str) -> bool:
    """Whether a text yields a ballot or a question, or a named reason why not."""
    found, reasons = read(text)
    return bool(found or reasons)


def is_counted(expressions: tuple[Expression, ...]) -> bool:
    return any(e.standing is Standing.CLEAR and e.choice is not None for e in expressions)


@examples(400)
@given(before=few, vote=claim, after=few, mark=mark)
def test_a_value_with_a_claim_to_bind_is_never_silence(before: str, vote: str, after: str, mark: str) -> None:
    for text in (
        f"{vote}{mark}",
        f"{before} {vote}",
        f"{before} {vote} {after}{mark}",
        f"{vote} {after}",
        f"{before}\n{vote}",
    ):
        assert is_heard(text), text


@examples(400)
@given(vote=vote, after=few, mark=mark)
def test_a_value_that_opens_a_line_is_never_silence(vote: str, after: str, mark: str) -> None:
    for text in (
        f"{vote} {after}{mark}",
        f"{vote}, {after}",
        f"{vote}: {after}",
        f"{vote} - {after}",
        f"Hi,\n\n{vote} {after}",
    ):
        assert is_heard(text), text


@examples(400)
@given(before=few, vote=vote, after=few)
def test_unknown_words_never_turn_a_vote_into_another(before: str, vote: str, after: str) -> None:
    said = vote.split()[0]
    for text in (f"{before} {vote}", f"{vote} {after}", f"{before} {vote} {after}", f"{before}, {vote}, {after}"):
        found, _ = read(text)
        assert {e.choice for e in found if e.standing is Standing.CLEAR} <= {said}, text


talk = st.sampled_from(
    [
        "We are short of one binding {}.",
        "We still need two more binding {} votes.",
        "So far there are three {} and no others.",
        "How many {} do we need?",
        "Whoever votes {} should say why.",
        "A {} from a committer counts.",
        "Please reply with {} or 0.",
        "Does a {} need a reason?",
        "Jun's {} is not counted yet.",
        "Nous avons encore besoin d'un {}.",
        "Es fehlt noch ein {} von einem Committer.",
        "Falta un {} vinculante.",
        "Falta mais um {}.",
        "Manca ancora un {}.",
        "Нужен ещё один {}.",
        "还差一个 {}。",
        "あと一つ {} が必要です。",
    ]
)


@examples(400)
@given(talk=talk, value=st.sampled_from(["+1", "-1"]), greeting=st.sampled_from(["", "Hi all,\n\n", "Hallo,\n\n"]))
def test_talk_about_votes_is_no_ballot(talk: str, value: str, greeting: str) -> None:
    text = greeting + talk.format(value)
    assert not is_counted(read(text)[0]), text


number = st.sampled_from(["-1", "+1", "0"])
place = st.sampled_from(
    [
        "The method returns {} when nothing is left.",
        "| broker | {} | 12 ms |",
        "- int limit = {};\n+ int limit = 5;",
        "x = n {} - 2 * m",
        "latency: 12 ms\nretries: {}\ntimeout: 30 s",
        "offset {} means the end of the log",
        "    if (epoch == {}) {{ return; }}",
        "The default of retries would become {} with this.",
    ]
)


@examples(300)
@given(place=place, value=number)
def test_a_value_in_code_tables_or_measurements_is_no_ballot(place: str, value: str) -> None:
    text = "I have a remark on the design.\n\n" + place.format(value)
    assert not is_counted(read(text)[0]), text


# -- later mails ------------------------------------------------------------------------------------------------
START = datetime(2026, 3, 2, 10, tzinfo=UTC)
POLICY = Policy(version="test", binding_roles=frozenset({"committer"}))


def mail(number: int, body: str) -> Message:
    subject = "[VOTE] KIP-7: Shorter names"
    who = "Jun Okafor <jun@okafor.example>" if number else "Mara Lind <mara@lind.example>"
    thread = f"In-Reply-To: <0@mail.example>\nSubject: Re: {subject}" if number else f"Subject: {subject}"
    at = START + timedelta(hours=number)
    head = f"From: {who}\n{thread}\nMessage-ID: <{number}@mail.example>"
    raw = f"{head}\nDate: {at:%a, %d %b %Y %H:%M:%S} +0000\n\n{body}\n"
    found = read_message(raw.encode(), source=f"x#{number}", list_id="dev@commons.example", month="", prefix="KIP")
    assert isinstance(found, Message)
    return found


def vote_and_say(first: str, later: str) -> tuple[tuple[Ballot, ...], dict[str, int]]:
    mails = [mail(0, "I call a vote, open for 72 hours."), mail(1, first), mail(2, later)]
    (found,) = find_votes(mails, Roster(()), POLICY, prefix="KIP")
    judged = judge(found, START + timedelta(days=9))
    return judged.ballots, dict(count(judged.ballots).non_binding.as_dict())


second_thought = st.sampled_from(
    [
        "Please ignore my vote.",
        "Please disregard my last mail.",
        "Sorry, wrong thread.",
        "That was a mistake, sorry.",
        "I take that back.",
        "I no longer object.",
        "I am going back to 0.",
        "I have changed my mind.",
        "I withdraw my vote.",
        "Scratch that.",
        "Wrong sign above, it should read {}.",
        "My vote is {} now.",
        "I meant {}.",
    ]
)


@examples(300)
@given(
    first=st.sampled_from(["+1", "-1"]),
    later=second_thought,
    greeting=st.sampled_from(["", "Hi,\n\n", "Hi Mara,\n\n", "Sorry, "]),
    closing=st.sampled_from(["", "\n\nThanks,\nJun", " Thanks!"]),
)
@example(first="+1", later="I withdraw my vote.", greeting="", closing="")
def test_second_thoughts_change_a_vote_or_ask(first: str, later: str, greeting: str, closing: str) -> None:
    other = {"+1": "-1", "-1": "+1"}[first]
    text = greeting + later.format(other) + closing
    ballots, tally = vote_and_say(first, text)
    is_asked = any(b.status is BallotStatus.REVIEW for b in ballots)
    assert is_asked or tally[first] == 0, text

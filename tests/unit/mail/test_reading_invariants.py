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
from kipflow.mail.quoting import find_own_words
from kipflow.mail.threads import find_votes
from kipflow.mail.votes.reading import Reason, explain
from tests.examples import examples
from tests.unit.mail.onemail import read_of_thread

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
    who = "Jun Okafor <jun@okafor.example>" if number else "Mara Lind <mara@lind.example>"
    return read_of_thread(number, who, body, START + timedelta(hours=number))


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


change_of_heart = st.sampled_from(
    [
        *("I take back my +1 until that is answered.", "I withdraw my vote until the numbers are in."),
        *("Please don't count my vote for the moment.", "I retract my +1 for now.", "My +1 was premature."),
        *("I am withdrawing my vote while we discuss this.", "Scratch my vote, I need to read it again."),
        *("Consider my vote withdrawn as long as the question is open.", "I no longer support this."),
        *("My +1 came too early, I hadn't seen the second section.", "I can't support this any more."),
        *("I was wrong to vote +1.", "I regret my +1.", "I'd like to revert my vote.", "Please hold my vote."),
        *("Can you remove my vote please?", "I suspend my vote until Monday.", "0 from me then.", "Then I'm out."),
        *("I abstain after all.", "I voted on the wrong proposal.", "I wanted to vote on KIP-9."),
        *("With this result I'm opposed.", "I have to object now.", "So it's a no from me now.", "You lost my vote."),
        *("No from my side then.", "My +1 was for the version of Monday.", "I did not vote for this version."),
        *("Make it -1.", "-1 then.", "I lower my vote to +0.", "Count me as -1 instead.", "I have doubts now."),
        *("I'd rather wait.", "You lost me with the last change."),
    ]
)


@examples(200)
@given(later=change_of_heart, closing=st.sampled_from(["", "\n\nThanks,\nJun", "\n\nJun"]))
def test_a_change_of_heart_never_leaves_the_vote_in_silence(later: str, closing: str) -> None:
    ballots, tally = vote_and_say("+1", later + closing)
    assert any(b.status is BallotStatus.REVIEW for b in ballots) or tally["+1"] == 0, later


nothing_new = st.sampled_from(
    [
        *("Thanks for the update.", "Good catch, Tess.", "The build is green here too.", "Happy to review the PR."),
        *("I opened a ticket for the follow-up.", "What happens on restart?", "I agree with Tess on the naming."),
        *("Ravi, could you have a look?", "I don't think that is needed.", "We measured 3 ms.", "My vote stands."),
        *("Just a reminder that the vote ends tomorrow.", "We need one more binding vote.", "I keep my vote."),
        *("No change to my vote.", "That doesn't change my vote.", "+1 again.", "Not a blocker for me."),
        *("I have no strong opinion on the name.", "I'd prefer the longer name, but no blocker.", "+1 to that."),
        *("We can do that later.", "Do we support the old format?", "There's one jar too many. I keep my vote."),
    ]
)


@examples(200)
@given(later=nothing_new, closing=st.sampled_from(["", "\n\nThanks,\nJun", "\n\nJun"]))
def test_what_changes_nothing_asks_nothing(later: str, closing: str) -> None:
    ballots, tally = vote_and_say("+1", later + closing)
    assert tally["+1"] == 1, later
    assert not [b.line for b in ballots if b.status is BallotStatus.REVIEW], later


cast = st.sampled_from(
    [
        *("+1 (binding)", "I'm +1 (binding).", "Thanks for the KIP! +1 (binding) from me.", "So +1 (binding)"),
        *("Big +1 (binding), great work", "My vote: +1 (binding)", "LGTM, +1 (binding)", "+1", "+1, thanks!"),
    ]
)
end = st.sampled_from(
    [
        *("All tests passed.", "one flaky test, passed on the second run", "The vote passes.", "KIP-7 passes then."),
        *("This has my vote, so it's approved.", "We can close the vote now.", "Congrats, it is adopted."),
        *("That's three, so the vote is over.", "The check failed at first, then succeeded.", "Result: all good."),
        *("Results of my checks: passed", "With that we have 3 binding votes.", "Thanks all for voting."),
        *("That makes 3 binding +1 and no -1, so it passes.", "The discussion is closed."),
        "* LICENSE and NOTICE look right\n* no binaries\n* build: one flaky test, passed at last",
    ]
)


@examples(300)
@given(vote=cast, end=end)
def test_a_vote_beside_talk_of_an_end_is_counted_or_asked_about(vote: str, end: str) -> None:
    after = f"{end}\n\n{vote}" if "\n" in end else f"{end} {vote}"
    for text in (f"{vote}\n\n{end}\n\nJun", f"{end}\n\n{vote}\n\nJun", f"{vote}\n{end}", f"Hi Mara,\n\n{after}"):
        ballots, tally = vote_and_say(text, "See above.")
        assert tally["+1"] == 1 or any(b.status is BallotStatus.REVIEW for b in ballots), text

"""Stories about the end of a vote: unclear words of its caller, corrections, and subjects that look like an end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.adversary.conftest import BERG, LIND, OSEI, PETIT, VOTE, Community, Mail, honest_vote

TITLE = VOTE.removeprefix("[VOTE] ")


def vote_without_result() -> list[Mail]:
    return [mail for name, mail in honest_vote().items() if name != "result"]


def result(body: str, *, day: float = 5, name: str = "result", subject: str = f"[RESULT] {VOTE}") -> Mail:
    return Mail(name=name, by=LIND, day=day, body=body, subject=subject)


def asked(community: Community) -> list[str]:
    return [question["kind"] for question in community.questions()]


@pytest.mark.parametrize(
    "body",
    [
        "So that one is in, thanks all!",
        "Looks like this vote has passed, I think.",
        "The vote passed. On second thought, the vote did not pass.",
    ],
)
def test_an_unclear_result_accepts_nothing(community: Community, body: str) -> None:
    """The caller ends the vote in words that are no clear outcome. Nothing is accepted and a person is asked."""
    community.follow(*vote_without_result(), result(body, subject=f"Re: {VOTE}"), day=6)

    assert community.stage() == "Vote"
    assert "result" in asked(community)


@pytest.mark.parametrize(
    "body", ["I call the vote to be non successful.", "The vote was not a success.", "KIP-7 hasn't passed."]
)
def test_a_denied_success_is_no_success(community: Community, body: str) -> None:
    """The caller announces a failure with a word of success in it. It is not accepted, though the ballots pass."""
    community.follow(*vote_without_result(), result(body), day=6)

    assert community.stage() == "Vote"
    assert asked(community) == ["result"]


def test_an_announced_failure_under_a_votes_tag_opens_no_vote(community: Community) -> None:
    """The caller announces under "[VOTE] … FAILED". That is the vote's result, not a second vote that cancels it."""
    failed = result("The vote failed with 1 binding +1 and 2 binding -1.", subject=f"{VOTE} FAILED")
    mails = [m for m in vote_without_result() if m.name in {"vote", "one"}]
    mails += [Mail(name=f"no{n}", by=by, day=2, body="-1 (binding)") for n, by in enumerate((OSEI, BERG))]
    community.follow(*mails, failed, day=6)

    assert community.stage() == "Rejected"
    assert [vote["round"] for vote in community.status()["votes"]] == [1]


def test_a_withdrawn_vote_is_no_withdrawn_vote_of_all(community: Community) -> None:
    """The result says that somebody's vote was withdrawn. It calls nothing off: the vote passes."""
    body = "The vote passes with 3 binding +1 votes. Ana's vote was withdrawn at her request."
    community.follow(*vote_without_result(), result(body), day=6)

    assert community.stage() == "Accepted"


def test_a_result_that_its_caller_takes_back_ends_nothing(community: Community) -> None:
    """The caller announces too early, takes that back, and announces again at the end. Votes between the two count."""
    early = result("Passed with three binding +1.", day=2.2, name="early")
    back = result(
        "Please disregard the result, the vote stays open.", day=2.4, name="back", subject=f"Re: {early.subject}"
    )
    late = Mail(name="late", by=PETIT, day=4.5, body="+1 (binding)")
    community.follow(*vote_without_result(), early, back, late, day=4.8)
    assert community.stage() == "Vote"
    assert "result" in asked(community)

    community.follow(result("Passed with four binding +1."), day=6)
    assert community.stage() == "Accepted"
    assert community.status()["votes"][0]["tally"]["binding"]["+1"] == 4


def test_a_possible_cancellation_voids_nothing(community: Community) -> None:
    """The caller may have to cancel the vote. Its ballots stay, and a person is asked."""
    maybe = result("I may have to cancel this vote, the text seems to be wrong.", day=3, subject=f"Re: {VOTE}")
    community.follow(*vote_without_result(), maybe, day=6)

    assert [b["status"] for b in community.status()["votes"][0]["ballots"]] == ["counted"] * 3
    assert asked(community) == ["result"]


def test_a_correction_replaces_the_counts(community: Community) -> None:
    """The caller corrects a miscounted result in a plain reply. The corrected counts hold, and the history shows it."""
    wrong = result("The vote passes with 4 binding +1 votes.", day=3.5)
    right = result("Correction: 3 binding, not 4.", day=3.6, name="fix", subject=f"Re: {VOTE}")
    community.follow(*vote_without_result(), wrong, right, day=6)

    declared = community.status()["votes"][0]["declared"]
    assert (community.stage(), declared["binding"]) == ("Accepted", {"+1": 3})
    assert declared["corrected_at"] == "2026-03-05T23:24:00Z"
    assert "announcement corrected 2026-03-05" in str(community.status())


def test_the_same_outcome_with_other_counts_from_the_same_person_replaces_the_counts(community: Community) -> None:
    """The caller announces in a plain reply, and once more with another count. The later count is reported."""
    wrong = result("The vote passes with 2 binding +1 votes.", day=3.5, subject=f"Re: {VOTE}")
    right = result("Typed too fast: 3 binding +1 votes. Accepted.", day=3.6, name="again", subject=f"Re: {VOTE}")
    community.follow(*vote_without_result(), wrong, right, day=6)

    declared = community.status()["votes"][0]["declared"]
    assert (community.stage(), declared["binding"]) == ("Accepted", {"+1": 3})


def test_a_result_that_is_turned_later_asks_whether_the_decision_stands(community: Community) -> None:
    """The caller says after the acceptance that the vote did not pass. It stays accepted, and a person is asked."""
    community.follow(*honest_vote().values(), day=6)
    late = result("Correction: the vote did not pass, one vote was not binding.", day=7, name="late")
    community.follow(late, day=8)

    assert community.stage() == "Accepted"
    assert asked(community) == ["turned-vote"]


def test_a_cancellation_after_the_result_voids_nothing(community: Community) -> None:
    """The caller calls the vote off after its result. The decision stays, and a person is asked whether it stands."""
    community.follow(*honest_vote().values(), day=6)
    community.follow(result("I am cancelling this vote.", day=7, name="late", subject=f"Re: {VOTE}"), day=8)

    assert community.stage() == "Accepted"
    assert asked(community) == ["turned-vote"]


def test_a_correction_that_names_who_voted_in_time_lets_no_later_vote_count(community: Community) -> None:
    """The caller names a wrong voter and corrects that two days later; a veto came between. It stays too late."""
    wrong = result("The vote passes with 3 binding +1 votes (Mara Lind, Kim Osei, Jun Rao) and no others.")
    veto = Mail(name="late", by=PETIT, day=6, body="-1 (binding), I was away.")
    right = result("Correction: 3 binding +1 votes (Mara Lind, Kim Osei, Rune Berg).", day=7, name="fix")
    community.follow(*vote_without_result(), wrong, veto, right, day=9)

    assert community.stage() == "Accepted"
    assert [b["status"] for b in community.status()["votes"][0]["ballots"]] == ["counted"] * 3 + ["void"]


@pytest.mark.parametrize(
    "words", ["Correction: the vote passes with {} binding +1 votes.", "I am cancelling this vote."]
)
def test_a_caller_who_announces_without_end_keeps_no_other_proposal_from_being_decided(
    community: Community, words: str
) -> None:
    """A stranger calls a vote on KIP-1 and sends four hundred results, each turning or ending the one before. Every
    other proposal is decided as ever."""
    fisk, subject = "Tom Fisk <t@evil.example>", "[VOTE] KIP-1: Shelves of mine"
    opening = Mail(name="own", by=fisk, day=0.5, body="I call a vote.", subject=subject, answers="")
    first = Mail(
        name="r", by=fisk, day=4, body="The vote passes with 9 binding +1 votes.", subject=f"[RESULT] {subject}"
    )
    many = [
        Mail(name=f"r{n}", by=fisk, day=4.5 + n / 1000, body=words.format(3 + n % 2), subject=first.subject)
        for n in range(400)
    ]
    said = community.follow(
        *honest_vote().values(), *(replace(m, answers="own") for m in (first, *many)), opening, day=9
    )

    assert said.code == 0, said.err
    assert (community.stage(1), community.stage(7)) == ("Vote", "Accepted")


def new_thread(subject: str, body: str, by: str = LIND) -> Mail:
    return Mail(name="news", by=by, day=5, body=body, subject=subject, answers="")


COUNTED = "The vote passed with 3 binding +1 votes and no others."
CLOSINGS = [
    (f"[PASSED] {TITLE}", COUNTED),
    ("KIP-7 accepted", "Thank you all."),
    (f"{TITLE} accepted", COUNTED),
]


@pytest.mark.parametrize(("subject", "body"), CLOSINGS)
def test_a_result_in_a_new_thread_closes_its_callers_vote(community: Community, subject: str, body: str) -> None:
    """The caller announces the result in a thread of its own, without the tags of votes and results. It closes the
    vote, as its words and the ballots agree.
    """
    community.follow(*vote_without_result(), new_thread(subject, body), day=6)

    assert community.stage() == "Accepted"


@pytest.mark.parametrize(("subject", "body"), CLOSINGS)
def test_a_strangers_result_in_a_new_thread_is_asked_about(community: Community, subject: str, body: str) -> None:
    """Somebody who may not end the vote announces its result in a thread of its own. It closes nothing, and a person
    is asked.
    """
    stranger = "Tom Fisk <t@evil.example>"
    community.follow(*vote_without_result(), new_thread(subject, body, by=stranger), day=6)

    assert community.stage() == "Vote"
    assert asked(community) == ["ending"]


def test_a_result_in_a_new_thread_that_the_ballots_contradict_is_asked_about(community: Community) -> None:
    """The caller announces in a thread of its own that a vote with one ballot passed. Nothing is accepted, and a person
    is asked.
    """
    mails = [m for m in vote_without_result() if m.name in {"vote", "one"}]
    community.follow(*mails, new_thread(f"[PASSED] {TITLE}", COUNTED), day=6)

    assert community.stage() == "Vote"
    assert "result" in asked(community)

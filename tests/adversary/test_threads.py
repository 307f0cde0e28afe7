"""Which vote a mail is about: no mail of a stranger moves, hides or ends what others voted"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.adversary.conftest import BERG, LIND, OSEI, PETIT, VOTE, Community, Mail, honest_vote

FISK = "Tom Fisk <t@evil.example>"
NINE = "[VOTE] KIP-9: Tidy shelves"


def votes(words: str, subject: str, **more: Any) -> list[Mail]:
    """Three committers' votes under one subject."""
    people = (PETIT, OSEI, BERG)
    return [
        Mail(name=f"v{n}", by=by, day=2.1 + n / 10, body=words, subject=subject, **more) for n, by in enumerate(people)
    ]


def is_settled_by_people(community: Community, *stages: str, number: int = 7) -> bool:
    """Whether a proposal stands at one of the stages, or a person is asked."""
    return community.stage(number) in stages or bool(community.questions())


SUBJECTS = [
    "Re: Tidy shelves",
    "Re: KIP-7 shelves",
    "Re: [DISCUSS] KIP-7: Tidy shelves",
    "Re: [VOTE] Tidy shelves",
    "-1",
]


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("stem", ["vote", "kipflow.same.0000000000000000.vote"])
def test_a_mail_under_the_openings_id_hides_no_answer(community: Community, subject: str, stem: str) -> None:
    """Three vetoes answer the opening under other subjects; a stranger sends a mail under the opening's id, or under
    one as kipflow makes them, with the subject of the vetoes. They count, or are asked about."""
    stranger = Mail(name=stem, by=FISK, day=2.5, body="Nice", subject=subject, answers="")
    community.follow(*honest_vote().values(), *votes("-1 (binding)", subject), stranger, day=6)

    assert is_settled_by_people(community, "Rejected")


def test_a_mail_under_the_openings_id_turns_nothing_later(community: Community) -> None:
    """The same mail comes a day after the proposal was rejected. It stays rejected."""
    subject = "Re: KIP-7 shelves"
    community.follow(*honest_vote().values(), *votes("-1 (binding)", subject), day=6)
    assert community.stage() == "Rejected"

    community.follow(Mail(name="vote", by=FISK, day=6.5, body="Nice", subject=subject, answers=""), day=7)
    assert community.stage() == "Rejected"


def test_no_votes_are_drawn_to_another_proposal(community: Community) -> None:
    """A stranger calls a vote on KIP-9 under KIP-7's title, and answers it under the id of KIP-7's opening. Votes that
    answer KIP-7's opening without its number do not accept KIP-9."""
    plus = votes("+1 (binding)", "Re: Tidy shelves")
    own = Mail(name="e9", by=FISK, day=1.1, body="I call a vote.", subject=NINE, answers="")
    taken = Mail(name="vote", by=FISK, day=1.2, body="hm", subject="Re: Tidy shelves", answers="e9")
    passed = "The vote passes with 3 binding +1 votes and no others."
    result = Mail(name="e9r", by=FISK, day=5, body=passed, subject=f"[RESULT] {NINE}", answers="e9")
    community.follow(honest_vote()["vote"], *plus, own, taken, result, day=6)

    assert is_settled_by_people(community, "Vote", "Discussion", "Draft", number=9)


@pytest.mark.parametrize("answered", ["gone", "chat"])
def test_a_mail_between_a_vote_and_its_answers_hides_none(community: Community, answered: str) -> None:
    """A stranger's mail names the vote among its References, but answers a mail of another thread, or none that is
    held. Vetoes that answer it belong to the vote."""
    chat = Mail(name="chat", by=FISK, day=0.5, body="hello", subject="Chat", answers="")
    more = "References: <vote@m.example>\n" if answered == "chat" else ""
    between = Mail(
        name="mid", by=FISK, day=1.9, body="Why?", subject="Re: Tidy shelves", answers=answered, headers=more
    )
    named = "References: <vote@m.example> <mid@m.example>\n"
    vetoes = votes("-1 (binding)", "Re: Tidy shelves", answers="mid", headers=named)
    community.follow(chat, *honest_vote().values(), between, *vetoes, day=6)

    assert is_settled_by_people(community, "Rejected")


def test_a_vote_in_no_thread_under_a_title_of_two_proposals_is_asked_about(community: Community) -> None:
    """Two votes have one title, and name their proposals in the text only; ballots answer no mail. A person says to
    which of the two each belongs."""
    title = "[VOTE] Tidy shelves"
    own = Mail(name="e9", by=FISK, day=0.5, body="I call a vote on KIP-9.", subject=title, answers="")
    called = Mail(name="vote", by=LIND, day=1, body="I call a vote on KIP-7.", subject=title, answers="")
    community.follow(own, called, *votes("-1 (binding)", f"Re: {title}", answers=""), day=6)

    assert is_settled_by_people(community, number=9)


def test_a_vote_on_another_matter_below_a_proposals_discussion_accepts_nothing(community: Community) -> None:
    """A stranger calls a vote on a harmless matter, without a number, in answer to KIP-7's discussion. Committers
    carry it, and KIP-7 is not accepted."""
    talk = Mail(name="talk", by=LIND, day=0.5, body="What of it?", subject="[DISCUSS] KIP-7: Tidy shelves", answers="")
    title = "[VOTE] A new picture for the wall"
    called = Mail(name="pic", by=FISK, day=1, body="I call a vote.", subject=title, answers="talk")
    passed = "The vote passes with 3 binding +1 votes and no others."
    result = Mail(name="picr", by=FISK, day=5.5, body=passed, subject=f"[RESULT] {title}", answers="pic")
    community.follow(talk, called, *votes("+1 (binding)", f"Re: {title}", answers="pic"), result, day=6)

    assert is_settled_by_people(community, "Discussion")


# -- rounds of a stranger's own --------------------------------------------------------------------------------
def opened(day: float) -> Mail:
    return Mail(name="evote", by=FISK, day=day, body="I call a vote on this proposal.", subject=VOTE, answers="")


def ended(day: float, words: str, tag: str = "[RESULT]") -> Mail:
    return Mail(name="eres", by=FISK, day=day, body=words, subject=f"{tag} {VOTE}", answers="evote")


def test_nobody_rejects_somebody_elses_proposal_alone(community: Community) -> None:
    """A stranger calls a vote on a proposal in discussion, and calls it failed. Nobody whose vote binds took part: a
    person is asked."""
    talk = Mail(
        name="talk", by=LIND, day=0.1, body="What do you think?", subject="[DISCUSS] KIP-7: Tidy shelves", answers=""
    )
    community.follow(talk, opened(1), ended(1.1, "The vote has failed."), day=6)

    assert community.stage() == "Vote"
    assert community.questions()


def test_a_strangers_round_hides_no_question_about_the_one_before(community: Community) -> None:
    """A vote is announced and waits for answers; a stranger opens the next round and calls it failed. The questions
    stay, and nothing is rejected."""
    forged = [
        Mail(name=stem, by=f"{name} <{stem}@evil.example>", day=2.3, body="-1 (binding)")
        for stem, name in (("r", "Rune Berg"), ("k", "Kim Osei"))
    ]
    community.follow(*honest_vote().values(), *forged, day=6)
    assert community.questions()

    community.follow(opened(6.1), ended(9.5, "The vote failed."), day=10)
    assert community.stage() == "Vote"
    assert community.questions()


def test_a_strangers_round_takes_no_votes_of_the_one_before(community: Community) -> None:
    """The result is announced too early, and a stranger opens a round of their own. Vetoes that answer no mail count
    in the first, or are asked about."""
    mails = honest_vote()
    mails["result"] = replace(mails["result"], day=2.05)
    community.follow(*mails.values(), *votes("-1 (binding)", f"Re: {VOTE}", answers=""), opened(2.08), day=6)

    assert is_settled_by_people(community, "Rejected")


@pytest.mark.parametrize("cancels", [False, True])
def test_who_opens_first_under_a_title_gains_nothing(community: Community, cancels: bool) -> None:
    """A stranger opens a vote under the title two days before its author does, whose call holds a vote of their own.
    Neither ends the period early nor is called off without a question."""
    mails = honest_vote()
    del mails["one"]
    mails["vote"] = replace(mails["vote"], body="Hi all, KIP-7 is ready now.\n\n+1 (binding) from me.")
    if cancels:
        community.follow(opened(-1), *mails.values(), ended(2.5, "I cancel this vote.", "[CANCEL]"), day=6)
    else:
        mails["result"] = replace(mails["result"], day=2.5)
        community.follow(opened(-1), *mails.values(), day=2.6)

    assert is_settled_by_people(community, "Vote")


def test_a_vote_in_answer_to_a_digest_is_asked_about_and_no_more_than_twenty_of_one_mail(community: Community) -> None:
    """Thirty votes run; an answer to a digest under a committer's address votes on all of them. Twenty of them ask."""
    calls = [
        Mail(name=f"k{n}", by=LIND, day=1, body="I call a vote.", subject=f"[VOTE] KIP-{n}: Shelf {n}", answers="")
        for n in range(1, 31)
    ]
    words = "On " + ", ".join(f"KIP-{n}" for n in range(1, 31)) + ":\n\n+1 (binding)"
    digest = Mail(name="d", by=BERG, day=2, body=words, subject="Re: dev Digest 2 Mar 2026 Issue 12", answers="")
    community.follow(*calls, digest, day=3)

    assert len([question for question in community.questions() if question["kind"] == "ballot"]) == 20

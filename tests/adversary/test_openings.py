"""What opens a vote, and on what: no mail of a stranger takes a vote's place, its votes or its proposal"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.adversary.conftest import (
    BERG,
    DAY,
    LIND,
    LIST,
    MONDAY,
    OSEI,
    PETIT,
    RECEIVER,
    VOTE,
    Community,
    Mail,
    honest_vote,
)

FISK = "Tom Fisk <t@evil.example>"
PASSES = "The vote passes with 3 binding +1 votes and no others."


def stranger(name: str, day: float, body: str, subject: str, answers: str = "", **more: Any) -> Mail:
    return Mail(name=name, by=more.pop("by", FISK), day=day, body=body, subject=subject, answers=answers, **more)


def votes(words: str, subject: str, answers: str, day: float = 2.1) -> list[Mail]:
    people = (PETIT, OSEI, BERG)
    return [
        Mail(name=f"v{n}", by=by, day=day + n / 10, body=words, subject=subject, answers=answers)
        for n, by in enumerate(people)
    ]


def carried(subject: str, stem: str = "r") -> list[Mail]:
    """The honest vote's mails under another subject and other ids."""
    return [
        replace(
            mail,
            name=stem + mail.name,
            answers=stem + mail.answers if mail.answers else "",
            subject=mail.subject.replace(VOTE, subject),
        )
        for mail in honest_vote().values()
    ]


def is_open_or_asked(community: Community, *stages: str, number: int = 7) -> bool:
    return community.stage(number) in stages or bool(community.questions())


@pytest.mark.parametrize(
    ("subject", "stolen"),
    [
        ("Re: KIP-7 shelves", "Re: KIP-7 shelves"),
        ("Re: KIP-7 shelves", "KIP-7 hello"),
        ("Re: Tidy shelves", "KIP-7 hello"),
        ("Re: [DISCUSS] KIP-7: Tidy shelves", "Re: [DISCUSS] KIP-7: Tidy shelves"),
    ],
)
def test_a_mail_under_the_openings_id_hides_no_answer_to_an_answer(
    community: Community, subject: str, stolen: str
) -> None:
    """Three vetoes answer a committer's remark in the vote's thread by In-Reply-To alone; a stranger sends a mail
    under the opening's id. They count, or are asked about.
    """
    remark = Mail(name="g", by=OSEI, day=1.7, body="What about oak?", subject=subject)
    taken = stranger("vote", 1.8, "Nice", stolen, "gone")
    community.follow(*honest_vote().values(), remark, *votes("-1 (binding)", subject, "g"), taken, day=9)

    assert is_open_or_asked(community, "Rejected", "Vote")


def test_a_rejection_by_answers_to_an_answer_is_not_turned_afterwards(community: Community) -> None:
    """The same mail comes three days after such vetoes rejected the proposal. It stays rejected."""
    subject = "Re: KIP-7 shelves"
    remark = Mail(name="g", by=OSEI, day=1.7, body="What about oak?", subject=subject)
    community.follow(*honest_vote().values(), remark, *votes("-1 (binding)", subject, "g"), day=6)
    assert community.stage() == "Rejected"

    community.follow(stranger("vote", 6.5, "Nice", subject, "gone"), day=9)
    assert is_open_or_asked(community, "Rejected")


def test_no_answers_to_an_answer_are_drawn_to_another_proposal(community: Community) -> None:
    """Three +1 for KIP-7 answer a remark in its thread; a stranger calls a vote on KIP-9 under the same title, and
    sends a mail under the id of KIP-7's opening that answers it. They do not accept KIP-9.
    """
    subject = "Re: Tidy shelves"
    remark = Mail(name="g", by=OSEI, day=1.7, body="What about oak?", subject=subject)
    nine = "[VOTE] KIP-9: Tidy shelves"
    own = [
        stranger("e9", 0.4, "I call a vote", nine),
        stranger("vote", 1.8, "Nice", subject, "e9"),
        stranger("e9r", 5, PASSES, f"[RESULT] {nine}", "e9"),
    ]
    community.follow(honest_vote()["vote"], remark, *votes("+1 (binding)", subject, "g"), *own, day=9)

    assert is_open_or_asked(community, "Vote", "Discussion", number=9)


TALK = Mail(name="talk", by=LIND, day=0.5, body="What of it?", subject="[DISCUSS] KIP-7: Tidy shelves", answers="")


def late_vote(ended: float = 4.5) -> list[Mail]:
    """A vote that its author opens on day 4 in answer to the discussion, with a vote of her own."""
    body = "Hi all,\n\nKIP-7 is ready now. I call a vote.\n\n+1 (binding) from me."
    return [
        TALK,
        replace(honest_vote()["vote"], day=4, body=body, answers="talk"),
        Mail(name="two", by=OSEI, day=4.2, body="+1 (binding)"),
        Mail(name="three", by=BERG, day=4.3, body="+1 (binding)"),
        replace(honest_vote()["result"], day=ended),
    ]


def under_discussions_id() -> Mail:
    return stranger("talk", 0.6, "I call a vote on this proposal.", VOTE)


def named_in_references() -> Mail:
    return stranger("root0", 0.6, "I call a vote on this proposal.", VOTE)


@pytest.mark.parametrize("make", [under_discussions_id, named_in_references])
def test_the_real_opening_is_no_ballot_in_a_strangers_vote(community: Community, make: Callable[[], Mail]) -> None:
    """A stranger sends "[VOTE] KIP-7" three days before its author, under the id of her discussion or named by its
    thread; her call answers the discussion, holds her own +1, and is announced after half a day. It is a call
    of its own, and its vetoes are heard or asked about.
    """
    mails = late_vote()
    if make is named_in_references:
        more = "References: <root0@m.example> <talk@m.example>\n"
        mails[0] = replace(mails[0], answers="root0")
        mails[1] = replace(mails[1], headers=more)
    community.follow(*mails, make(), *votes("-1 (binding)", f"Re: {VOTE}", "vote", day=6), day=9)

    assert is_open_or_asked(community, "Rejected", "Vote")


def test_the_real_opening_may_answer_a_strangers(community: Community) -> None:
    """A stranger calls the vote in the discussion, and the author answers him with a call of her own, announced after
    half a day. The vetoes of its third day are heard or asked about.
    """
    mails = late_vote()
    mails[1] = replace(mails[1], answers="early")
    early = stranger("early", 0.6, "I call a vote.", VOTE, "talk")
    community.follow(*mails, early, *votes("-1 (binding)", f"Re: {VOTE}", "vote", day=6), day=9)

    assert is_open_or_asked(community, "Rejected", "Vote")


@pytest.mark.parametrize("subject", [f"[CANCEL] {VOTE}", f"Re: {VOTE}"])
def test_a_stranger_does_not_call_off_the_vote_that_the_author_opened(community: Community, subject: str) -> None:
    """A stranger who called the vote first calls it off, with the author's own call and three +1. A person is asked."""
    cancel = stranger("c", 4.4, "I cancel this vote.", subject, "talk")
    community.follow(*late_vote(7.5), under_discussions_id(), cancel, day=9)

    assert is_open_or_asked(community, "Accepted", "Vote")


def test_a_stranger_does_not_announce_the_vote_that_the_author_opened(community: Community) -> None:
    """A stranger who called the vote first announces a result half a day after the author's own call. A person is
    asked.
    """
    result = stranger("c", 4.4, PASSES, f"[RESULT] {VOTE}", "talk")
    community.follow(*late_vote()[:-1], under_discussions_id(), result, day=4.6)

    assert is_open_or_asked(community, "Vote", "Discussion")


def test_the_real_opening_may_hold_a_vote_and_answer_the_discussion(community: Community) -> None:
    """A stranger calls the vote in the discussion; the author's call answers the discussion, with her own +1 and no
    word of a call, and is announced half a day later. A person is asked.
    """
    mails = late_vote()
    mails[1] = replace(mails[1], body="Hi all,\n\nKIP-7 is ready now.\n\n+1 (binding) from me.")
    early = stranger("early", 0.6, "I call a vote.", VOTE, "talk")
    community.follow(*mails, early, day=5)

    assert is_open_or_asked(community, "Vote")


WALL = "[VOTE] A new picture for the wall"


@pytest.mark.parametrize("day", [0.6, 2.5, 7.0])
def test_a_vote_on_another_matter_is_given_no_number_by_a_stranger(community: Community, day: float) -> None:
    """Committers carry a vote that names no proposal; a stranger sends a mail under its subject, before, during or
    after it, that calls it a vote on KIP-7. KIP-7 is not accepted by it.
    """
    poison = stranger("p", day, "I call a vote on KIP-7.", WALL)
    community.follow(TALK, *carried(WALL), poison, day=9)

    assert community.stage() != "Accepted"


def test_a_vote_on_another_matter_rejects_no_proposal(community: Community) -> None:
    """KIP-7 is carried, and the same people turn down another matter; a stranger's mail makes that a vote on KIP-7.
    KIP-7 is not rejected by it.
    """
    wall = [replace(carried(WALL)[0], day=1.5), *votes("-1", f"Re: {WALL}", "rvote")]
    poison = stranger("p", 0.2, "I call a vote on KIP-7.", WALL)
    community.follow(*honest_vote().values(), *wall, poison, day=9)

    assert community.stage() != "Rejected"


def with_verdict(mail: Mail, verdict: str) -> bytes:
    envelope, _, rest = mail.render().partition(b"\n")
    return envelope + f"\nAuthentication-Results: {RECEIVER}; {verdict}\n".encode() + rest


@pytest.mark.parametrize("senders", ["ask", "authenticated"])
@pytest.mark.parametrize(
    ("subject", "words", "stage"),
    [
        (f"[CANCEL] {VOTE}", "I cancel this vote.", "Discussion"),
        ("", PASSES, "Accepted"),
        (f"Re: {VOTE}", "I am restarting the vote. All votes so far are void, please vote again.", "Vote"),
    ],
)
def test_a_forged_caller_that_the_receiving_host_saw_through_is_not_believed(
    community: Community, senders: str, subject: str, words: str, stage: str
) -> None:
    """Somebody on no roster calls a vote; a stranger forges that address, which the receiving host saw through, and
    calls the vote off, announces it or begins it anew. None is obeyed without a person's word.
    """
    community.write_config(archive={"receivers": [RECEIVER]}, policy={"senders": senders})
    dee = "Dee Roe <dee@else.example>"
    mails = honest_vote()
    mails["vote"] = replace(mails["vote"], by=dee)
    del mails["result"]
    mails["four"] = Mail(name="four", by=PETIT, day=2.2, body="+1 (binding)")
    forged = stranger("c", 5, words, subject or f"[RESULT] {VOTE}", "vote", by=dee)
    passed = "dkim=pass header.d=village.example; dmarc=pass header.from=village.example"
    stored = [with_verdict(mail, passed) for mail in mails.values()]
    stored[0] = with_verdict(mails["vote"], "dmarc=pass header.from=else.example")
    failed = with_verdict(forged, "dmarc=fail header.from=else.example")
    community.archive.mails[LIST, "2026-03"] = [*stored, failed]
    community.follow(day=9)

    assert community.stage() != stage or community.questions()


@pytest.mark.parametrize("cancels", [True, False])
def test_a_strangers_round_hides_no_question_about_an_announcement(community: Community, cancels: bool) -> None:
    """The caller announces a vote as failed that its ballots carry; a stranger opens a round a day later, and calls it
    off. The question stays.
    """
    mails = honest_vote()
    mails["result"] = replace(mails["result"], body="The vote failed.")
    community.follow(*mails.values(), day=5.8)
    assert community.questions()

    again = [
        stranger("ev", 6, "I call a vote.", VOTE),
        stranger("ec", 6.1, "I cancel this vote.", f"[CANCEL] {VOTE}", "ev"),
    ]
    community.follow(*again[: 1 + cancels], day=9)
    assert community.questions()


@pytest.mark.parametrize("ended_by", ["stranger", "caller"])
def test_a_stranger_supplies_no_opening_that_is_not_held(community: Community, ended_by: str) -> None:
    """The archive is followed since after the vote's opening; a stranger sends an opening under its subject. The votes
    that answer the missing one are none of his.
    """
    mails = honest_vote()
    del mails["vote"]
    by = FISK if ended_by == "stranger" else LIND
    mails["result"] = replace(mails["result"], by=by)
    opened = stranger("ev", 1.15, "I call a vote on this proposal.", VOTE)
    community.follow(*mails.values(), opened, day=9)

    assert is_open_or_asked(community, "Vote")


def test_a_stranger_does_not_call_off_a_vote_whose_opening_is_not_held(community: Community) -> None:
    """A stranger opens a vote anew whose opening is not held, after its votes were cast, and calls it off. The vote
    goes on, or a person is asked.
    """
    mails = honest_vote()
    del mails["vote"], mails["result"]
    own = [
        stranger("ev", 2.5, "I call a vote.", VOTE),
        stranger("ec", 3, "I cancel this vote.", f"[CANCEL] {VOTE}", "ev"),
    ]
    community.follow(*mails.values(), *own, day=9)

    assert is_open_or_asked(community, "Vote")


def test_a_stranger_does_not_name_the_proposal(community: Community) -> None:
    """In a community without a wiki a stranger writes of KIP-7 first, under a title of his own. It has the title under
    which most people write.
    """
    first = stranger("d", 0.1, "hm", "[DISCUSS] KIP-7: Burn the shelves")
    community.follow(TALK, *honest_vote().values(), first, day=9)

    assert community.status()["title"] == "Tidy shelves" or community.questions()


def test_a_callers_reminder_voids_no_votes_in_silence(community: Community) -> None:
    """The caller reminds people of a running vote under its very subject, without "Re:". Its votes and its result
    stand, or a person is asked.
    """
    again = Mail(name="again", by=LIND, day=1.9, body="A reminder: please cast your vote.", subject=VOTE, answers="")
    community.follow(*honest_vote().values(), again, day=9)

    assert is_open_or_asked(community, "Accepted")


@pytest.mark.parametrize(("begins_anew", "counted"), [(False, {1: 3}), (True, {2: 3})])
def test_answers_to_an_opening_that_nobody_has_replace_no_vote(
    community: Community, begins_anew: bool, counted: dict[int, int]
) -> None:
    """Somebody on no roster calls a vote, and may begin it anew; two strangers answer a mail that nobody has, under its
    subject. The votes cast since count where they were cast.
    """
    dee, subject = "Dee Roe <dee@else.example>", f"Re: {VOTE}"
    anew = Mail(name="anew", by=dee, day=3, body="I am restarting the vote. Please vote again.")
    lost = [stranger(f"s{n}", 2 + n / 10, "+1", subject, "gone", by=f"S{n} <s{n}@evil.example>") for n in (1, 2)]
    own = [replace(honest_vote()["vote"], by=dee), *([anew] if begins_anew else [])]
    community.follow(*own, *lost, *votes("+1 (binding)", subject, "vote", day=3.5), day=9)

    tallies = {vote["round"]: vote["tally"]["binding"]["+1"] for vote in community.status()["votes"]}
    assert {number: plus for number, plus in tallies.items() if plus} == counted
    assert begins_anew or "ending" in [question["kind"] for question in community.questions()]


POLL = "[BALLOT] KIP-7: Tidy shelves"


def ballot(*voters: str, words: str = "+1 (binding)") -> list[Mail]:
    """A vote under a tag that nobody knows, its votes, and its result."""
    opening = replace(honest_vote()["vote"], name="poll", subject=POLL)
    cast = [
        Mail(name=f"b{n}", by=by, day=1.5 + n / 10, body=words, subject=f"Re: {POLL}", answers="poll")
        for n, by in enumerate(voters)
    ]
    return [opening, *cast, replace(honest_vote()["result"], subject=f"[RESULT] {POLL}", answers="poll")]


@pytest.mark.parametrize(("answer", "stage"), [("accept", "Accepted"), ("refuse", "Draft")])
def test_a_vote_under_an_unknown_tag_is_asked_about(community: Community, answer: str, stage: str) -> None:
    """A community calls its vote under a tag that nobody told kipflow. Nothing is accepted, and a person is asked
    whether it is a vote, which then counts.
    """
    community.follow(*ballot(LIND, OSEI, BERG), day=6)

    assert community.stage() == "Draft"
    [asked] = community.questions()
    assert (asked["kind"], asked["subject"]) == ("ending", "<poll@m.example>")
    assert "its tag is none that is known" in asked["question"]
    assert asked["question"].endswith("is it a vote?")
    said = community.run("review", "ending", 7, "<poll@m.example>", answer, "--reason", "asked them", "--as-of",
                         (MONDAY + 7 * DAY).isoformat())  # fmt: skip
    assert said.code == 0
    community.follow(day=8)
    assert community.stage() == stage


@pytest.mark.parametrize(
    "mails",
    [
        ballot(LIND),
        ballot(LIND, OSEI, words="I like it. What of oak?"),
        [replace(mail, subject=mail.subject.replace("[BALLOT]", "[DISCUSS]")) for mail in ballot(LIND, OSEI)],
    ],
    ids=["one votes", "talk", "discussion"],
)
def test_no_thread_is_taken_for_a_vote_in_which_nobody_votes(community: Community, mails: list[Mail]) -> None:
    """A thread on a proposal has an unknown tag or a discussion's, and is no vote. Nobody is asked about it."""
    community.follow(*mails[:-1], day=6)

    assert community.stage() in {"Draft", "Discussion"}
    assert community.questions() == []


def test_a_vote_that_runs_is_not_held_up_by_votes_under_an_unknown_tag(community: Community) -> None:
    """While a vote runs, a stranger starts a thread on its proposal under an odd tag, in which two agree. The vote is
    decided, and nobody is asked.
    """
    odd = stranger("odd", 1.2, "Vote soon!", "[HURRY] KIP-7: Tidy shelves")
    agree = [replace(mail, name=f"o{n}", subject="Re: [HURRY] KIP-7: Tidy shelves", answers="odd")
             for n, mail in enumerate(ballot(LIND, OSEI)[1:3])]  # fmt: skip
    community.follow(*honest_vote().values(), odd, *agree, day=6)

    assert community.stage() == "Accepted"
    assert community.questions() == []

"""Subjects in all their forms."""

from __future__ import annotations

import pytest

from kipflow.domain.facts import MailKind
from kipflow.mail.subjects import drop_repeated_marks, parse_subject
from kipflow.mail.trackers import parse_mirrored

FORMS = [
    ("[VOTE] KIP-932: Queues", MailKind.VOTE, False, (932,), None, "kip-932: queues"),
    ("RE: Re: [VOTE] KIP 932", MailKind.VOTE, True, (932,), None, "kip 932"),
    ("Re: " * 100 + "[VOTE] KIP 932", MailKind.VOTE, True, (932,), None, "kip 932"),
    ("[Vote] kip-0932 queues", MailKind.VOTE, False, (932,), None, "kip-0932 queues"),
    ("[VOTE] KIP-12 v2", MailKind.VOTE, False, (12,), 2, "kip-12"),
    ("[VOTE] KIP-12: x (take 3)", MailKind.VOTE, False, (12,), 3, "kip-12: x"),
    ("[VOTE 2] KIP-12 x", MailKind.VOTE, False, (12,), 2, "kip-12 x"),
    ("[VOTE] Foo - second attempt", MailKind.VOTE, False, (), 2, "foo"),
    ("[VOTE] KIP-12: Message format v2", MailKind.VOTE, False, (12,), None, "kip-12: message format v2"),
    ("[VOTE] Release Foo 1.0.0 (RC2)", MailKind.VOTE, False, (), None, "release foo 1.0.0 rc2"),
    ("[DISCUSSION] KIP-12 x", MailKind.DISCUSS, False, (12,), None, "kip-12 x"),
    ("[KIP-DISCUSSION] KIP-12 x", MailKind.DISCUSS, False, (12,), None, "kip-12 x"),
    # tags in other languages
    ("[DISKUSSION] KIP-12 x", MailKind.DISCUSS, False, (12,), None, "kip-12 x"),
    ("[ABSTIMMUNG] KIP-12 x", MailKind.VOTE, False, (12,), None, "kip-12 x"),
    ("AW: [Abstimmung] KIP-12 x", MailKind.VOTE, True, (12,), None, "kip-12 x"),
    ("[ERGEBNIS] [ABSTIMMUNG] KIP-12 x", MailKind.RESULT, False, (12,), None, "kip-12 x"),
    ("[ABSTIMMUNG][ABGEBROCHEN] KIP-12 x", MailKind.CANCEL, False, (12,), None, "kip-12 x"),
    ("[Votación] KIP-12 x", MailKind.VOTE, False, (12,), None, "kip-12 x"),
    ("[RESULTADO] KIP-12 x", MailKind.RESULT, False, (12,), None, "kip-12 x"),
    ("[投票] KIP-12 x", MailKind.VOTE, False, (12,), None, "kip-12 x"),
    ("[投票结果] KIP-12 x", MailKind.RESULT, False, (12,), None, "kip-12 x"),
    ("[讨论] KIP-12 x", MailKind.DISCUSS, False, (12,), None, "kip-12 x"),
    ("【голосование】 KIP-12 x", MailKind.VOTE, False, (12,), None, "kip-12 x"),
    # a result alone is no tracker's word, what ended is
    ("[angenommen] KIP-12 x", MailKind.RESULT, False, (12,), None, "kip-12 x"),
    ("[angenommen] x", MailKind.OTHER, False, (), None, "x"),
    ("KIP-12 accepted", MailKind.RESULT, False, (12,), None, "kip-12 accepted"),
    ("KIP-12: x - withdrawn", MailKind.CANCEL, False, (12,), None, "kip-12: x"),
    ("KIP-12: Retry what failed", MailKind.OTHER, False, (12,), None, "kip-12: retry what failed"),
    ("[Votorantim] KIP-12 x", MailKind.OTHER, False, (12,), None, "kip-12 x"),
    ("[DISCUSS][VOTE] KIP-12", MailKind.DISCUSS, False, (12,), None, "kip-12"),
    ("[RESULT] [VOTE] KIP-12", MailKind.RESULT, False, (12,), None, "kip-12"),
    ("[RESULTS] KIP-12 x", MailKind.RESULT, False, (12,), None, "kip-12 x"),
    ("[VOTE][RESULT] Foo", MailKind.RESULT, False, (), None, "foo"),
    ("KIP-12 vote result", MailKind.RESULT, False, (12,), None, "kip-12"),
    ("Results of the vote on KIP-12", MailKind.RESULT, False, (12,), None, "kip-12"),
    ("[VOTE] Adopt the results of the survey", MailKind.VOTE, False, (), None, "adopt the results of the survey"),
    ("[CANCELED] [VOTE] Foo", MailKind.CANCEL, False, (), None, "foo"),
    ("[VOTE] KIP-12: x [CANCELLED]", MailKind.CANCEL, False, (12,), None, "kip-12: x"),
    ("[REMINDER] [VOTE] KIP-12", MailKind.VOTE, True, (12,), None, "kip-12"),
    ("回复：[VOTE] KIP-12 x", MailKind.VOTE, True, (12,), None, "kip-12 x"),
    ("[EXTERNAL] AW: [VOTE] KIP-12", MailKind.VOTE, True, (12,), None, "kip-12"),
    ("[VOTE] KIP-12 and KIP-13: a", MailKind.VOTE, False, (12, 13), None, "kip-12 and kip-13: a"),
    ("[VOTE] KIP-12 and KIP-123456: a", MailKind.VOTE, False, (12,), None, "kip-12 and kip-123456: a"),
    ("[VOTE] KIP-12 and KIP-0: a", MailKind.VOTE, False, (12,), None, "kip-12 and kip-0: a"),
    ("[VOTE] KIP-12: Extend KIP-9", MailKind.VOTE, False, (12,), None, "kip-12: extend kip-9"),
    ("[DISCUSS] other (was: Re: [VOTE] KIP-12)", MailKind.DISCUSS, False, (), None, "other"),
    ("Automatic reply: [VOTE] KIP-12", MailKind.OTHER, False, (), None, "automatic reply: [vote] kip-12"),
    ("[jira] [Created] (X-1) [VOTE] KIP-12", MailKind.OTHER, False, (), None, "[jira] [created] (x-1) [vote] kip-12"),
    ("[VOTE] KIP\uff0d12: x", MailKind.VOTE, False, (12,), None, "kip-12: x"),
    ("Re: [VOTE] KIP_12 x", MailKind.VOTE, True, (12,), None, "kip-12 x"),
    ("[VOTE] KIP\u201112 x", MailKind.VOTE, False, (12,), None, "kip-12 x"),
    ("VOTE: KIP-12 x", MailKind.VOTE, False, (12,), None, "kip-12 x"),
    ("", MailKind.OTHER, False, (), None, ""),
]


@pytest.mark.parametrize(
    ("subject", "kind", "is_reply", "numbers", "round_", "topic"), FORMS, ids=[f[0] for f in FORMS]
)
def test_a_subject_is_taken_apart(
    subject: str, kind: MailKind, is_reply: bool, numbers: tuple[int, ...], round_: int | None, topic: str
) -> None:
    reading = parse_subject(subject, "KIP")
    assert (reading.kind, reading.is_reply, reading.numbers) == (kind, is_reply, numbers)
    assert (reading.round, reading.topic) == (round_, topic)


OWN = (
    ("tag_vote", "ballot"),
    ("tag_result", "tally"),
    ("tag_discuss", "idea"),
    ("tag_off", "void"),
    ("tag_vote", "票决"),
)


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("[BALLOT] KIP-12: x", MailKind.VOTE),
        ("[Balloting] KIP-12: x", MailKind.VOTE),
        ("[第二次票决] KIP-12: x", MailKind.VOTE),
        ("[TALLY] [BALLOT] KIP-12: x", MailKind.RESULT),
        ("[BALLOT][VOID] KIP-12: x", MailKind.CANCEL),
        ("[IDEA] KIP-12: x", MailKind.DISCUSS),
        ("[VOTE] KIP-12: x", MailKind.VOTE),
        ("[POLL] KIP-12: x", MailKind.OTHER),
    ],
)
def test_a_community_adds_words_of_its_own_to_those_of_tags(subject: str, kind: MailKind) -> None:
    assert parse_subject(subject, "KIP", own=OWN).kind is kind
    assert (parse_subject(subject, "KIP").kind is kind) is ("VOTE" in subject or "POLL" in subject)


def test_a_forward_is_no_reply() -> None:
    reading = parse_subject("Fwd: [VOTE] KIP-12", "KIP")
    assert (reading.is_forward, reading.is_reply) == (True, False)


def test_a_mirrored_issue_shows_who_wrote_there() -> None:
    mirrored = parse_mirrored("[GitHub] [names] mlind commented on issue #7: [VOTE] Release x")
    assert mirrored is not None
    assert (mirrored.login, mirrored.subject, mirrored.opens) == ("mlind", "[VOTE] Release x", False)


def test_each_mark_in_front_of_a_long_subject_counts_once() -> None:
    assert drop_repeated_marks("Re: RE: [x] Re: [x] Fwd: Names: Re: [x]") == "Re: [x] Fwd: Names: Re: [x]"
    assert drop_repeated_marks("Re: " * 4_000 + "Names") == "Re: Names"

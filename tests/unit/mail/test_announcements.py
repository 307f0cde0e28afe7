"""The same counts, announced in many layouts, are read the same; contradictions are noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kipflow.mail.results import may_deny
from tests.unit.mail.announcements import NAMES, NUMBERED, SPLIT, read_announcement

COUNTS = [(3, 0), (3, 1), (4, 3), (5, 9), (9, 5), (13, 27)]


def read_counts(body: str, *, reply: bool) -> tuple[str | None, int | None, int]:
    """The outcome and the binding and other +1 of an announcement that contradicts nothing and counts nothing else."""
    declared = read_announcement(body, reply=reply).declared
    assert declared is not None
    assert declared.contradictions == ()
    assert {name for names in declared.names.values() for name in names} <= set(NAMES)
    assert all(number == 0 for choice, number in (declared.total or {}).items() if choice != "+1")
    return declared.outcome, (declared.binding or {}).get("+1"), (declared.non_binding or {}).get("+1", 0)


@pytest.mark.parametrize("reply", [False, True], ids=["tagged", "plain reply"])
@pytest.mark.parametrize("counts", COUNTS, ids=str)
@pytest.mark.parametrize("layout", SPLIT)
def test_counts_are_read_in_every_layout(layout: str, counts: tuple[int, int], *, reply: bool) -> None:
    binding, other = counts
    body = SPLIT[layout](NAMES[:binding], NAMES[binding : binding + other])
    assert read_counts(body, reply=reply) == ("passed", binding, other)


@pytest.mark.parametrize("layout", NUMBERED)
def test_a_number_that_contradicts_the_names_is_reported(layout: str) -> None:
    body = SPLIT[layout](NAMES[:4], NAMES[4:6])
    wrong = body.replace("4", "5", 1)
    assert wrong != body
    declared = read_announcement(wrong, reply=False).declared
    assert declared is not None
    assert declared.contradictions == ("the announcement says 5 binding +1 but names 4",)


@pytest.mark.realdata
@pytest.mark.parametrize("layout", SPLIT)
def test_every_official_tally_is_read_in_every_layout(realdata: Path, layout: str) -> None:
    text = (realdata / "votes" / "official_results.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    stated = [
        (r["claimed"]["+1"], r["claimed_binding"]["+1"]) for r in rows if r.get("claimed") and r.get("claimed_binding")
    ]
    assert len(stated) > 10
    for total, binding in stated:
        body = SPLIT[layout](NAMES[:binding], NAMES[binding:total])
        assert read_counts(body, reply=False) == ("passed", binding, total - binding)


@pytest.mark.parametrize(("result", "denies"), [("passed with three", False), ("failed with one", True)])
def test_a_later_word_that_it_is_over_speaks_against_what_failed_only(result: str, *, denies: bool) -> None:
    known = read_announcement(f"The vote has {result} binding +1.", reply=True).declared
    later = read_announcement("So that one is in, thanks all!", reply=True).declared
    assert known is not None
    assert later is not None
    assert known.outcome == result.split()[0]
    assert may_deny(later, known) is denies


@pytest.mark.parametrize(
    ("listed", "read"),
    [
        ("By my book: Jun +1, Ana +1, Kim +0.5, all binding.", []),
        ("Binding: +4 (Jun, Ana, Kim, Rune)\nNon-binding: +0.9 (Tess, rounded up)", []),
        ("2 binding +1 (Jun, me), 3 binding -1 (Ana, Kim, Rune). Mine is not binding.", ["hint"]),
        ("2 binding +1 (Jun, me), 3 binding -1 (Ana, Kim, Rune).", ["clear"]),
        ("3 binding +1.\n\nVote: +1", ["hint"]),
        ("3 binding +1.\n\nNon-binding: +0.9 (Mara, rounded up)", ["hint"]),
    ],
)
def test_values_beside_the_names_of_others_are_no_question_about_a_vote_of_who_announces(
    listed: str, read: list[str]
) -> None:
    message = read_announcement(f"The vote is over.\n\n{listed}\n\nThe vote has ended, KIP-7 is accepted.", reply=True)
    assert [vote.standing for vote in message.expressions] == read


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Thanks Mara, Jun, Ana. Sorry: -1 (binding)", "Re: [RESULT] [VOTE] KIP-7: Shorter names"),
        ("Votes so far: Jun +1, Ana +1. Verdict: -1", "Re: [RESULT] [VOTE] KIP-7: Shorter names"),
        ("The results are fine. Conclusion: +1 (binding)", "Re: [VOTE] KIP-7: Shorter names"),
        ("Thanks all for voting. Verdict: -1 (binding)", "Re: [VOTE] KIP-7: Shorter names"),
        ("The vote passed:\n+1 Jun Lind\n+1 Ana Petit\n\nVerdict: -1 (binding)", "Re: [VOTE] KIP-7: Shorter names"),
        (
            "+1 (binding), the tests pass.\n\nThe vote passed:\n+1 Jun Lind\n+1 Ana Petit",
            "Re: [VOTE] KIP-7: Shorter names",
        ),
    ],
)
def test_a_word_before_or_behind_a_vote_is_not_taken_for_the_voter_in_a_result(text: str, subject: str) -> None:
    assert read_announcement(text, reply=False, subject=subject).expressions


@pytest.mark.parametrize(
    "text", ["Approved: Jun, Ana", "Approve: Jun, Ana (PR #12)", "Reviewers: Jun, Ana. Approve: Kim."]
)
def test_reviewers_who_approve_end_no_vote(text: str) -> None:
    declared = read_announcement(text, reply=True).declared
    assert declared is None or declared.unclear


@pytest.mark.parametrize(
    "text",
    [
        "+1 (binding)\n\nPassed on 17 and 21\n\nThanks, Kim",
        "-1 (binding)\n\n- tests: failed (2)\n- build: passed",
        "+1 (binding)\n\nJava: 17\nTests: passed",
        "+1 (binding)\n\nPassed: 12\nFailed: 0",
        "+1 (binding)\n\n- signatures: passed\n- tests: passed (120)\n- build: 3 minutes",
        "+1\n\n1. Build: passed\n2. Tests: 120",
        "+1 (binding)\n\nIt accepted 3 requests, and rejected none. The test passed.",
        "+1 (binding)\n\nThe raft election test passed with 3 votes, none against.",
        "+1\n\nfor 3 topics: passed\nagainst 2 brokers: passed",
    ],
)
def test_a_report_below_a_vote_ends_no_vote(text: str) -> None:
    message = read_announcement(text, reply=True)
    assert message.declared is None
    assert [vote.standing for vote in message.expressions] == ["clear"]


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("My vote | +1 | binding\nDate | today | UTC", "clear"),
        ("[x] +1 | [ ] 0 | [ ] -1\nKim | Acme | dev", "clear"),
        ("Jun says it is ready, so I send it for him: +1 (binding)", "unclear"),
        ("Ana wrote that she votes for it, and I report it: +1 (binding)", "unclear"),
        ("My own: +1, cast on behalf of Jun", "unclear"),
        ("> My proposal is at this page:\n\nLooks good. +1 (binding)", "clear"),
        ("(I vote against.)", "clear"),
        ("The vote passed.\n\n- Jun Okafor: +1\n- Ana Petit: +1\n\n+1 (binding), as Jun Okafor said.", "hint"),
        ("+1 from me.\n\nThe vote passes with 5 +1 votes, 3 of them binding.", "clear"),
    ],
)
def test_whose_a_vote_is_beside_rows_reports_and_results(text: str, standing: str) -> None:
    message = read_announcement(text, reply=True)
    assert [vote.standing for vote in message.expressions] == [standing]
    assert message.declared is None or message.declared.contradictions == ()

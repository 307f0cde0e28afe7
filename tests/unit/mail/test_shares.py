"""One mail on several proposals: which value belongs to which."""

from __future__ import annotations

import pytest

from kipflow.mail.votes.shares import read_share
from tests.unit.mail.onemail import read_one


def share_of(body: str, number: int, siblings: tuple[int, ...]) -> list[tuple[str, str]]:
    """The mail's expressions in the vote on `number`: value and how sure."""
    head = (
        "From: Jun Okafor <jun@okafor.example>\nSubject: Re: [VOTE] KIP-7 and KIP-9\n"
        "Date: 3 Mar 2026 10:00:00 +0000\nMessage-ID: <a@x.example>\nIn-Reply-To: <root@x.example>\n\n"
    )
    return [
        (e.value, str(e.standing))
        for e in read_share(read_one(head + body), number, siblings, prefix="KIP").expressions
    ]


@pytest.mark.parametrize(
    ("body", "on_seven", "on_nine"),
    [
        ("KIP-7: +1 (binding)\nKIP-9: -1 (binding)\n", [("+1", "clear")], [("-1", "clear")]),
        ("+1 for KIP-7, -1 for KIP-9\n", [("+1", "clear")], [("-1", "clear")]),
        ("+1 (binding) on KIP-7 and -0 on KIP-9.\n", [("+1", "clear")], [("-0", "clear")]),
        ("I am +1 (binding) on KIP-7, and 0 on KIP-9 as it leaks.\n", [("+1", "clear")], [("0", "clear")]),
        ("KIP-7 +1\nKIP-9 -1\n\nThe second one breaks clients.\n", [("+1", "clear")], [("-1", "clear")]),
        ("+1 for KIP-7 and KIP-9\n", [("+1", "clear")], [("+1", "clear")]),
        ("+1 (binding) to both\n", [("+1", "clear")], [("+1", "clear")]),
        ("+1\n", [("+1", "clear")], [("+1", "clear")]),
        ("KIP-7: +1 (binding)\nKIP-9: 0\n", [("+1", "clear")], [("0", "clear")]),
        ("KIP-7 +1, KIP-9 0\n", [("+1", "clear")], [("0", "clear")]),
        ("KIP-7: +1\n", [("+1", "clear")], []),
        ("KIP-7: +1\nKIP-9: +1 if the default is 5\n", [("+1", "clear")], [("+1", "unclear")]),
    ],
)
def test_each_value_goes_to_the_proposal_that_it_stands_beside(
    body: str, on_seven: list[tuple[str, str]], on_nine: list[tuple[str, str]]
) -> None:
    assert share_of(body, 7, (7, 9)) == on_seven
    assert share_of(body, 9, (7, 9)) == on_nine


def test_a_number_stands_for_its_proposal_where_the_thread_puts_it_to_the_vote() -> None:
    body = "For 1134: +1 (binding). For 1135 it is -1 (binding), sorry.\n"
    assert share_of(body, 1134, (1134, 1135)) == [("+1", "clear")]
    assert share_of(body, 1135, (1134, 1135)) == [("-1", "clear")]


def test_a_small_number_may_count_anything() -> None:
    assert share_of("+1 (binding), we run 9 of them\n", 9, (7, 9)) == share_of("+1 (binding)\n", 9, (7, 9))


def test_what_must_not_be_is_no_doubt_about_a_vote_against() -> None:
    body = "KIP-7: +1 (binding)\nKIP-9: -1 (binding), the client must not know\n"
    assert share_of(body, 9, (7, 9)) == [("-1", "clear")]


def test_different_votes_that_name_no_proposal_wait_for_a_person() -> None:
    for number in (7, 9):
        [(_, standing)] = share_of("I vote +1 on the first one, but -1 on the second.\n", number, (7, 9))
        assert standing == "unclear"


def test_a_vote_that_names_a_proposal_of_another_thread_waits_for_a_person() -> None:
    assert share_of("+1 (binding) for KIP-43\n", 7, (7,)) == [("+1", "unclear")]


def test_a_proposal_named_without_a_value_that_is_read_waits_for_a_person() -> None:
    body = "+1 for KIP-7 and none for KIP-9\n"
    assert share_of(body, 7, (7, 9)) == [("+1", "clear")]
    assert share_of(body, 9, (7, 9)) == [("+1", "unclear")]


def test_a_proposal_that_is_only_mentioned_takes_no_vote_away() -> None:
    assert share_of("+1 (binding)\n\nThis goes well with KIP-43.\n", 7, (7,)) == [("+1", "clear")]

"""What a page's Current state means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.facts import StatusWord
from kipflow.wiki.status import parse_status

W = StatusWord


@pytest.mark.parametrize(
    ("text", "word"),
    [
        # every word that real pages use
        ("Draft", W.DRAFT),
        ("WIP", W.DRAFT),
        ("Work in progress", W.DRAFT),
        ("Under Discussion", W.DISCUSSION),
        ("Discussion", W.DISCUSSION),
        ("discussing", W.DISCUSSION),
        ("Under Discusion", W.DISCUSSION),
        ("In review", W.DISCUSSION),
        ("Voting", W.VOTE),
        ("Under Vote", W.VOTE),
        ("Vote in progress", W.VOTE),
        ("VOTE", W.VOTE),
        ("Accepted", W.ACCEPTED),
        ("ACCEPTED", W.ACCEPTED),
        ("Adopted", W.ACCEPTED),
        ("Accepted Adopted (1.0)", W.ACCEPTED),
        ("Approved", W.ACCEPTED),
        ("Vote passed", W.ACCEPTED),
        ("Implemented in 3.1", W.ACCEPTED),
        ("Rejected", W.REJECTED),
        ("Not Accepted", W.REJECTED),
        ("Not accepted", W.REJECTED),
        ("NOT\u00a0ACCEPTED", W.REJECTED),
        ("wasn\u2019t accepted", W.REJECTED),
        ("Voted down", W.REJECTED),
        ("Withdrawn", W.DISCARDED),
        ("Discarded", W.DISCARDED),
        ("Superseded", W.DISCARDED),
        ("Cancelled", W.DISCARDED),
        ("Abandoned", W.DISCARDED),
        ("Dormant", W.DORMANT),
        ("Inactive", W.DORMANT),
        ("on hold", W.DORMANT),
        # one word inside another's sentence
        ("superseded by KIP-848, which was accepted", W.DISCARDED),
        ("Discarded in favour of KIP-5 (accepted)", W.DISCARDED),
        ("Merged into KIP-500", W.DISCARDED),
        ("Replaced by KIP-7", W.DISCARDED),
        ("Accepted, supersedes KIP-5", W.ACCEPTED),
        ("Accepted (vote thread)", W.ACCEPTED),
        ("Accepted (WIP)", W.ACCEPTED),
        ("Under discussion (previously accepted)", W.DISCUSSION),
        ("Under Discussion, to be accepted soon", W.DISCUSSION),
        ("Ready for vote", W.DISCUSSION),
        ("Vote cancelled, back under discussion", W.DISCUSSION),
        ("No longer under discussion. Dormant", W.DORMANT),
        ("Not yet accepted, voting", W.VOTE),
        # not a state
        ("not yet accepted", W.UNKNOWN),
        ("unaccepted", W.UNKNOWN),
        ("TBD", W.UNKNOWN),
        ("", W.UNKNOWN),
        ("…", W.UNKNOWN),
        # the template
        ('[One of "Under Discussion", "Accepted", "Rejected"]', W.TEMPLATE),
        ('One of "Under Discussion", "Accepted", "Rejected"', W.TEMPLATE),
        ("\u201cUnder Discussion\u201d, \u201cAccepted\u201d, \u201cRejected\u201d", W.TEMPLATE),
        ("Under Discussion / Accepted / Rejected", W.TEMPLATE),
        # the template's hint left behind a word
        ('Under Discussion [One of "Under Discussion", "Accepted", "Rejected"]', W.DISCUSSION),
        ('[One of "Under Discussion", "Accepted", "Rejected"] Accepted', W.ACCEPTED),
        ('"Under Discussion"', W.DISCUSSION),
    ],
)
def test_a_status_means_what_a_reader_takes_it_for(text: str, word: StatusWord) -> None:
    assert parse_status(text) is word


@given(st.text(max_size=2_000))
def test_any_text_is_read_without_error(text: str) -> None:
    assert parse_status(text) in StatusWord


@given(st.sampled_from(["Accepted", "Rejected", "Draft", "Dormant", "Withdrawn"]), st.sampled_from(" .,;:\n\t*_"))
def test_case_and_what_stands_around_a_word_do_not_matter(word: str, around: str) -> None:
    assert parse_status(around + word.upper() + around) is parse_status(word.lower())

"""The same vote, however it is set on the page: a bullet, an arrow, a greeting or a quote around it changes nothing."""

from __future__ import annotations

import pytest

from kipflow.mail.quoting import find_own_words
from kipflow.mail.votes.reading import read_expressions

VOTES = (
    *("+1", "+1 (binding)", "-1 binding", "-1 (non-binding)", "+0", "+1 from me", "+1 (nb)", "+1, thanks"),
    *("plus one", "+1 for KIP-900", "I'm +1 on this", "My vote: +1", "LGTM +1"),
)
OUTLOOK = (
    "From: Ada Byron <ada@example.org>\nSent: Monday\nTo: dev@example.org\nSubject: [VOTE] KIP-900\n\n-1 would be bad"
)
GMAIL = "On Mon, 4 Mar 2024 at 10:00, Ada Byron <ada@example.org> wrote:"
FRAMES = (
    *("* {}", "- {}", "• {}", "1. {}", "1) {}", "(a) {}", "=> {}", "-> {}", "--> {}", "\t{}", "\u00a0{}\u00a0"),
    "... {}",
    *("*{}*", "_{}_", "`{}`", '"{}"', "({})", "[{}]", "<{}>", "# {}", "{}!", "{}.", "{};", "{} :)", "{} 🎉"),
    *("... {}", "🎉 {}", "{} / Mara", "{} -- Mara", "{}\n\nMara", "{}\nMara Lind, PhD"),
    "{}\n\n--\nMara Lind\n+1 415 555 0100",
    *("Hi Ada, {}", "Hi all,\n\n{}\n\nBest,\nMara", "Thanks for the KIP, Ada. {}", "Sounds great! {}", "OK, {}"),
    *("Late to the party but {}", "So, {}", "Then {}.", "Yes, {}", "and {}", "Vote:\n{}", "Checked the docs; {}"),
    *("* built\n* tested\n* {}", "- built: ok\n- tested: ok\n- {}", "Built from source.\nRan the tests.\n{}"),
    *("{}\n\nSent from my iPhone", f"{{}}\n\n{GMAIL}\n> Hi\n> +1", f"{{}}\n\n{'_' * 32}\n{OUTLOOK}"),
    f"{GMAIL}\n\n> Hi all\n> please vote\n\n{{}}\n\nMara",
)


def read(body: str) -> list[tuple[object, ...]]:
    found = read_expressions(find_own_words(body), author="Mara Lind")
    return [(e.choice, e.standing, e.claimed_binding) for e in found]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_vote_is_the_same_in_every_frame(frame: str) -> None:
    assert {vote: read(frame.format(vote)) for vote in VOTES} == {vote: read(vote) for vote in VOTES}


@pytest.mark.parametrize("vote", VOTES)
def test_each_of_them_counts(vote: str) -> None:
    [(choice, standing, _)] = read(vote)
    assert (choice is not None, standing) == (True, "clear")

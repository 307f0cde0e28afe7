"""What people do on the sandbox's own pages, and what its faster time brings, seen by kipflow as by any community."""

from __future__ import annotations

import httpx
import pytest

from kipflow.domain.events import Stage
from kipflow.domain.tally import Outcome
from kipflow.wiring import Parts
from tests.integration.rounds import run_once
from tests.integration.test_story import view

pytestmark = pytest.mark.integration


def send(url: str, who: str, subject: str, words: str, answers: str = "") -> str:
    """Send a mail by the form; gives the id by which the archive knows it."""
    mail = {"who": who, "subject": subject, "words": words, "answers": answers}
    return httpx.post(f"{url}/mail", data=mail).headers["location"].rpartition("#")[2]


def wait(url: str, step: str, times: int = 1) -> None:
    for _ in range(times):
        assert httpx.post(f"{url}/step", data={"advance": step}).status_code == 303


def test_a_visitor_carries_a_proposal_from_its_vote_to_a_released_ticket(played: tuple[str, Parts]) -> None:
    (url, parts), subject = played, "[VOTE] KIP-101: Publish a compatibility table"
    assert view(parts, 101).stage is Stage.DISCUSSION

    call = send(url, "sgreene", subject, "I would like to call a vote on KIP-101.")
    for who in ("amaro", "bvogel", "hfarrow", "fdiallo"):
        send(url, who, f"Re: {subject}", "+1 (binding)" if who != "fdiallo" else "+1 (non-binding)", call)
    run_once(parts)
    seen = view(parts, 101)
    assert seen.stage is Stage.VOTE
    assert (seen.votes[-1].tally.binding.plus, seen.votes[-1].tally.non_binding.plus) == (3, 1)

    wait(url, "1 day", 3)
    wait(url, "1 hour")
    send(url, "sgreene", f"[RESULT] {subject}", "The vote passes with three binding +1 and no -1.", call)
    httpx.post(f"{url}/tickets/SAND-1101", data={"release": "3.4.0"})
    run_once(parts)
    seen = view(parts, 101)
    assert seen.stage is Stage.ACCEPTED
    assert "KIP-101" in httpx.get(f"{url}/slack").text
    # the ticket is asked for once the proposal is accepted
    run_once(parts)
    assert "3.4.0" in httpx.get(f"{url}/wiki/1000").text


def test_at_an_hour_a_minute_a_vote_opens_in_two_minutes_and_fills_and_another_closes_within_ten(
    played: tuple[str, Parts],
) -> None:
    url, parts = played
    counts = []
    for minutes in range(11):
        if minutes in {0, 2, 4, 6, 10}:
            run_once(parts)
            votes = view(parts, 93).votes
            counts.append(votes[-1].tally.binding.plus if votes else None)
            if minutes == 2:
                posts = httpx.get(f"{url}/slack").text
                assert "KIP-93" in posts
        wait(url, "1 hour")
    assert counts == [None, 0, 1, 2, 3]
    assert view(parts, 93).votes[-1].outcome is Outcome.PASSING
    assert view(parts, 81).stage is Stage.ACCEPTED

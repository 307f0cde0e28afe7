"""What the stories start from: without an attacker, the vote ends as its people meant it to."""

from __future__ import annotations

from tests.adversary.conftest import Community, honest_vote


def test_an_honest_vote_is_accepted(community: Community) -> None:
    """Three committers vote +1, and the caller announces it after the period. The proposal is accepted."""
    community.follow(*honest_vote().values(), day=6)

    assert community.stage() == "Accepted"
    assert community.questions() == []
